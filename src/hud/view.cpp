// SPDX-License-Identifier: MIT
// The window's frame, its small parts, and the tables of work and tags. See view.hpp.
#include "hud/view.hpp"

#include <algorithm>
#include <cstdio>

#include "hud/palette.hpp"
#include "hud/units.hpp"

namespace quarry::hud {
namespace {

/// Stays on the line; what is `width` wide ends at the right edge then.
void move_to_right(float width) {
  ImGui::SameLine();
  const float room = ImGui::GetContentRegionAvail().x - width;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
}

void show_summary(const Figures& figures, ViewState& state) {
  const Totals& totals = figures.totals;
  ImGui::Text("%s live in %s blocks (%s dedicated)", count_text(totals.allocation_count).c_str(),
              count_text(totals.block_count).c_str(), count_text(totals.dedicated_count).c_str());
  const char* label = "Freeze";
  const float width =
      ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(label).x;
  move_to_right(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
  ImGui::Checkbox(label, &state.frozen);
  ImGui::PopStyleVar();
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("Keep the figures, the history and the map of this moment");
  }
}

void right_cell(const char* text, ImU32 color) {
  ImGui::TableNextColumn();
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
}

void work_cells(const char* name, const char* now, const char* worst, ImU32 color) {
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(name);
  ImGui::PopStyleColor();
  right_cell(now, color);
  right_cell(worst, color);
}

/// The columns of one half of the table of work: what, now, worst.
void set_up_work_columns(float name, float now, float worst) {
  const float em = ImGui::GetFontSize();
  for (const float width : {name, now, worst}) {
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, width * em);
  }
}

}  // namespace

void show_right_aligned(const char* text, ImU32 color) {
  move_to_right(ImGui::CalcTextSize(text).x);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
}

void show_legend(std::span<const LegendEntry> entries) {
  const float em = ImGui::GetFontSize();
  bool first = true;
  for (const LegendEntry& entry : entries) {
    if (!first) ImGui::SameLine(0, em * 0.8f);
    first = false;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + em * 0.2f},
                                              {at.x + em * 0.6f, at.y + em * 0.8f}, entry.color);
    ImGui::Dummy({em * 0.6f, em});
    ImGui::SameLine(0, em * 0.3f);
    ImGui::TextDisabled("%s", entry.text);
  }
}

void show_work(const Recorder& recorder) {
  if (!ImGui::BeginTable("work", 7, ImGuiTableFlags_SizingFixedFit)) return;
  set_up_work_columns(6.0f, 5.0f, 5.6f);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
  set_up_work_columns(6.6f, 3.0f, 3.4f);
  const Sample now = recorder.latest();
  const Sample worst = recorder.worst();
  const ImU32 plain = ImGui::GetColorU32(ImGuiCol_Text);
  const ImU32 faint = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  const auto count = [&](const char* name, std::uint64_t Counters::*member, bool alarming) {
    work_cells(name, count_text(now.work.*member).c_str(), count_text(worst.work.*member).c_str(),
               alarming && now.work.*member > 0 ? palette::kAlarm : plain);
  };
  const auto gap = [] { ImGui::TableNextColumn(); };
  work_cells("per frame", "now", "worst", faint);
  gap();
  work_cells("driver", "now", "worst", faint);
  count("allocations", &Counters::allocations, false);
  gap();
  count("allocate", &Counters::driver_allocations, true);
  count("frees", &Counters::frees, false);
  gap();
  count("free", &Counters::driver_frees, false);
  count("failed", &Counters::failed_allocations, true);
  gap();
  count("map", &Counters::driver_maps, false);
  work_cells("uploaded", bytes_text(now.work.uploaded_bytes).c_str(),
             bytes_text(worst.work.uploaded_bytes).c_str(), plain);
  gap();
  count("budget query", &Counters::driver_budget_queries, false);
  work_cells("moved", bytes_text(now.work.moved_bytes).c_str(),
             bytes_text(worst.work.moved_bytes).c_str(), plain);
  gap();
  count("moves", &Counters::moves, false);
  ImGui::EndTable();
}

