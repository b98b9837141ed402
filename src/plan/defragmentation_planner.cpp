// SPDX-License-Identifier: MIT
#include "plan/defragmentation_planner.hpp"

#include <algorithm>
#include <bit>

#include "base/bits.hpp"

namespace quarry::plan {

namespace {

using Kind = DefragmentationGoal::Kind;

constexpr std::uint32_t kMostGroups = 1u << 16;

bool is_range(std::uint64_t offset, std::uint64_t size, std::uint64_t alignment,
              std::uint64_t space) {
  constexpr std::uint64_t kMostAlignment = std::uint64_t{1} << 46;
  return size > 0 && size <= space && offset <= space - size && base::is_power_of_two(alignment) &&
         alignment <= kMostAlignment;
}

std::uint64_t with_weight(std::uint64_t bytes, std::uint32_t weight) {
  return bytes + bytes / 16 * weight;
}

}  // namespace

DefragmentationPlanner::DefragmentationPlanner(const HostMemory& host)
    : blocks_(host),
      groups_(host),
      bins_(host),
      order_(host),
      leaving_(host),
      receivers_(host),
      range_of_piece_(host),
      slab_order_(host),
      items_(host),
      sorted_(host),
      failed_(host),
      new_slabs_(host),
      slot_moves_(host),
      displaced_(host),
      map_(host),
      moves_(host),
      later_(host),
      made_slabs_(host) {}

Expected<DefragmentationPlan, DefragmentationError> DefragmentationPlanner::plan(
    const DefragmentationSnapshot& snapshot, const DefragmentationGoal& goal,
    const DefragmentationBounds& bounds) {
  snapshot_ = snapshot;
  goal_ = goal;
  bounds_ = bounds;
  if (!start()) return Unexpected(DefragmentationError::out_of_host_memory);
  if (!summarise_pieces() || !summarise_slabs())
    return Unexpected(DefragmentationError::invalid_snapshot);
  finish_summary();
  const bool done = goal.kind == Kind::room ? make_room() : choose() && pack_and_write();
  if (!done || !finish()) return Unexpected(DefragmentationError::out_of_host_memory);
  return DefragmentationPlan{moves_.span(), made_slabs_.span(), forecast_};
}

bool DefragmentationPlanner::start() {
  forecast_ = {};
  partial_ = false;
  bytes_chosen_ = moves_chosen_ = work_ = 0;
  blocks_.clear();
  groups_.clear();
  bins_.clear();
  order_.clear();
  leaving_.clear();
  moves_.clear();
  later_.clear();
  made_slabs_.clear();
  displaced_.clear();
  std::uint32_t groups = 0;
  for (const DefragmentationBlock& block : snapshot_.blocks)
    groups = std::max(groups, std::min(block.group, kMostGroups) + 1);
  std::uint32_t bins = 0;
  for (const DefragmentationSlab& slab : snapshot_.slabs)
    bins = std::max(bins, slab.bin + 1u);
  return blocks_.resize(snapshot_.blocks.size()) && groups_.resize(groups) && bins_.resize(bins) &&
         range_of_piece_.resize(snapshot_.pieces.size());
}

bool DefragmentationPlanner::summarise_pieces() {
  if (blocks_.size() > SpaceMap::kMostBlocks) return false;
  for (const DefragmentationBlock& block : snapshot_.blocks) {
    if (block.size > kMostBytes || block.group >= kMostGroups) return false;
  }
  const std::span<const DefragmentationPiece> pieces = snapshot_.pieces;
  std::uint32_t in = kNone;
  for (std::uint32_t i = 0; i < pieces.size();) {
    const std::uint32_t index = pieces[i].block;
    if (index >= blocks_.size() || (in != kNone && index <= in)) return false;
    in = index;
    const std::uint64_t space = snapshot_.blocks[index].size;
    Block block;
    block.first_piece = i;
    std::uint64_t end = 0;
    for (; i < pieces.size() && pieces[i].block == index; ++i) {
      const DefragmentationPiece& piece = pieces[i];
      if (piece.offset < end || !is_range(piece.offset, piece.size, piece.alignment, space))
        return false;
      end = piece.offset + piece.size;
      block.live += piece.size;
      block.cost += with_weight(piece.size, piece.weight);
      block.largest = std::max(block.largest, piece.size);
      block.movable = block.movable && piece.movable;
    }
    block.pieces = i - block.first_piece;
    block.in_pieces = block.live;
    blocks_[index] = block;
  }
  for (std::uint32_t i = 0; i < blocks_.size(); ++i)
    blocks_[i].free = snapshot_.blocks[i].size - blocks_[i].live;
  return true;
}

bool DefragmentationPlanner::summarise_slabs() {
  const std::span<const DefragmentationSlab> slabs = snapshot_.slabs;
  std::uint32_t in = kNone;
  for (std::uint32_t i = 0; i < slabs.size();) {
    const std::uint32_t index = slabs[i].block;
    if (index >= blocks_.size() || (in != kNone && index <= in)) return false;
    in = index;
    Block& block = blocks_[index];
    block.first_slab = i;
    std::uint32_t piece = block.first_piece;
    std::uint64_t end = 0;
    for (; i < slabs.size() && slabs[i].block == index; ++i) {
      if (slabs[i].offset < end || !summarise_slab(slabs[i], block)) return false;
      end = slabs[i].offset + slabs[i].size;
      for (; piece < block.first_piece + block.pieces && snapshot_.pieces[piece].offset < end;
           ++piece) {
        if (snapshot_.pieces[piece].offset + snapshot_.pieces[piece].size > slabs[i].offset)
          return false;
      }
    }
    block.slabs = i - block.first_slab;
  }
  return true;
}

bool DefragmentationPlanner::summarise_slab(const DefragmentationSlab& slab, Block& block) {
  constexpr std::uint32_t kMostSlots = 64;
  if (slab.slots == 0 || slab.slots > kMostSlots ||
      !is_range(slab.offset, slab.size, slab.alignment, snapshot_.blocks[slab.block].size))
    return false;
  const std::uint64_t all = ~std::uint64_t{0} >> (kMostSlots - slab.slots);
  if ((slab.live & slab.free) != 0 || ((slab.live | slab.free) & ~all) != 0 ||
      (slab.movable & ~slab.live) != 0)
    return false;
  Bin& bin = bins_[slab.bin];
  if (bin.slots != 0 && (bin.slots != slab.slots || bin.slab_bytes != slab.size)) return false;
  bin.slots = slab.slots;
  bin.slab_bytes = slab.size;
  const auto live = static_cast<std::uint32_t>(std::popcount(slab.live));
  block.free -= std::min(slab.size, block.free);
  block.live_slots += live;
  block.live += slab.size / slab.slots * live;
  block.cost += slab.size / slab.slots * live;
  block.movable = block.movable && (slab.live | slab.free) == all && slab.movable == slab.live;
  return true;
}

void DefragmentationPlanner::finish_summary() {
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    const DefragmentationBlock& block = snapshot_.blocks[i];
    if (!block.receives) continue;
    if (goal_.kind == Kind::empty && block.may_be_emptied) continue;
    groups_[block.group].free += blocks_[i].free;
    const auto slabs = snapshot_.slabs.subspan(blocks_[i].first_slab, blocks_[i].slabs);
    for (const DefragmentationSlab& slab : slabs)
      bins_[slab.bin].free += static_cast<std::uint32_t>(std::popcount(slab.free));
  }
}

