// SPDX-License-Identifier: MIT
// Slots of slabs that leave: they go to the free slots of the fullest slabs of their kind that
// stay, and what is left over to new slabs.
#include <algorithm>
#include <bit>

#include "base/bits.hpp"
#include "plan/defragmentation_planner.hpp"

namespace quarry::plan {

std::uint64_t DefragmentationPlanner::new_slab_bytes(const Bin& bin) {
  if (bin.leaving <= bin.free) return 0;
  return base::ceil_div(bin.leaving - bin.free, bin.slots) * bin.slab_bytes;
}

/// Lists the slabs that may be filled.
bool DefragmentationPlanner::order_slabs() {
  constexpr std::uint32_t kBinShift = 40;
  constexpr std::uint32_t kFreeShift = 32;
  slab_order_.clear();
  for (const std::uint32_t index : receivers_) {
    const Block& block = blocks_[index];
    for (std::uint32_t i = block.first_slab; i < block.first_slab + block.slabs; ++i) {
      const DefragmentationSlab& slab = snapshot_.slabs[i];
      if (slab.free == 0) continue;
      const auto free = static_cast<std::uint64_t>(std::popcount(slab.free));
      if (!slab_order_.push_back(std::uint64_t{slab.bin} << kBinShift | free << kFreeShift | i))
        return false;
    }
  }
  std::sort(slab_order_.begin(), slab_order_.end());
  for (std::uint32_t i = 0; i < slab_order_.size(); ++i) {
    Bin& bin = bins_[static_cast<std::uint32_t>(slab_order_[i] >> kBinShift)];
    if (bin.end == 0) bin.next = i;
    bin.end = i + 1;
  }
  return true;
}

/// Finds the place for one slot; false without host memory.
bool DefragmentationPlanner::next_slot(std::uint32_t from, SlotMove& move) {
  Bin& bin = bins_[snapshot_.slabs[from].bin];
  if (bin.slots_left == 0) {
    if (bin.next < bin.end) {
      bin.filled = static_cast<std::uint32_t>(slab_order_[bin.next++]);
      bin.slots_left = snapshot_.slabs[bin.filled].free;
    } else {
      bin.filled = static_cast<std::uint32_t>(snapshot_.slabs.size() + new_slabs_.size());
      bin.slots_left = ~std::uint64_t{0} >> (64 - bin.slots);
      if (!new_slabs_.push_back({.source = from})) return false;
    }
  }
  move.from = from;
  move.to = bin.filled;
  move.to_slot = static_cast<std::uint8_t>(base::lowest_bit(bin.slots_left));
  bin.slots_left &= bin.slots_left - 1;
  return true;
}

bool DefragmentationPlanner::move_slots(std::uint32_t index) {
  Block& block = blocks_[index];
  block.first_slot_move = static_cast<std::uint32_t>(slot_moves_.size());
  for (std::uint32_t i = block.first_slab; i < block.first_slab + block.slabs; ++i) {
    for (std::uint64_t left = snapshot_.slabs[i].movable; left != 0; left &= left - 1) {
      SlotMove move;
      move.from_slot = static_cast<std::uint8_t>(base::lowest_bit(left));
      if (!next_slot(i, move) || !slot_moves_.push_back(move)) return false;
    }
  }
  block.slot_moves = static_cast<std::uint32_t>(slot_moves_.size()) - block.first_slot_move;
  return true;
}

}  // namespace quarry::plan
