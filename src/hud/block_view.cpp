// SPDX-License-Identifier: MIT
// The block map on screen: a line for each row of the map that is scrolled into view. See view.hpp.
#include <algorithm>
#include <array>
#include <cstdio>

#include "hud/palette.hpp"
#include "hud/units.hpp"
#include "hud/view.hpp"

namespace quarry::hud {
namespace {

/// How many rectangles the map may draw. ImGui indexes vertices with 16 bits, 65,536 and so 16,384
/// rectangles in a list of commands, unless the backend takes an offset; three quarters of them
/// leave room for the text.
float most_rectangles() {
  const bool offsets = (ImGui::GetIO().BackendFlags & ImGuiBackendFlags_RendererHasVtxOffset) != 0;
  return offsets || sizeof(ImDrawIdx) > 2 ? 40000.0f : 12288.0f;
}

constexpr float kLeastPixels = 2.0f;

void show_cell_tooltip(const BlockMap& map, const Figures& figures, const MapRow& row,
                       const Cell& cell) {
  ImGui::BeginTooltip();
  const char* name = map.name(cell);
  if (!cell.used) {
    ImGui::TextUnformatted("free");
  } else {
    ImGui::TextUnformatted(name[0] != '\0' ? name : "(no name)");
  }
  ImGui::Separator();
  ImGui::Text("size    %s", bytes_text(cell.size).c_str());
  ImGui::Text("offset  %s (%s)", bytes_text(cell.block_offset).c_str(),
              hex_text(cell.block_offset).c_str());
  const std::uint32_t tag = cell.tag.index;
  if (cell.used && tag != 0 && tag <= figures.tag_names.size()) {
    ImGui::Text("tag     %s", figures.tag_names[tag - 1].c_str());
  }
  if (row.dedicated) ImGui::TextUnformatted("dedicated memory");
  ImGui::EndTooltip();
}

void show_run_tooltip(const BlockMap& map, const MapRow& row, const Segment& segment) {
  const std::span<const Cell> cells =
      map.cells(row).subspan(segment.first_cell, segment.cell_count);
  VkDeviceSize used = 0;
  VkDeviceSize bytes = 0;
  std::size_t count = 0;
  for (const Cell& cell : cells) {
    bytes += cell.size;
    used += cell.used ? cell.size : 0;
    count += cell.used ? 1 : 0;
  }
  ImGui::BeginTooltip();
  ImGui::Text("%zu allocations, %zu free ranges", count, cells.size() - count);
  ImGui::Separator();
  ImGui::Text("%s of %s used", bytes_text(used).c_str(), bytes_text(bytes).c_str());
  constexpr std::size_t kMostNames = 6;
  std::size_t shown = 0;
  for (const Cell& cell : cells) {
    if (cell.name == 0) continue;
    if (++shown > kMostNames) {
      ImGui::TextDisabled("...");
      break;
    }
    ImGui::BulletText("%s, %s", map.name(cell), bytes_text(cell.size).c_str());
  }
  ImGui::EndTooltip();
}

void show_row_tooltip(const BlockMap& map, const MapRow& row) {
  ImGui::BeginTooltip();
  if (row.dedicated) {
    ImGui::Text("%u dedicated memories of heap %u", row.block_count, row.heap);
  } else {
    ImGui::Text("block of memory type %u, heap %u", row.memory_type, row.heap);
    if (row.custom_pool) ImGui::TextUnformatted("of a custom pool");
    if (row.optimal) ImGui::TextUnformatted("optimal images only");
    if (row.emptying) ImGui::TextUnformatted("being emptied");
  }
  if (row.mapped) ImGui::TextUnformatted("mapped");
  ImGui::Text("%s of %s used", bytes_text(row.used).c_str(), bytes_text(row.size).c_str());
  std::size_t allocations = 0;
  VkDeviceSize largest_free = 0;
  for (const Cell& cell : map.cells(row)) {
    allocations += cell.used ? 1 : 0;
    if (!cell.used) largest_free = std::max(largest_free, cell.size);
  }
  ImGui::Text("%s allocations, %s free ranges", count_text(allocations).c_str(),
              count_text(row.cell_count - allocations).c_str());
  if (largest_free > 0) ImGui::Text("largest free %s", bytes_text(largest_free).c_str());
  ImGui::EndTooltip();
}

void paint_segments(std::span<const Segment> segments, const MapRow& row, ImVec2 at, float height) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 color = row.dedicated  ? palette::kDedicated
                      : row.emptying ? palette::kEmptying
                                     : palette::kUsed;
  for (const Segment& segment : segments) {
    if (segment.used_share <= 0.0f)
      continue;  // the ground of the row has the colour of free ranges
    // A gap of one pixel tells neighbours apart where there is room for it.
    const bool single = segment.cell_count == 1 && segment.end - segment.begin >= 3.0f;
    const float gap = single ? 1.0f : 0.0f;
    const ImU32 full = segment.marked ? palette::kMarked : color;
    // Even the smallest share stands out from free ground.
    const float share = 0.25f + 0.75f * segment.used_share;
    list->AddRectFilled({at.x + segment.begin, at.y}, {at.x + segment.end - gap, at.y + height},
                        palette::mix(palette::kFree, full, share));
  }
}

void show_row(const BlockMap& map, const Figures& figures, const MapRow& row, float least,
              ViewState& state) {
  const float em = ImGui::GetFontSize();
  const float label_width = em * 11.0f;
  const float share_width = em * 2.6f;
  char label[48];
  if (row.dedicated) {
    std::snprintf(label, sizeof(label), "dedicated");
  } else {
    std::snprintf(label, sizeof(label), "type %u%s", row.memory_type,
                  row.custom_pool ? " pool" : "");
  }
  const ImVec2 start = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 text_color = ImGui::GetColorU32(ImGuiCol_Text);
  list->AddText(start, text_color, label);
  const Text size = bytes_text(row.size);
  list->AddText({start.x + label_width - em * 0.6f - ImGui::CalcTextSize(size.c_str()).x, start.y},
                ImGui::GetColorU32(ImGuiCol_TextDisabled), size.c_str());
  ImGui::Dummy({label_width, em});
  if (ImGui::IsItemHovered()) show_row_tooltip(map, row);

  ImGui::SameLine(0, 0);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float pixels = std::max(ImGui::GetContentRegionAvail().x - share_width, em * 4.0f);
  ImGui::Dummy({pixels, em});
  list->AddRectFilled(at, {at.x + pixels, at.y + em}, palette::kFree);
  cut(map.cells(row), row.size, pixels, least, state.marked, state.segments);
  paint_segments(state.segments, row, at, em);
  if (ImGui::IsItemHovered()) {
    const std::size_t hit = segment_at(state.segments, ImGui::GetMousePos().x - at.x);
    if (hit < state.segments.size()) {
      const Segment& segment = state.segments[hit];
      list->AddRect({at.x + segment.begin, at.y}, {at.x + segment.end, at.y + em},
                    palette::kBudget);
      if (segment.cell_count == 1) {
        show_cell_tooltip(map, figures, row, map.cells(row)[segment.first_cell]);
      } else {
        show_run_tooltip(map, row, segment);
      }
    }
  }
  // Rounded down: 100 % means full.
  const double used =
      row.size == 0 ? 0.0 : static_cast<double>(row.used) / static_cast<double>(row.size);
  char share[16];
  std::snprintf(share, sizeof(share), "%d%%", static_cast<int>(used * 100.0));
  list->AddText({at.x + pixels + share_width - ImGui::CalcTextSize(share).x, at.y}, text_color,
                share);
}

}  // namespace

void show_blocks(const BlockMap& map, const Figures& figures, float height, ViewState& state) {
  static constexpr std::array kLegend = {
      LegendEntry{palette::kUsed, "used"},
      LegendEntry{palette::kFree, "free"},
      LegendEntry{palette::kDedicated, "dedicated"},
      LegendEntry{palette::kEmptying, "emptying"},
      LegendEntry{palette::kMarked, "tag at the mouse"},
  };
  const float before = ImGui::GetCursorPosY();
  show_legend(kLegend);
  const float left = height - (ImGui::GetCursorPosY() - before);
  if (ImGui::BeginChild("map", {0, left})) {
    const float line = ImGui::GetFontSize() + ImGui::GetStyle().ItemSpacing.y;
    const float lines = std::max(left / line, 1.0f) + 2.0f;
    const float least =
        std::max(kLeastPixels, 2.0f * lines * ImGui::GetContentRegionAvail().x / most_rectangles());
    const std::span<const MapRow> rows = map.rows();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows.size()), line);
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        show_row(map, figures, rows[static_cast<std::size_t>(i)], least, state);
      }
    }
  }
  ImGui::EndChild();
}

}  // namespace quarry::hud
