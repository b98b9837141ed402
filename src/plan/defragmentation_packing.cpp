// SPDX-License-Identifier: MIT
// What leaves goes into the gaps of what stays, the largest first, each into the tightest gap.
// Where none is wide enough, a window is cleared; where that fails, the block that fails with the
// most bytes stays after all, and its gaps take others.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "plan/defragmentation_planner.hpp"

namespace quarry::plan {

namespace {

// Blocks put back one at a time; after that all that fail stay at once.
constexpr std::uint32_t kMostRounds = 64;

std::uint8_t alignment_log2(std::uint64_t alignment) {
  return static_cast<std::uint8_t>(base::floor_log2(alignment));
}

}  // namespace

bool DefragmentationPlanner::pack(std::uint32_t group) {
  displaced_.clear();
  slot_moves_.clear();
  new_slabs_.clear();
  if (!receivers_.reserve(blocks_.size()) || !displaced_.reserve(snapshot_.pieces.size()) ||
      !fill_map(group) || !order_slabs() || !list_items(group) || !sort_items())
    return false;
  failed_.clear();
  // Memory is what this waits for: the gaps are fetched six items ahead, what is beside them three.
  constexpr std::uint32_t kAhead = 6;
  std::uint32_t expected[kAhead];
  std::fill(std::begin(expected), std::end(expected), kNone);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const std::uint32_t near = i + kAhead / 2;
    if (near < items_.size()) map_.expect_around(expected[near % kAhead], items_[near].size);
    if (i + kAhead < items_.size()) expected[i % kAhead] = map_.expect(items_[i + kAhead].size);
    if (!place_item(i, false) && !failed_.push_back(i)) return false;
  }
  return settle_failures();
}

bool DefragmentationPlanner::fill_map(std::uint32_t group) {
  const std::uint64_t occupied = snapshot_.pieces.size() + 2 * snapshot_.slabs.size();
  if (!map_.start(occupied, blocks_.size())) return false;
  receivers_.clear();
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    const DefragmentationBlock& block = snapshot_.blocks[i];
    if (block.group != group || !block.receives || blocks_[i].role == Role::leaves) continue;
    if (goal_.kind == DefragmentationGoal::Kind::empty && block.may_be_emptied) continue;
    if (!receivers_.push_back(i)) return false;
    add_block(i);
  }
  return true;
}

void DefragmentationPlanner::add_block(std::uint32_t index) {
  using Content = SpaceMap::Content;
  Block& block = blocks_[index];
  map_.begin_block(index);
  std::uint32_t piece = block.first_piece;
  std::uint32_t slab = block.first_slab;
  const std::uint32_t last_piece = piece + block.pieces;
  const std::uint32_t last_slab = slab + block.slabs;
  while (piece < last_piece || slab < last_slab) {
    if (slab == last_slab ||
        (piece < last_piece && snapshot_.pieces[piece].offset < snapshot_.slabs[slab].offset)) {
      const DefragmentationPiece& next = snapshot_.pieces[piece];
      map_.add(next.offset, next.size, next.movable ? Content::movable : Content::fixed, piece);
      ++piece;
    } else {
      map_.add(snapshot_.slabs[slab].offset, snapshot_.slabs[slab].size, Content::fixed, kNone);
      ++slab;
    }
  }
  block.first_range = map_.end_block(snapshot_.blocks[index].size);
}

bool DefragmentationPlanner::list_items(std::uint32_t group) {
  items_.clear();
  for (const std::uint32_t index : leaving_) {
    const Block& block = blocks_[index];
    if (snapshot_.blocks[index].group != group) continue;
    for (std::uint32_t i = block.first_piece; i < block.first_piece + block.pieces; ++i) {
      const DefragmentationPiece& piece = snapshot_.pieces[i];
      range_of_piece_[i] = kNone;
      if (piece.movable &&
          !items_.push_back(
              {.size = piece.size, .index = i, .alignment_log2 = alignment_log2(piece.alignment)}))
        return false;
    }
    if (!move_slots(index)) return false;
  }
  for (std::uint32_t i = 0; i < new_slabs_.size(); ++i) {
    const DefragmentationSlab& slab = snapshot_.slabs[new_slabs_[i].source];
    if (!items_.push_back({.size = slab.size,
                           .index = i,
                           .alignment_log2 = alignment_log2(slab.alignment),
                           .is_slab = true}))
      return false;
  }
  return true;
}

