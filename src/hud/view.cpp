// SPDX-License-Identifier: MIT
// The window's frame, its small parts, and the tables of work and tags. See view.hpp.
#include "hud/view.hpp"

#include <algorithm>
#include <cstdio>

#include "hud/palette.hpp"
#include "hud/units.hpp"

namespace quarry::hud {
namespace {

void show_summary(const Figures& figures, ViewState& state) {
  const Totals& totals = figures.totals;
  ImGui::Text("%s live in %s blocks (%s dedicated)", count_text(totals.allocation_count).c_str(),
              count_text(totals.block_count).c_str(), count_text(totals.dedicated_count).c_str());
  const char* label = "Freeze";
  const float width =
      ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(label).x;
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
  ImGui::Checkbox(label, &state.frozen);
  ImGui::PopStyleVar();
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("Keep the figures, the history and the map of this moment");
  }
}

void work_cells(const char* name, const char* now, const char* worst, bool alarm) {
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(name);
  for (const char* text : {now, worst}) {
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text).x;
    if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
    if (alarm) ImGui::PushStyleColor(ImGuiCol_Text, palette::kAlarm);
    ImGui::TextUnformatted(text);
    if (alarm) ImGui::PopStyleColor();
  }
}

}  // namespace

void show_right_aligned(const char* text, ImU32 color) {
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(text).x);
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
  if (!ImGui::BeginTable("work", 6, ImGuiTableFlags_SizingStretchProp)) return;
  for (int half = 0; half < 2; ++half) {
    ImGui::TableSetupColumn("a frame", ImGuiTableColumnFlags_None, half == 0 ? 2.4f : 2.9f);
    ImGui::TableSetupColumn("now", ImGuiTableColumnFlags_None, half == 0 ? 1.8f : 1.0f);
    ImGui::TableSetupColumn("worst", ImGuiTableColumnFlags_None, half == 0 ? 1.8f : 1.2f);
  }
  ImGui::TableNextRow();
  for (int half = 0; half < 2; ++half) {
    for (const char* title : {half == 0 ? "in this frame" : "driver calls", "now", "worst"}) {
      ImGui::TableNextColumn();
      const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(title).x;
      if (room > 0 && title[0] != 'i' && title[0] != 'd') {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
      }
      ImGui::TextDisabled("%s", title);
    }
  }
  const Sample now = recorder.latest();
  const Sample worst = recorder.worst();
  const auto count = [&](const char* name, std::uint64_t Counters::*member, bool alarming) {
    work_cells(name, count_text(now.work.*member).c_str(), count_text(worst.work.*member).c_str(),
               alarming && now.work.*member > 0);
  };
  ImGui::TableNextRow();
  count("allocations", &Counters::allocations, false);
  count("allocate", &Counters::driver_allocations, true);
  ImGui::TableNextRow();
  count("frees", &Counters::frees, false);
  count("free", &Counters::driver_frees, false);
  ImGui::TableNextRow();
  count("failed", &Counters::failed_allocations, true);
  count("map", &Counters::driver_maps, false);
  ImGui::TableNextRow();
  work_cells("uploaded", bytes_text(now.work.uploaded_bytes).c_str(),
             bytes_text(worst.work.uploaded_bytes).c_str(), false);
  count("budget query", &Counters::driver_budget_queries, false);
  ImGui::EndTable();
}

void show_tags(const Figures& figures, ViewState& state) {
  state.marked = {};
  if (figures.tags.empty()) {
    ImGui::TextDisabled("no tagged allocation yet");
    return;
  }
  const ImGuiTableFlags flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg;
  if (!ImGui::BeginTable("tags", 4, flags)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_None, 4.0f);
  ImGui::TableSetupColumn("live", ImGuiTableColumnFlags_None, 2.0f);
  ImGui::TableSetupColumn("peak", ImGuiTableColumnFlags_None, 2.4f);
  ImGui::TableSetupColumn("count", ImGuiTableColumnFlags_None, 1.6f);
  const auto largest =
      static_cast<float>(std::max<VkDeviceSize>(figures.tags.front().totals.allocation_bytes, 1));
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
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(bytes_text(row.totals.allocation_bytes).c_str());
    ImGui::TableNextColumn();
    ImGui::TextDisabled("peak %s", bytes_text(row.totals.peak_allocation_bytes).c_str());
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", count_text(row.totals.allocation_count).c_str());
  }
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
  ImGui::SetNextWindowPos({viewport->WorkPos.x + margin, viewport->WorkPos.y + margin},
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
