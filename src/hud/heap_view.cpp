// SPDX-License-Identifier: MIT
// A bar for each heap: live, reserved and the process's bytes against the budget, with the peak
// marked. See view.hpp.
#include <algorithm>
#include <array>
#include <cstdio>

#include "hud/palette.hpp"
#include "hud/units.hpp"
#include "hud/view.hpp"

namespace quarry::hud {
namespace {

void tooltip_line(const char* name, VkDeviceSize bytes) {
  ImGui::Text("%-22s %12s", name, bytes_text(bytes).c_str());
}

void show_heap_tooltip(const HeapRow& row) {
  ImGui::BeginTooltip();
  ImGui::Text("Heap %u", row.index);
  ImGui::Separator();
  tooltip_line("live allocations", row.totals.allocation_bytes);
  tooltip_line("  peak", row.totals.peak_allocation_bytes);
  tooltip_line("reserved", row.totals.block_bytes);
  tooltip_line("  peak", row.totals.peak_block_bytes);
  tooltip_line("this process", row.budget.usage);
  tooltip_line(row.budget.from_driver ? "budget (driver)" : "budget (assumed)", row.budget.budget);
  tooltip_line("limit set", row.budget.limit);
  tooltip_line("heap", row.budget.size);
  ImGui::Text("%s allocations in %s blocks, %s of them dedicated",
              count_text(row.totals.allocation_count).c_str(),
              count_text(row.totals.block_count).c_str(),
              count_text(row.totals.dedicated_count).c_str());
  ImGui::EndTooltip();
}

void paint_bar(const HeapRow& row, const HeapBar& bar, ImVec2 at, ImVec2 size) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + size.x, at.y + size.y);
  const auto fill = [&](float from, float to, ImU32 color) {
    if (to > from) {
      list->AddRectFilled({at.x + size.x * from, at.y}, {at.x + size.x * to, end.y}, color);
    }
  };
  const auto mark = [&](float where, ImU32 color) {
    // Kept inside, so that a mark at the very end is still seen.
    const float x = std::min(at.x + size.x * where, end.x - 2.0f);
    list->AddRectFilled({x, at.y - 1.0f}, {x + 2.0f, end.y + 1.0f}, color);
  };
  list->AddRectFilled(at, end, palette::kGround);
  fill(0, bar.used, palette::kUsed);
  fill(bar.used, bar.reserved, palette::kReserved);
  fill(bar.reserved, bar.process, palette::kProcess);
  if (bar.over_budget) fill(bar.budget, bar.process, palette::kAlarm);
  list->AddRect(at, end, palette::kFrame);
  mark(bar.peak, palette::kPeak);
  mark(bar.budget, palette::kBudget);

  char text[128];
  std::snprintf(text, sizeof(text), "%s used   %s reserved",
                bytes_text(row.totals.allocation_bytes).c_str(),
                bytes_text(row.totals.block_bytes).c_str());
  const float inset = ImGui::GetFontSize() * 0.4f;
  const ImVec2 text_at(at.x + inset, at.y + (size.y - ImGui::GetFontSize()) * 0.5f);
  list->PushClipRect(at, end, true);
  list->AddText({text_at.x + 1, text_at.y + 1}, palette::kShadow, text);
  list->AddText(text_at, palette::kText, text);
  char peak[48];
  std::snprintf(peak, sizeof(peak), "peak %s", bytes_text(row.totals.peak_block_bytes).c_str());
  const float peak_width = ImGui::CalcTextSize(peak).x;
  const ImVec2 peak_at(end.x - peak_width - inset, text_at.y);
  list->AddText({peak_at.x + 1, peak_at.y + 1}, palette::kShadow, peak);
  list->AddText(peak_at, palette::kPeak, peak);
  list->PopClipRect();
}

void show_heap(const HeapRow& row) {
  const float em = ImGui::GetFontSize();
  const HeapBar bar = heap_bar(row);
  const bool local = (row.budget.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
  ImGui::BeginGroup();
  ImGui::Text("Heap %u", row.index);
  ImGui::SameLine();
  ImGui::TextDisabled("%s, %s", local ? "device-local" : "host",
                      bytes_text(row.budget.size).c_str());
  char budget[96];
  std::snprintf(budget, sizeof(budget), "%s of %s budget", bytes_text(row.budget.usage).c_str(),
                bytes_text(row.budget.budget).c_str());
  show_right_aligned(budget, bar.over_budget ? palette::kAlarm : ImGui::GetColorU32(ImGuiCol_Text));
  // A heap that nobody uses gets no bar: some devices have heaps that stay empty for ever.
  if (row.totals.peak_block_bytes > 0 || row.budget.usage > 0) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, em * 1.3f);
    ImGui::Dummy(size);
    paint_bar(row, bar, at, size);
  }
  ImGui::EndGroup();
  if (ImGui::IsItemHovered()) show_heap_tooltip(row);
}

}  // namespace

void show_heaps(const Figures& figures) {
  for (const HeapRow& row : figures.heaps)
    show_heap(row);
  static constexpr std::array kLegend = {
      LegendEntry{palette::kUsed, "used"},       LegendEntry{palette::kReserved, "reserved"},
      LegendEntry{palette::kProcess, "process"}, LegendEntry{palette::kPeak, "peak"},
      LegendEntry{palette::kBudget, "budget"},
  };
  show_legend(kLegend);
}

}  // namespace quarry::hud