/// Moves a slab's slots to what leaves, or back.
void DefragmentationPlanner::move_bin(const DefragmentationSlab& slab, bool receives, bool out) {
  Bin& bin = bins_[slab.bin];
  Group& group = groups_[snapshot_.blocks[slab.block].group];
  const auto live = static_cast<std::uint32_t>(std::popcount(slab.live));
  const auto free = receives ? static_cast<std::uint32_t>(std::popcount(slab.free)) : 0u;
  group.need -= new_slab_bytes(bin);
  bin.leaving = out ? bin.leaving + live : bin.leaving - live;
  bin.free = out ? bin.free - free : bin.free + free;
  group.need += new_slab_bytes(bin);
}

/// Counts a block as one that leaves, or no more.
void DefragmentationPlanner::take_out(std::uint32_t index, bool out) {
  const Block& block = blocks_[index];
  const bool receives = snapshot_.blocks[index].receives && goal_.kind != Kind::empty;
  Group& group = groups_[snapshot_.blocks[index].group];
  group.need = out ? group.need + block.in_pieces : group.need - block.in_pieces;
  if (receives) group.free = out ? group.free - block.free : group.free + block.free;
  for (const DefragmentationSlab& slab : snapshot_.slabs.subspan(block.first_slab, block.slabs))
    move_bin(slab, receives, out);
}

