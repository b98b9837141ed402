// SPDX-License-Identifier: MIT
// Windows: where a gap would be wide enough but for small pieces in between, these go elsewhere
// first. The cheapest windows of all blocks are tried in turn.
#include <algorithm>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "plan/defragmentation_planner.hpp"

namespace quarry::plan {

/// Adds what a range in a window costs; false when the window is not to be had, or not cheap.
bool DefragmentationPlanner::count_in(std::uint32_t index, std::uint64_t most, Window& window) {
  ++work_;
  const SpaceMap::Range& range = map_[index];
  if (range.is_gap()) return true;
  if (range.content() != SpaceMap::Content::movable) return false;
  window.cost += range.size + range.size / 16 * snapshot_.pieces[range.owner].weight;
  const std::uint64_t best =
      window_count_ < kMostWindows ? most : std::min(most, windows_[kMostWindows - 1].cost);
  return ++window.count <= kMostInWindow && window.cost <= best;
}

/// Keeps the cheapest, in order.
void DefragmentationPlanner::remember(const Window& window) {
  std::uint32_t at = std::min(window_count_, kMostWindows - 1);
  if (window_count_ == kMostWindows && windows_[at].cost <= window.cost) return;
  for (; at > 0 && windows_[at - 1].cost > window.cost; --at)
    windows_[at] = windows_[at - 1];
  windows_[at] = window;
  window_count_ = std::min(window_count_ + 1, kMostWindows);
}

/// The window that begins in this gap.
void DefragmentationPlanner::look_forward(std::uint32_t gap, std::uint64_t size,
                                          std::uint64_t alignment, std::uint64_t most) {
  Window window;
  window.start = base::align_up(map_[gap].offset, alignment);
  if (window.start >= map_[gap].end()) return;
  window.first = window.last = gap;
  while (map_[window.last].end() < window.start + size) {
    window.last = map_[window.last].next;
    if (window.last == SpaceMap::kNone || !count_in(window.last, most, window)) return;
  }
  remember(window);
}

/// The window that ends in this gap.
void DefragmentationPlanner::look_back(std::uint32_t gap, std::uint64_t size,
                                       std::uint64_t alignment, std::uint64_t most) {
  Window window;
  const std::uint64_t end = map_[gap].end();
  if (end < size) return;
  window.start = base::align_down(end - size, alignment);
  if (window.start + size <= map_[gap].offset) return;
  window.first = window.last = gap;
  while (map_[window.first].offset > window.start) {
    window.first = map_[window.first].previous;
    if (!count_in(window.first, most, window)) return;
  }
  remember(window);
}

void DefragmentationPlanner::find_windows(std::uint64_t size, std::uint64_t alignment,
                                          std::uint64_t most) {
  window_count_ = 0;
  for (const std::uint32_t block : receivers_) {
    for (std::uint32_t range = blocks_[block].first_range; range != SpaceMap::kNone;
         range = map_[range].next) {
      if (++work_ >= bounds_.max_work) return;
      if (!map_[range].is_gap()) continue;
      look_forward(range, size, alignment, most);
      look_back(range, size, alignment, most);
    }
  }
}

/// Puts what is in the window elsewhere. The gap that is left; kNone, with nothing changed, when
/// there is no place for something.
std::uint32_t DefragmentationPlanner::clear(const Window& window) {
  std::uint32_t pieces[kMostInWindow];
  std::uint32_t ranges[kMostInWindow];
  std::uint32_t count = 0;
  std::uint32_t placed[kMostInWindow];
  for (std::uint32_t range = window.first;; range = map_[range].next) {
    if (!map_[range].is_gap()) ranges[count++] = range;
    if (range == window.last) break;
  }
  if (count == 0) return window.first;
  std::sort(ranges, ranges + count,
            [&](std::uint32_t a, std::uint32_t b) { return map_[a].size > map_[b].size; });
  const SpaceMap::Window avoid{window.first, window.last};
  for (std::uint32_t i = 0; i < count; ++i) {
    pieces[i] = map_[ranges[i]].owner;
    const DefragmentationPiece& piece = snapshot_.pieces[pieces[i]];
    placed[i] = map_.place(piece.size, piece.alignment, pieces[i], true, &avoid);
    if (placed[i] != SpaceMap::kNone) continue;
    while (i-- > 0)
      map_.remove(placed[i], false);
    return SpaceMap::kNone;
  }
  std::uint32_t gap = window.first;
  for (std::uint32_t i = 0; i < count; ++i) {
    gap = map_.remove(ranges[i], true);
    // There is room for as many as there are pieces.
    const bool noted = displaced_.push_back({.piece = pieces[i], .range = placed[i]});
    QUARRY_CHECK(noted);
    bytes_chosen_ += map_[placed[i]].size;
    ++moves_chosen_;
  }
  return gap;
}

std::uint32_t DefragmentationPlanner::place_in_window(std::uint64_t size, std::uint64_t alignment,
                                                      std::uint32_t owner) {
  if (work_ >= bounds_.max_work) return kNone;
  find_windows(size, alignment, size / 2);
  for (std::uint32_t i = 0; i < window_count_; ++i) {
    const Window& window = windows_[i];
    if (bytes_chosen_ + window.cost > bounds_.max_bytes ||
        moves_chosen_ + window.count > bounds_.max_moves)
      continue;
    const std::uint32_t gap = clear(window);
    if (gap != SpaceMap::kNone) return map_.place_at(gap, window.start, size, owner);
  }
  return kNone;
}

/// The goal `room`.
bool DefragmentationPlanner::make_room() {
  const std::uint64_t size = goal_.bytes;
  if (size == 0 || size > kMostBytes || !base::is_power_of_two(goal_.alignment) ||
      goal_.alignment > kMostBytes / 2)
    return true;
  if (!fill_map(goal_.group) || !displaced_.reserve(kMostInWindow)) return false;
  find_windows(size, goal_.alignment, bounds_.max_bytes);
  for (std::uint32_t i = 0; i < window_count_ && !forecast_.reached; ++i) {
    const std::uint32_t gap = windows_[i].count <= bounds_.max_moves ? clear(windows_[i]) : kNone;
    if (gap == SpaceMap::kNone) continue;
    forecast_.reached = true;
    forecast_.room_block = static_cast<std::uint32_t>(map_[gap].block);
    forecast_.room_offset = windows_[i].start;
  }
  return write_displaced();
}

}  // namespace quarry::plan