void show_tags(const Figures& figures, ViewState& state) {
  state.marked = {};
  if (figures.tags.empty()) {
    ImGui::TextDisabled("no tagged allocation yet");
    return;
  }
  const ImGuiTableFlags flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("tags", 4, flags)) return;
  const float em = ImGui::GetFontSize();
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("live", ImGuiTableColumnFlags_WidthFixed, 5.2f * em);
  ImGui::TableSetupColumn("peak", ImGuiTableColumnFlags_WidthFixed, 7.6f * em);
  ImGui::TableSetupColumn("count", ImGuiTableColumnFlags_WidthFixed, 4.0f * em);
  const auto largest =
      static_cast<float>(std::max<VkDeviceSize>(figures.tags.front().totals.allocation_bytes, 1));
  ImGui::PushStyleColor(ImGuiCol_HeaderHovered, IM_COL32(255, 255, 255, 40));
  for (const TagRow& row : figures.tags) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float length = ImGui::GetContentRegionAvail().x *
                         static_cast<float>(row.totals.allocation_bytes) / largest;
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + length, at.y + ImGui::GetFontSize()},
                                              palette::kReserved);
    ImGui::PushID(static_cast<int>(row.tag.index));
    ImGui::Selectable(row.name.c_str(), false, ImGuiSelectableFlags_SpanAllColumns);
    if (ImGui::IsItemHovered()) state.marked = row.tag;
    ImGui::PopID();
    right_cell(bytes_text(row.totals.allocation_bytes).c_str(), ImGui::GetColorU32(ImGuiCol_Text));
    char peak[48];
    std::snprintf(peak, sizeof(peak), "peak %s",
                  bytes_text(row.totals.peak_allocation_bytes).c_str());
    right_cell(peak, ImGui::GetColorU32(ImGuiCol_TextDisabled));
    right_cell(count_text(row.totals.allocation_count).c_str(),
               ImGui::GetColorU32(ImGuiCol_TextDisabled));
  }
  ImGui::PopStyleColor();
  ImGui::EndTable();
}

void show_window(const Content& content, const char* title, const Options& options,
                 ViewState& state) {
  const float em = ImGui::GetFontSize();
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float margin = em * 0.6f;
  const float width = options.width > 0 ? options.width : em * 34.0f;
  const float height =
      options.height > 0 ? options.height : std::min(viewport->WorkSize.y - 2 * margin, em * 52.0f);
  // Kept on the screen, even where it has room for fewer columns.
  const float last = std::max(viewport->WorkSize.x - width - margin, margin);
  const float left = std::min(margin + static_cast<float>(options.column) * (width + margin), last);
  ImGui::SetNextWindowPos({viewport->WorkPos.x + left, viewport->WorkPos.y + margin},
                          ImGuiCond_FirstUseEver);
  ImGui::SetNextWindowSize({width, height}, ImGuiCond_FirstUseEver);
  ImGui::SetNextWindowBgAlpha(0.92f);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(em * 0.5f, em * 0.2f));
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(em * 0.25f, 0.0f));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(em * 0.3f, em * 0.12f));
  state.blocks_open = state.tags_open = false;
  if (ImGui::Begin(title, options.open, ImGuiWindowFlags_NoFocusOnAppearing)) {
    show_summary(content.figures, state);
    show_heaps(content.figures);
    show_history(content.recorder);
    show_work(content.recorder);
    if (options.show_tags) {
      char header[64];
      std::snprintf(header, sizeof(header), "Tags (%s)###tags",
                    count_text(content.figures.tag_count).c_str());
      state.tags_open = ImGui::CollapsingHeader(header, ImGuiTreeNodeFlags_DefaultOpen);
      if (state.tags_open) show_tags(content.figures, state);
    }
    if (options.show_blocks) {
      char header[64];
      std::snprintf(header, sizeof(header), "Blocks (%s)###blocks",
                    count_text(content.figures.totals.block_count).c_str());
      state.blocks_open = ImGui::CollapsingHeader(header, ImGuiTreeNodeFlags_DefaultOpen);
      if (state.blocks_open) {
        const float least = em * 8.0f;
        show_blocks(content.map, content.figures, std::max(ImGui::GetContentRegionAvail().y, least),
                    state);
      }
    }
  }
  ImGui::End();
  ImGui::PopStyleVar(3);
}

}  // namespace quarry::hud
