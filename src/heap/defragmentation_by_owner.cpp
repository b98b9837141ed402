// SPDX-License-Identifier: MIT
// Moves that the owner carries out: proposed with a destination, which is an allocation as any
// other, and committed by an exchange of places.
#include <algorithm>
#include <utility>

#include "device/error.hpp"
#include "heap/defragmentation_state.hpp"
#include "heap/lookup.hpp"

namespace quarry {

/// An allocation of the owner's where the move is to go.
Result<Allocation> Defragmentation::State::make_destination(const heap::PlannedMove& planned) {
  const auto found = heap::find(core, planned.allocation);
  if (!found) return Unexpected(found.error());
  const heap::PlannedBlock& to = plan.blocks[planned.to];
  if (to.block == nullptr || found->where.block != plan.blocks[planned.from].block ||
      found->where.offset != planned.from_offset || found->where.size != planned.size)
    return device::refuse(Reason::still_in_use);
  const std::uint32_t extras = core.extras.make(nullptr);
  if (extras == 0) return device::refuse(Reason::out_of_host_memory);
  core.extras.own(extras).origin = heap::origin_of(core, planned.allocation, found->record);
  base::InsertError problem = base::InsertError::none;
  const heap::Slot slot = core.records.take_large(problem);
  if (slot.record == nullptr) {
    core.extras.drop(extras);
    return device::refuse(Reason::out_of_host_memory);
  }
  const OffsetRequest request{.size = planned.size,
                              .alignment = std::uint64_t{1} << found->record.alignment_log2(),
                              .user = slot.handle};
  heap::Arena::Placed placed;
  if (to.arena->place_at(*to.block, request, planned.to_offset, planned.before, placed) !=
      OffsetError::none) {
    core.extras.drop(extras);
    core.records.put_large({&slot, 1});
    return device::refuse(Reason::still_in_use);
  }
  auto& record = static_cast<heap::LargeRecord&>(*slot.record);
  record.block.store(to.block, std::memory_order_relaxed);
  record.range = placed.where.handle;
  record.offset.store(placed.where.offset, std::memory_order_relaxed);
  record.size.store(planned.size, std::memory_order_relaxed);
  record.in_default_pool = to.arena->traits().pool == nullptr;
  record.extras.store(extras, std::memory_order_relaxed);
  record.marks.store(heap::Record::pack_marks(Tag{}), std::memory_order_relaxed);
  record.wording.store(static_cast<std::uint16_t>(found->record.load_wording()),
                       std::memory_order_relaxed);
  record.resource = 0;
  record.user_data.store(nullptr, std::memory_order_relaxed);
  if (heap::PoolState* pool = to.arena->traits().pool; pool != nullptr) (void)pool->enter();
  core.count_allocation(to.block->memory.memory_type(), to.arena->traits().pool, Tag{},
                        planned.size, 1);
  heap::RecordTable::publish(slot.handle, record);
  return Allocation{slot.handle};
}

/// Whether a proposal of an earlier step is not settled. Before commit() its destination is where
/// the move goes, afterwards the old place; the owner frees either.
bool Defragmentation::State::awaits_owner(std::uint32_t step) {
  bool waits = false;
  for (std::size_t i = proposals_.size(); step > 0 && i > 0; --i) {
    const Proposal& each = proposals_[i - 1];
    if (!core.records.lookup(each.destination.value)) {
      proposals_.swap_erase(i - 1);
    } else {
      waits = waits || each.step < step;
    }
  }
  return waits;
}

Result<std::span<const ProposedMove>> Defragmentation::State::propose(VkDeviceSize max_bytes,
                                                                      std::uint32_t max_moves) {
  proposed_.clear();
  VkDeviceSize bytes = 0;
  while (cursor < plan.moves.size() && proposed_.size() < max_moves) {
    const heap::PlannedMove& planned = plan.moves[cursor];
    if (bytes > 0 && planned.size > max_bytes - std::min(bytes, max_bytes)) break;
    if (awaits_owner(planned.step)) break;
    if (!has_room_for_one(proposed_) || !has_room_for_one(proposals_))
      return device::refuse(Reason::out_of_host_memory);
    ++cursor;
    const auto destination = make_destination(planned);
    if (!destination) {
      ++figures.given_up;
      continue;
    }
    (void)proposed_.push_back({planned.allocation, *destination, planned.size});
    (void)proposals_.push_back({*destination, planned.step});
    bytes += planned.size;
  }
  return std::as_const(proposed_).span();
}

Status Defragmentation::State::commit(const ProposedMove& move) {
  heap::LargeRecord* first = core.records.find_large(move.allocation.value);
  heap::LargeRecord* second = core.records.find_large(move.destination.value);
  if (first == nullptr || second == nullptr || move.allocation == move.destination)
    return device::refuse(Reason::bad_argument);
  if (!core.records.lookup(move.destination.value) || !core.moves.propose(move.allocation, *first))
    return device::refuse(Reason::stale_handle);
  if (first->size != second->size || first->block.load(std::memory_order_relaxed)->arena !=
                                         second->block.load(std::memory_order_relaxed)->arena) {
    core.moves.withdraw(move.allocation);
    return device::refuse(Reason::bad_argument);
  }
  if (!core.moves.swap_places(move.allocation, move.destination, *second))
    return device::refuse(Reason::still_in_use);
  count_move(move.size);
  return {};
}

}  // namespace quarry