/// False when the plan may not cost more.
bool DefragmentationPlanner::choose_block(std::uint32_t index) {
  Block& block = blocks_[index];
  const std::uint64_t bytes = bytes_chosen_ + block.live;
  const std::uint64_t moves = moves_chosen_ + block.pieces + block.live_slots;
  const bool affordable = bytes <= bounds_.max_bytes && moves <= bounds_.max_moves;
  if (goal_.kind != Kind::empty && !affordable) {
    if (bytes_chosen_ > 0 || block.largest > bounds_.max_bytes || bounds_.max_moves == 0)
      return bytes_chosen_ == 0;
  }
  take_out(index, true);
  const Group& group = groups_[snapshot_.blocks[index].group];
  if (goal_.kind != Kind::empty && group.need > group.free && group.need > 0) {
    take_out(index, false);
    return true;
  }
  block.role = Role::leaves;
  if (block.live == 0) return true;
  groups_[snapshot_.blocks[index].group].leaves = true;
  bytes_chosen_ = bytes;
  moves_chosen_ = moves;
  partial_ = !affordable && goal_.kind != Kind::empty;
  return affordable || goal_.kind == Kind::empty;
}

/// The blocks to empty, those first that cost least a byte freed.
bool DefragmentationPlanner::choose() {
  const std::uint32_t most_live = std::min(bounds_.most_live_percent, 100u);
  std::uint64_t held = 0;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    held += snapshot_.blocks[i].size;
    if (!snapshot_.blocks[i].may_be_emptied) continue;
    if (goal_.kind != Kind::empty &&
        (!block.movable || block.live * 100 > snapshot_.blocks[i].size * most_live))
      continue;
    if (!order_.push_back(i)) return false;
  }
  const auto cost = [&](std::uint32_t block) {
    return static_cast<double>(blocks_[block].cost) /
           static_cast<double>(snapshot_.blocks[block].size);
  };
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double cost_a = cost(a);
    const double cost_b = cost(b);
    return cost_a != cost_b ? cost_a < cost_b : a > b;
  });
  for (const std::uint32_t block : order_) {
    if (goal_.kind == Kind::budget && held <= goal_.bytes) break;
    const bool more = choose_block(block);
    if (blocks_[block].role == Role::leaves) {
      held -= snapshot_.blocks[block].size;
      if (blocks_[block].live > 0 && !leaving_.push_back(block)) return false;
    }
    if (!more) break;
  }
  return true;
}

bool DefragmentationPlanner::pack_and_write() {
  if (!moves_.reserve(static_cast<std::size_t>(moves_chosen_))) return false;
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    if (!groups_[group].leaves) continue;
    if (!pack(group)) return false;
    for (const std::uint32_t block : leaving_) {
      if (snapshot_.blocks[block].group == group && blocks_[block].role == Role::leaves &&
          !write_moves(block))
        return false;
    }
    if (!write_displaced()) return false;
  }
  return true;
}

/// A move of that step, to be filled in where it is; null without host memory.
DefragmentationMove* DefragmentationPlanner::add_move(bool late) {
  base::HostArray<DefragmentationMove>& list = late ? later_ : moves_;
  if (!list.resize(list.size() + 1)) return nullptr;
  list.back().step = late ? 1 : 0;
  return &list.back();
}

bool DefragmentationPlanner::write_piece(std::uint32_t piece, std::uint32_t range) {
  const SpaceMap::Range& there = map_[range];
  DefragmentationMove* move = add_move(there.is_late());
  if (move == nullptr) return false;
  move->size = there.size;
  move->offset = there.offset;
  move->piece = piece;
  move->block = static_cast<std::uint32_t>(there.block);
  return true;
}

bool DefragmentationPlanner::write_moves(std::uint32_t index) {
  const Block& block = blocks_[index];
  constexpr std::uint32_t kAhead = 8;
  const std::uint32_t end = block.first_piece + block.pieces;
  for (std::uint32_t i = block.first_piece; i < end; ++i) {
    if (i + kAhead < end) map_.prefetch(range_of_piece_[i + kAhead]);
    if (range_of_piece_[i] != kNone && !write_piece(i, range_of_piece_[i])) return false;
  }
  for (std::uint32_t i = 0; i < block.slot_moves; ++i) {
    if (!write_slot(slot_moves_[block.first_slot_move + i])) return false;
  }
  return true;
}

