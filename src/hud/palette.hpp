// SPDX-License-Identifier: MIT
// The display's colours: one meaning each, the same in bars, plots, maps and legends, on their own
// dark ground.
#pragma once

#include <imgui.h>

namespace quarry::hud::palette {

constexpr ImU32 kGround = IM_COL32(17, 21, 28, 255);
constexpr ImU32 kFrame = IM_COL32(70, 78, 92, 255);
constexpr ImU32 kUsed = IM_COL32(52, 124, 205, 255);
constexpr ImU32 kReserved = IM_COL32(36, 66, 104, 255);
constexpr ImU32 kFree = IM_COL32(58, 66, 80, 255);
constexpr ImU32 kDedicated = IM_COL32(147, 98, 201, 255);
constexpr ImU32 kProcess = IM_COL32(92, 96, 104, 255);
constexpr ImU32 kBudget = IM_COL32(236, 239, 244, 255);
constexpr ImU32 kPeak = IM_COL32(240, 178, 62, 255);
constexpr ImU32 kAlarm = IM_COL32(232, 84, 74, 255);
constexpr ImU32 kUpload = IM_COL32(84, 184, 120, 255);
constexpr ImU32 kMarked = IM_COL32(255, 122, 184, 255);
constexpr ImU32 kEmptying = IM_COL32(226, 140, 48, 255);
constexpr ImU32 kText = IM_COL32(240, 243, 248, 255);
constexpr ImU32 kShadow = IM_COL32(0, 0, 0, 170);

/// `share` 0 gives `from`, 1 gives `to`.
inline ImU32 mix(ImU32 from, ImU32 to, float share) {
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(from);
  const ImVec4 b = ImGui::ColorConvertU32ToFloat4(to);
  const auto between = [share](float x, float y) { return x + (y - x) * share; };
  return ImGui::ColorConvertFloat4ToU32(
      {between(a.x, b.x), between(a.y, b.y), between(a.z, b.z), between(a.w, b.w)});
}

}  // namespace quarry::hud::palette
