// SPDX-License-Identifier: MIT
// An ImGui context without any backend: frames of a given size, a mouse that tests place, no ini
// file.
#pragma once

#include <imgui.h>

namespace quarry::hud {

class ImguiScreen {
 public:
  ImguiScreen(float width, float height) : context_(ImGui::CreateContext()) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(width, height);
    io.IniFilename = nullptr;
    io.DeltaTime = 1.0f / 60.0f;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    unsigned char* texels = nullptr;
    int atlas_width = 0;
    int atlas_height = 0;
    io.Fonts->GetTexDataAsAlpha8(&texels, &atlas_width, &atlas_height);
  }
  ImguiScreen(const ImguiScreen&) = delete;
  ImguiScreen& operator=(const ImguiScreen&) = delete;
  ~ImguiScreen() { ImGui::DestroyContext(context_); }

  void move_mouse(float x, float y) { ImGui::GetIO().MousePos = ImVec2(x, y); }

  /// One frame; what it drew stays valid until the next.
  template <class Paint>
  const ImDrawData& frame(Paint&& paint) {
    ImGui::NewFrame();
    paint();
    ImGui::Render();
    return *ImGui::GetDrawData();
  }
  /// So many frames of the same, for windows that need some to settle.
  template <class Paint>
  const ImDrawData& frames(int count, Paint&& paint) {
    for (int i = 1; i < count; ++i)
      frame(paint);
    return frame(paint);
  }

 private:
  ImGuiContext* context_;
};

}  // namespace quarry::hud