bool DefragmentationPlanner::write_slot(const SlotMove& slot) {
  const auto old = static_cast<std::uint32_t>(snapshot_.slabs.size());
  const DefragmentationSlab& from = snapshot_.slabs[slot.from];
  std::uint32_t to = slot.to;
  std::uint32_t block = kNone;
  bool late = false;
  if (to < old) {
    block = snapshot_.slabs[to].block;
  } else {
    NewSlab& made = new_slabs_[to - old];
    if (made.range == kNone) return true;
    const SpaceMap::Range& there = map_[made.range];
    block = static_cast<std::uint32_t>(there.block);
    late = there.is_late();
    if (made.number == kNone) {
      made.number = static_cast<std::uint32_t>(made_slabs_.size());
      if (!made_slabs_.push_back({.offset = there.offset,
                                  .size = there.size,
                                  .block = block,
                                  .bin = from.bin,
                                  .step = static_cast<std::uint8_t>(late ? 1 : 0)}))
        return false;
    }
    to = old + made.number;
  }
  DefragmentationMove* move = add_move(late);
  if (move == nullptr) return false;
  move->size = from.size / from.slots;
  move->from_slab = slot.from;
  move->block = block;
  move->to_slab = to;
  move->from_slot = slot.from_slot;
  move->to_slot = slot.to_slot;
  return true;
}

bool DefragmentationPlanner::write_displaced() {
  for (const Displaced& displaced : displaced_) {
    if (!write_piece(displaced.piece, displaced.range)) return false;
  }
  displaced_.clear();
  return true;
}

bool DefragmentationPlanner::finish() {
  if (!moves_.reserve(moves_.size() + later_.size())) return false;
  for (const DefragmentationMove& move : later_)
    (void)moves_.push_back(move);
  keep_within_bounds();
  forecast();
  // Without a block to show for it, and not on the way to one, nothing is worth moving.
  if (!is_partial() && goal_.kind != Kind::room && forecast_.blocks_freed == 0) {
    moves_.clear();
    forecast_.bytes_moved = 0;
  }
  keep_used_slabs();
  return true;
}

void DefragmentationPlanner::keep_within_bounds() {
  if (moves_.size() <= bounds_.max_moves && bounds_.max_bytes >= bytes_chosen_) return;
  std::uint64_t bytes = 0;
  std::uint32_t count = 0;
  for (const DefragmentationMove& move : moves_) {
    bytes += move.size;
    if (bytes > bounds_.max_bytes || count == bounds_.max_moves) break;
    ++count;
  }
  while (moves_.size() > count)
    moves_.pop_back();
}

void DefragmentationPlanner::keep_used_slabs() {
  if (made_slabs_.empty()) return;
  const std::size_t old = snapshot_.slabs.size();
  for (DefragmentationNewSlab& slab : made_slabs_)
    slab.size = slab.size << 1;
  for (const DefragmentationMove& move : moves_) {
    if (move.to_slab != kNone && move.to_slab >= old) made_slabs_[move.to_slab - old].size |= 1;
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < made_slabs_.size(); ++i) {
    const bool used = (made_slabs_[i].size & 1) != 0;
    made_slabs_[i].size >>= 1;
    if (!used) continue;
    if (kept != i) {
      for (DefragmentationMove& move : moves_) {
        if (move.to_slab == old + i) move.to_slab = static_cast<std::uint32_t>(old) + kept;
      }
      made_slabs_[kept] = made_slabs_[i];
    }
    ++kept;
  }
  while (made_slabs_.size() > kept)
    made_slabs_.pop_back();
}

void DefragmentationPlanner::forecast() {
  // Most moves come block by block, so that the pieces need not be looked at again.
  Block none;
  Block* from = &none;
  for (const DefragmentationMove& move : moves_) {
    forecast_.bytes_moved += move.size;
    const bool slot = move.piece == kNone;
    if (slot || move.piece - from->first_piece >= from->pieces)
      from = &blocks_[slot ? snapshot_.slabs[move.from_slab].block
                           : snapshot_.pieces[move.piece].block];
    ++from->moves;
  }
  if (goal_.kind == Kind::room) return;
  std::uint64_t held = 0;
  bool all = true;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const bool freed = block.moves > 0 && block.moves == block.pieces + block.live_slots &&
                       block.role == Role::leaves;
    held += snapshot_.blocks[i].size;
    if (freed) {
      ++forecast_.blocks_freed;
      forecast_.bytes_freed += snapshot_.blocks[i].size;
    } else if (snapshot_.blocks[i].may_be_emptied && block.live > 0) {
      all = false;
    }
  }
  switch (goal_.kind) {
    case Kind::budget:
      forecast_.reached = held - forecast_.bytes_freed <= goal_.bytes;
      break;
    case Kind::empty:
      forecast_.reached = all;
      break;
    case Kind::free_blocks:
    case Kind::room:
      forecast_.reached = forecast_.blocks_freed > 0;
      break;
  }
}

}  // namespace quarry::plan
