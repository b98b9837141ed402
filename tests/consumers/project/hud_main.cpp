// SPDX-License-Identifier: MIT
// One frame of the HUD in a program that has ImGui but no window, no device and no renderer.
#include <imgui.h>

#include <quarry/hud.hpp>

int main() {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(640, 480);
  io.DeltaTime = 1.0f / 60.0f;
  io.IniFilename = nullptr;
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);

  int vertices = 0;
  const quarry::Allocator allocator;
  for (int frame = 0; frame < 2; ++frame) {
    ImGui::NewFrame();
    quarry::hud::draw(allocator);
    ImGui::Render();
    vertices = ImGui::GetDrawData()->TotalVtxCount;
  }
  ImGui::DestroyContext();
  return vertices > 0 ? 0 : 1;
}