/// By classes of sizes, the largest first.
bool DefragmentationPlanner::sort_items() {
  if (!sorted_.resize(items_.size())) return false;
  std::uint32_t starts[SpaceMap::kBins] = {};
  for (const Item& item : items_)
    ++starts[SpaceMap::bin_of(item.size)];
  std::uint32_t sum = 0;
  for (std::uint32_t i = SpaceMap::kBins; i-- > 0;) {
    const std::uint32_t count = starts[i];
    starts[i] = sum;
    sum += count;
  }
  for (const Item& item : items_)
    sorted_[starts[SpaceMap::bin_of(item.size)]++] = item;
  std::swap(items_, sorted_);
  return true;
}

bool DefragmentationPlanner::place_item(std::uint32_t index, bool windows) {
  const Item& item = items_[index];
  const std::uint32_t owner = item.is_slab ? kNone : item.index;
  const std::uint64_t alignment = std::uint64_t{1} << item.alignment_log2;
  std::uint32_t range = map_.place(item.size, alignment, owner, false);
  if (range == kNone && windows) range = place_in_window(item.size, alignment, owner);
  if (range == kNone) return false;
  (item.is_slab ? new_slabs_[item.index].range : range_of_piece_[item.index]) = range;
  return true;
}

bool DefragmentationPlanner::settle_failures() {
  for (std::uint32_t round = 0; !failed_.empty(); ++round) {
    std::uint32_t left = 0;
    for (const std::uint32_t item : failed_) {
      const Item& failed = items_[item];
      if (!failed.is_slab && blocks_[snapshot_.pieces[failed.index].block].role == Role::stays)
        continue;
      if (!place_item(item, !is_partial())) failed_[left++] = item;
    }
    while (failed_.size() > left)
      failed_.pop_back();
    if (is_partial()) return true;
    do {
      const std::uint32_t worst = worst_failure();
      if (worst == kNone) return true;
      drop_block(worst);
    } while (round >= kMostRounds);
  }
  return true;
}

/// The block of which most bytes found no place.
std::uint32_t DefragmentationPlanner::worst_failure() {
  for (const std::uint32_t block : leaving_)
    blocks_[block].failed = 0;
  bool slabs = false;
  for (const std::uint32_t item : failed_) {
    if (items_[item].is_slab) {
      slabs = true;
    } else {
      blocks_[snapshot_.pieces[items_[item].index].block].failed += items_[item].size;
    }
  }
  if (slabs) {
    for (const SlotMove& move : slot_moves_) {
      if (move.to < snapshot_.slabs.size() ||
          new_slabs_[move.to - snapshot_.slabs.size()].range != kNone)
        continue;
      const DefragmentationSlab& slab = snapshot_.slabs[move.from];
      blocks_[slab.block].failed += slab.size / slab.slots;
    }
  }
  std::uint32_t worst = kNone;
  std::uint64_t most = 0;
  for (const std::uint32_t block : leaving_) {
    if (blocks_[block].role == Role::stays || blocks_[block].failed <= most) continue;
    most = blocks_[block].failed;
    worst = block;
  }
  return worst;
}

/// The block stays after all.
void DefragmentationPlanner::drop_block(std::uint32_t index) {
  Block& block = blocks_[index];
  block.role = Role::stays;
  for (std::uint32_t i = block.first_piece; i < block.first_piece + block.pieces; ++i) {
    if (range_of_piece_[i] == kNone) continue;
    map_.remove(range_of_piece_[i], map_[range_of_piece_[i]].is_late());
    range_of_piece_[i] = kNone;
  }
  if (!snapshot_.blocks[index].receives) return;
  add_block(index);
  // There was room for all blocks, and this one was not in the list.
  const bool added = receivers_.push_back(index);
  QUARRY_CHECK(added);
}

}  // namespace quarry::plan
