// SPDX-License-Identifier: MIT
// Budget display for any Dear ImGui program (target quarry::hud): one call a frame between NewFrame and Render.
#pragma once

#include <quarry/allocator.hpp>

namespace quarry::hud {

/// History and view settings of one display. Keep one for each allocator that is shown; draw() without it keeps one itself.
struct Options {
  bool show_blocks = true;  ///< map of used and free ranges of each block
  bool show_tags = true;
  float width = 420.0f;     ///< pixels of the window when first shown
};

/// Draws the window "Quarry" with heap bars, history, block maps, tags and counters per call of draw (one call a frame).
/// Call from the thread that owns the ImGui context.
void draw(const Allocator& allocator, const Options& options = {});

}  // namespace quarry::hud
