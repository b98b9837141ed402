// SPDX-License-Identifier: MIT
#include "heap/defragmentation_plan.hpp"

#include <algorithm>

#include "heap/lookup.hpp"

namespace quarry::heap {

bool DefragmentationPlan::make(const DefragmentationDesc& desc) {
  by_owner_ = desc.by_owner;
  if (!look(desc)) return false;
  using Kind = plan::DefragmentationGoal::Kind;
  const bool to_budget = desc.goal == DefragmentationDesc::Goal::budget;
  const auto plan =
      planner_.plan({.blocks = views_.span(), .pieces = pieces_.span(), .slabs = {}},
                    {.kind = to_budget ? Kind::budget : Kind::free_blocks, .bytes = desc.bytes},
                    {.max_bytes = desc.max_bytes, .most_live_percent = desc.most_live_percent});
  // What was looked at cannot be inconsistent, only too large to be planned for.
  if (!plan) return plan.error() == plan::DefragmentationError::invalid_snapshot;
  return keep(*plan);
}

bool DefragmentationPlan::takes_part(const ArenaTraits& traits,
                                     const DefragmentationDesc& desc) const {
  const VkMemoryPropertyFlags flags =
      core_.device.facts().memory.memoryTypes[traits.memory_type].propertyFlags;
  if (traits.algorithm != PoolAlgorithm::tlsf || (desc.memory_types >> traits.memory_type & 1) == 0)
    return false;
  if (!desc.host_visible && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) return false;
  return desc.pool ? traits.pool != nullptr && traits.pool->handle == desc.pool : traits.movable;
}

bool DefragmentationPlan::look(const DefragmentationDesc& desc) {
  std::uint32_t group = 0;
  core_.for_each_arena([&](Arena& arena) {
    if (!takes_part(arena.traits(), desc)) return;
    arena.for_each_block([&](Block& block) {
      good_ = good_ && views_.push_back({.size = block.memory.size(), .group = group}) &&
              blocks.push_back({.block = &block,
                                .arena = &arena,
                                .first_piece = static_cast<std::uint32_t>(pieces_.size())});
      if (!good_) return;
      block.held = true;
      block.space->for_each_range(
          [](void* self, const OffsetRange& range) {
            if (range.handle.value != 0) static_cast<DefragmentationPlan*>(self)->add(range);
          },
          this);
    });
    ++group;
  });
  return good_;
}

void DefragmentationPlan::add(const OffsetRange& range) {
  const RecordTable::Lookup found = core_.records.lookup(range.user);
  const bool movable = found && may_move(range.user, *found.record);
  const std::uint32_t alignment = movable ? found.record->alignment_log2() : 0;
  good_ = good_ &&
          pieces_.push_back({.offset = range.offset,
                             .size = range.size,
                             .alignment = std::uint64_t{1} << alignment,
                             .block = static_cast<std::uint32_t>(views_.size() - 1),
                             .movable = movable}) &&
          names_.push_back({range.user, range.handle});
}

bool DefragmentationPlan::may_move(std::uint64_t handle, const Record& record) const {
  // What has no entry there was not made to be moved, and its readers cannot hold a mover off.
  if (record.extras.load(std::memory_order_relaxed) == 0) return false;
  constexpr std::uint32_t kKept = Record::kMostMappings | Record::kMappedForLife | Record::kPinned;
  const MovableVerdict verdict = origin_of(core_, Allocation{handle}, record).movable;
  return (record.load_marks() & kKept) == 0 && !record.is_moving(handle) &&
         verdict == (by_owner_ ? MovableVerdict::not_created_here : MovableVerdict::movable);
}

/// The last range that begins before an offset.
OffsetHandle DefragmentationPlan::range_before(std::uint32_t block, VkDeviceSize offset) const {
  const plan::DefragmentationPiece* first = pieces_.begin() + blocks[block].first_piece;
  const plan::DefragmentationPiece* end =
      block + 1 < blocks.size() ? pieces_.begin() + blocks[block + 1].first_piece : pieces_.end();
  const auto* after = std::partition_point(
      first, end, [&](const plan::DefragmentationPiece& piece) { return piece.offset < offset; });
  return after == first ? OffsetHandle{}
                        : names_[static_cast<std::size_t>(after - pieces_.begin()) - 1].range;
}

bool DefragmentationPlan::keep(const plan::DefragmentationPlan& plan) {
  if (!moves.reserve(plan.moves.size())) return false;
  bytes = plan.forecast.bytes_moved;
  bytes_freed = plan.forecast.bytes_freed;
  for (const plan::DefragmentationMove& move : plan.moves) {
    const plan::DefragmentationPiece& piece = pieces_[move.piece];
    blocks[piece.block].closed = blocks[piece.block].used = blocks[move.block].used = true;
    (void)moves.push_back({.allocation = Allocation{names_[move.piece].handle},
                           .size = piece.size,
                           .from_offset = piece.offset,
                           .to_offset = move.offset,
                           .before = range_before(move.block, move.offset),
                           .from = piece.block,
                           .to = move.block,
                           .step = move.step});
  }
  // Small pieces go out of the way in blocks that others go to.
  for (const PlannedMove& move : moves)
    blocks[move.to].closed = false;
  for (PlannedBlock& block : blocks) {
    if (block.closed) block.arena->hold(*block.block, true, true);
  }
  for (PlannedBlock& block : blocks) {
    if (!block.used) release(block);
  }
  return true;
}

void DefragmentationPlan::release(PlannedBlock& block) {
  if (block.block != nullptr) block.arena->hold(*block.block, false, false);
  block.block = nullptr;
}

}  // namespace quarry::heap
