// SPDX-License-Identifier: MIT
// The window: paints what the model gives, with ImGui's core alone (1.86 and later). Knows no
// allocator. All lengths are multiples of the font's height, so that it grows with the font.
#pragma once

#include <span>
#include <vector>

#include <imgui.h>

#include <quarry/hud.hpp>

#include "hud/block_map.hpp"
#include "hud/model.hpp"

namespace quarry::hud {

/// What the user did, kept between calls.
struct ViewState {
  bool blocks_open = true;  ///< as of the last call: whether a block map is worth making
  bool tags_open = true;
  bool frozen = false;  ///< nothing new is recorded
  Tag marked;           ///< the tag under the mouse in the last call; shown in the block map
  std::vector<Segment> segments;  ///< of the row being painted; kept for its host memory
};

struct Content {
  const Figures& figures;
  const Recorder& recorder;
  const BlockMap& map;
};

/// The whole window. `title` is its identity.
void show_window(const Content& content, const char* title, const Options& options,
                 ViewState& state);

// The window's parts, top to bottom.
void show_heaps(const Figures& figures);
void show_history(const Recorder& recorder);
void show_work(const Recorder& recorder);
void show_tags(const Figures& figures, ViewState& state);
/// Fills `height` pixels.
void show_blocks(const BlockMap& map, const Figures& figures, float height, ViewState& state);

struct LegendEntry {
  ImU32 color;
  const char* text;
};
/// One line of coloured squares and their meaning.
void show_legend(std::span<const LegendEntry> entries);
/// Text with its end at the right edge of the window, on the line just begun.
void show_right_aligned(const char* text, ImU32 color);

}  // namespace quarry::hud
