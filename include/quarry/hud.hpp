// SPDX-License-Identifier: MIT
// Budget display for any Dear ImGui program (target quarry::hud): one call a frame, between
// ImGui::NewFrame and ImGui::Render.
#pragma once

#include <memory>

#include <quarry/allocator.hpp>

namespace quarry::hud {

/// How the window looks. Read at each call; nothing is kept.
struct Options {
  /// Of the window, and its identity within the ImGui context.
  const char* title = "Quarry";
  /// The map of used and free ranges of each block. Off: no snapshot is ever taken.
  bool show_blocks = true;
  bool show_tags = true;
  /// Pixels when first shown. 0: 34 times the height of the font.
  float width = 0.0f;
  /// Pixels when first shown. 0: what the viewport has, at most 52 times the height of the font.
  float height = 0.0f;
  /// Where the window stands when first shown: so many widths to the right of the upper left
  /// corner.
  int column = 0;
  /// The block map is a copy, renewed after so many seconds of ImGui time. 0: in each call.
  double snapshot_seconds = 0.25;
  /// Gives the window a close button. While it is false nothing is drawn and nothing recorded.
  bool* open = nullptr;
};

/// What one display remembers between calls: the samples of the last 240 calls, the copy of the
/// block map, what is folded or frozen. Belongs to one allocator at a time: shown another one, it
/// starts anew as soon as a counter is lower than before. Holds no reference to the allocator
/// between calls. Not thread-safe.
class History {
 public:
  History();
  History(History&& other) noexcept;
  History& operator=(History&& other) noexcept;
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  ~History();

 private:
  friend void draw(const Allocator& allocator, History& history, const Options& options);
  class State;
  std::unique_ptr<State> state_;
};

/// Draws the window with heap bars, history, counters per call of draw (so: one call a frame),
/// block maps and tags. Call from the thread that owns the ImGui context, beside any use of the
/// allocator by other threads. An allocator without a device (default-constructed, moved from) is
/// allowed and shown as such. Histories drawn in the same ImGui context need a title each, or their
/// windows become one.
void draw(const Allocator& allocator, History& history, const Options& options = {});

/// The same with a history kept by the library for each (calling thread, address of the allocator),
/// so that two allocators never mix; the second and later ones of a thread get their number behind
/// the title and stand beside the first. Of more than 16 the one drawn longest ago is forgotten. An
/// allocator that moves starts a new history: own a History where that matters.
void draw(const Allocator& allocator, const Options& options = {});

}  // namespace quarry::hud
