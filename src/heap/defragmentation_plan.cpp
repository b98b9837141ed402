// SPDX-License-Identifier: MIT
#include "heap/defragmentation_plan.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "heap/block_source.hpp"
#include "heap/lookup.hpp"
#include "memory/mapped_range.hpp"

namespace quarry::heap {

using Goal = DefragmentationDesc::Goal;

bool DefragmentationPlan::make(const DefragmentationDesc& desc) {
  by_owner_ = desc.by_owner;
  closes_ = desc.goal != Goal::make_room;
  if (desc.goal == Goal::empty_type) {
    into_ = desc.into_type;
    add_room_elsewhere(desc);
  }
  if (!look(desc)) return false;
  const auto plan = desc.goal == Goal::make_room ? plan_room(desc) : make_plan(desc);
  // What was looked at cannot be inconsistent, only too large to be planned for.
  if (!plan) return plan.error() == plan::DefragmentationError::invalid_snapshot;
  return keep(*plan);
}

DefragmentationPlan::Made DefragmentationPlan::make_plan(const DefragmentationDesc& desc) {
  using Kind = plan::DefragmentationGoal::Kind;
  Kind kind = Kind::free_blocks;
  if (desc.goal == Goal::budget) kind = Kind::budget;
  if (desc.goal == Goal::empty_type) kind = Kind::empty;
  return planner_.plan({.blocks = views_.span(), .pieces = pieces_.span(), .slabs = {}},
                       {.kind = kind, .bytes = desc.bytes},
                       {.max_bytes = desc.max_bytes, .most_live_percent = desc.most_live_percent});
}

/// In that of the arenas where it costs least.
DefragmentationPlan::Made DefragmentationPlan::plan_room(const DefragmentationDesc& desc) {
  // Beyond every class of sizes in which the search for a place may overlook it.
  constexpr std::uint32_t kClassesLog2 = 5;
  VkDeviceSize padded = ~VkDeviceSize{0} / 4;
  if (desc.bytes < padded && desc.alignment < padded)
    padded = range_size(desc.bytes) + desc.alignment - 1;
  const std::uint32_t order = base::floor_log2(padded);
  const VkDeviceSize step = order > kClassesLog2 ? VkDeviceSize{1} << (order - kClassesLog2) : 1;
  plan::DefragmentationGoal goal{.kind = plan::DefragmentationGoal::Kind::room,
                                 .bytes = base::align_down(padded, step) + step,
                                 .alignment = desc.alignment};
  const plan::DefragmentationSnapshot snapshot{
      .blocks = views_.span(), .pieces = pieces_.span(), .slabs = {}};
  const plan::DefragmentationBounds bounds{.max_bytes = desc.max_bytes};
  std::uint32_t best = 0;
  VkDeviceSize least = VK_WHOLE_SIZE;
  for (std::uint32_t group = 0; group < groups_; ++group) {
    goal.group = group;
    const auto plan = planner_.plan(snapshot, goal, bounds);
    if (!plan) return Unexpected(plan.error());
    if (!plan->forecast.reached || plan->forecast.bytes_moved >= least) continue;
    least = plan->forecast.bytes_moved;
    best = group;
  }
  goal.group = best;
  return planner_.plan(snapshot, goal, bounds);
}

bool DefragmentationPlan::takes_part(const ArenaTraits& traits,
                                     const DefragmentationDesc& desc) const {
  const VkMemoryPropertyFlags flags =
      core_.device.facts().memory.memoryTypes[traits.memory_type].propertyFlags;
  if (traits.algorithm != PoolAlgorithm::tlsf || (desc.memory_types >> traits.memory_type & 1) == 0)
    return false;
  if (!desc.host_visible && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) return false;
  if (desc.goal == Goal::make_room && !could_hold_room(traits, desc)) return false;
  return desc.pool ? traits.pool != nullptr && traits.pool->handle == desc.pool : traits.movable;
}

/// Whether it is there that the request would look for a place.
bool DefragmentationPlan::could_hold_room(const ArenaTraits& traits,
                                          const DefragmentationDesc& desc) const {
  if (traits.pool != nullptr) return true;
  const std::uint32_t usual = memory::priority_class(AllocationDesc{}.priority);
  return traits.optimal == (core_.granular() && desc.kind == ResourceKind::optimal) &&
         traits.large == (range_size(desc.bytes) >= core_.policy.large_request) &&
         traits.lifetime == desc.lifetime &&
         (!core_.device.facts().features.memory_priority || traits.priority_class == usual);
}

/// Where what an arena holds goes when its memory type is emptied.
Arena* DefragmentationPlan::counterpart(const Arena& arena) const {
  ArenaTraits traits = arena.traits();
  traits.memory_type = into_;
  traits.heap = core_.heap_of(into_);
  return core_.arenas.find_or_make(traits);
}

/// Blocks for what is to leave its memory type, as far as there is memory: what finds no place
/// stays.
void DefragmentationPlan::add_room_elsewhere(const DefragmentationDesc& desc) const {
  core_.for_each_arena([&](Arena& arena) {
    if (!takes_part(arena.traits(), desc)) return;
    Arena* to = counterpart(arena);
    if (to == nullptr) return;
    VkDeviceSize need = arena.block_bytes() - free_bytes(arena);
    // A block has a gap at its end that nothing fits into.
    need += need / 16;
    VkDeviceSize free = free_bytes(*to);
    while (free < need) {
      const auto added = BlockSource(core_).add_block(*to, need - free);
      if (!added) return;
      free += *added;
    }
  });
}

VkDeviceSize DefragmentationPlan::free_bytes(const Arena& arena) {
  VkDeviceSize bytes = 0;
  arena.for_each_block([&](Block& block) {
    block.space->for_each_range(
        [](void* sum, const OffsetRange& range) {
          if (range.handle.value == 0) *static_cast<VkDeviceSize*>(sum) += range.size;
        },
        &bytes);
  });
  return bytes;
}

bool DefragmentationPlan::look(const DefragmentationDesc& desc) {
  const bool leaves = desc.goal == Goal::empty_type;
  core_.for_each_arena([&](Arena& arena) {
    if (!takes_part(arena.traits(), desc)) return;
    Arena* to = leaves ? counterpart(arena) : nullptr;
    std::uint32_t group = groups_;
    // Two memory types may have one counterpart.
    for (std::size_t i = 0; i < blocks.size() && to != nullptr; ++i) {
      if (blocks[i].arena == to) group = views_[i].group;
    }
    look_at(arena, group, !leaves);
    if (to != nullptr && group == groups_) look_at(*to, group, true);
    if (group == groups_) ++groups_;
  });
  return good_;
}

/// `receives`: things may go there; of a type that is to be emptied they only leave.
void DefragmentationPlan::look_at(Arena& arena, std::uint32_t group, bool receives) {
  const bool may_be_emptied = arena.traits().memory_type != into_;
  arena.for_each_block([&](Block& block) {
    good_ = good_ &&
            views_.push_back({.size = block.memory.size(),
                              .group = group,
                              .receives = receives,
                              .may_be_emptied = may_be_emptied}) &&
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
}

void DefragmentationPlan::add(const OffsetRange& range) {
  const RecordTable::Lookup found = core_.records.lookup(range.user);
  const bool movable = found && may_move(range.user, *found.record, range.size);
  VkDeviceSize alignment = movable ? VkDeviceSize{1} << found.record->alignment_log2() : 1;
  if (into_ != VK_MAX_MEMORY_TYPES)
    alignment = memory::placement_alignment(core_.device.facts(), into_, alignment);
  good_ = good_ &&
          pieces_.push_back({.offset = range.offset,
                             .size = range.size,
                             .alignment = alignment,
                             .block = static_cast<std::uint32_t>(views_.size() - 1),
                             .movable = movable}) &&
          names_.push_back({range.user, range.handle});
}

bool DefragmentationPlan::may_move(std::uint64_t handle, const Record& record,
                                   VkDeviceSize size) const {
  // What has no entry there was not made to be moved, and its readers cannot hold a mover off.
  if (record.extras.load(std::memory_order_relaxed) == 0) return false;
  constexpr std::uint32_t kKept =
      Record::kMostMappings | Record::kMappedForLife | Record::kPinned | Record::kDemoted;
  const Origin origin = origin_of(core_, Allocation{handle}, record);
  return (record.load_marks() & kKept) == 0 && !record.is_moving(handle) &&
         origin.movable ==
             (by_owner_ ? MovableVerdict::not_created_here : MovableVerdict::movable) &&
         (into_ == VK_MAX_MEMORY_TYPES || may_go(origin, size));
}

/// Whether what was asked for so may lie in the type that everything goes to.
bool DefragmentationPlan::may_go(const Origin& origin, VkDeviceSize size) const {
  const DeviceFacts& facts = core_.device.facts();
  const VkMemoryPropertyFlags flags = facts.memory.memoryTypes[into_].propertyFlags;
  return (origin.type_bits >> into_ & 1) != 0 && (origin.required_flags & ~flags) == 0 &&
         (origin.forbidden_flags & flags) == 0 &&
         memory::placement_size(facts, into_, size) == size;
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
  reached = plan.forecast.reached;
  for (const plan::DefragmentationMove& move : plan.moves) {
    const plan::DefragmentationPiece& piece = pieces_[move.piece];
    blocks[piece.block].closed = closes_;
    blocks[piece.block].used = blocks[move.block].used = true;
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
