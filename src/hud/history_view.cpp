// SPDX-License-Identifier: MIT
// The plot over the last calls: live and reserved bytes, uploads, and where the driver was asked
// for memory. See view.hpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "hud/palette.hpp"
#include "hud/units.hpp"
#include "hud/view.hpp"

namespace quarry::hud {
namespace {

float height_of(std::uint64_t value, std::uint64_t largest, float height) {
  if (largest == 0) return 0;
  return static_cast<float>(static_cast<double>(value) / static_cast<double>(largest)) * height;
}

void show_sample_tooltip(const Sample& sample, std::size_t age) {
  ImGui::BeginTooltip();
  ImGui::Text("%zu frames ago", age);
  ImGui::Separator();
  ImGui::Text("%s used, %s reserved", bytes_text(sample.used).c_str(),
              bytes_text(sample.reserved).c_str());
  ImGui::Text("%s allocations, %s frees", count_text(sample.work.allocations).c_str(),
              count_text(sample.work.frees).c_str());
  ImGui::Text("driver: %s allocations, %s frees, %s maps",
              count_text(sample.work.driver_allocations).c_str(),
              count_text(sample.work.driver_frees).c_str(),
              count_text(sample.work.driver_maps).c_str());
  ImGui::Text("%s uploaded", bytes_text(sample.work.uploaded_bytes).c_str());
  if (sample.work.moves > 0)
    ImGui::Text("%s moved in %s moves", bytes_text(sample.work.moved_bytes).c_str(),
                count_text(sample.work.moves).c_str());
  ImGui::EndTooltip();
}

void paint_sample(ImDrawList* list, const Sample& sample, const Sample& worst, float left,
                  float right, float top, float bottom) {
  const float height = (bottom - top) * 0.8f;
  const float reserved = bottom - height_of(sample.reserved, worst.reserved, height);
  const float used = bottom - height_of(sample.used, worst.reserved, height);
  list->AddRectFilled({left, reserved}, {right, used}, palette::kReserved);
  list->AddRectFilled({left, used}, {right, bottom}, palette::kUsed);
  if (sample.work.uploaded_bytes > 0) {
    const float uploads = height_of(sample.work.uploaded_bytes, worst.work.uploaded_bytes, height);
    list->AddRectFilled({left, bottom - std::max(uploads * 0.35f, 1.0f)}, {right, bottom},
                        palette::kUpload);
  }
  if (sample.work.driver_allocations > 0) {
    list->AddRectFilled({left, top}, {right, top + (bottom - top) * 0.2f}, palette::kAlarm);
  }
}

}  // namespace

void show_history(const Recorder& recorder) {
  const float em = ImGui::GetFontSize();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, em * 4.0f);
  ImGui::Dummy(size);
  const ImVec2 end(at.x + size.x, at.y + size.y);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, end, palette::kGround);
  const Sample worst = recorder.worst();
  // The latest stands at the right edge. Edges are rounded, so that neighbours leave no seam.
  const float step = size.x / static_cast<float>(Recorder::kCapacity);
  const auto edge = [&](std::size_t from_latest) {
    return std::round(end.x - step * static_cast<float>(from_latest));
  };
  for (std::size_t i = 0; i < recorder.size(); ++i) {
    const std::size_t age = recorder.size() - 1 - i;
    paint_sample(list, recorder[i], worst, edge(age + 1), edge(age), at.y, end.y);
  }
  list->AddRect(at, end, palette::kFrame);
  if (ImGui::IsItemHovered()) {
    const float age = (end.x - ImGui::GetMousePos().x) / step;
    const auto index = static_cast<std::size_t>(std::max(age, 0.0f));
    if (index < recorder.size()) {
      show_sample_tooltip(recorder[recorder.size() - 1 - index], index);
    }
  }
  static constexpr std::array kLegend = {
      LegendEntry{palette::kUpload, "uploads"},
      LegendEntry{palette::kAlarm, "vkAllocateMemory"},
  };
  show_legend(kLegend);
  char text[96];
  std::snprintf(text, sizeof(text), "top %s, last %zu frames", bytes_text(worst.reserved).c_str(),
                Recorder::kCapacity);
  show_right_aligned(text, ImGui::GetColorU32(ImGuiCol_TextDisabled));
}

}  // namespace quarry::hud
