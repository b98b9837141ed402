// SPDX-License-Identifier: MIT
#include "heap/moves.hpp"

#include "heap/arena.hpp"

namespace quarry::heap {

namespace {

void set_live(const Move& move) {
  move.record->state.store(Record::live_state(move.allocation.value));
}

bool is_kept(const Record& record) {
  constexpr std::uint32_t kKept = Record::kMostMappings | Record::kMappedForLife | Record::kPinned;
  return (record.marks.load() & kKept) != 0;
}

/// Precondition: it is the caller's to move.
RecordTable::Place place_of(const LargeRecord& record) {
  return {.block = record.block.load(std::memory_order_relaxed),
          .range = record.range,
          .offset = record.offset.load(std::memory_order_relaxed),
          .resource = record.resource};
}

}  // namespace

std::uint32_t Moves::find(Allocation allocation) const {
  for (std::uint32_t i = 0; i < moves_.size(); ++i) {
    if (moves_[i].allocation == allocation) return i;
  }
  return kNone;
}

bool Moves::propose(Allocation allocation, LargeRecord& record, const void* mover) {
  const base::MutexLock lock(mutex_);
  if (!moves_.push_back({.allocation = allocation, .record = &record, .mover = mover}))
    return false;
  std::uint32_t expected = Record::live_state(allocation.value);
  if (record.state.compare_exchange_strong(expected, expected ^ Record::kMoving)) return true;
  moves_.pop_back();
  return false;
}

void Moves::withdraw(Allocation allocation) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t index = find(allocation);
  if (moves_[index].stage == Move::Stage::proposed) set_live(moves_[index]);
  moves_.swap_erase(index);
}

bool Moves::switch_over(Allocation allocation, const RecordTable::Place& place,
                        std::uint64_t value) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t index = find(allocation);
  Move& move = moves_[index];
  LargeRecord& record = *move.record;
  // Whoever maps or pins it counts first and looks then whether it is moving.
  if (move.stage == Move::Stage::proposed && is_kept(record)) drop(move);
  if (move.stage == Move::Stage::dropped) {
    moves_.swap_erase(index);
    return false;
  }
  move.old = place_of(record);
  move.value = value;
  move.stage = Move::Stage::switched;
  records_.relocate(record, place);
  return true;
}

bool Moves::swap_places(Allocation first, Allocation second, LargeRecord& second_record) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t index = find(first);
  Move& move = moves_[index];
  if (move.stage == Move::Stage::proposed && is_kept(*move.record)) drop(move);
  std::uint32_t expected = Record::live_state(second.value);
  const bool swaps =
      move.stage == Move::Stage::proposed && !is_kept(second_record) &&
      second_record.state.compare_exchange_strong(expected, expected ^ Record::kMoving);
  if (swaps) {
    const RecordTable::Place one = place_of(*move.record);
    const RecordTable::Place other = place_of(second_record);
    // Each keeps its resource: those are the owner's.
    records_.relocate(*move.record, {other.block, other.range, other.offset, one.resource});
    records_.relocate(second_record, {one.block, one.range, one.offset, other.resource});
    one.block->arena->set_user(*one.block, one.range, second.value);
    other.block->arena->set_user(*other.block, other.range, first.value);
    second_record.state.store(Record::live_state(second.value));
  }
  if (move.stage == Move::Stage::proposed) set_live(move);
  moves_.swap_erase(index);
  return swaps;
}

bool Moves::exchange(Allocation allocation, LargeRecord& other, std::uint32_t marks,
                     std::uint64_t value) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t index = find(allocation);
  Move& move = moves_[index];
  LargeRecord& record = *move.record;
  if (move.stage == Move::Stage::proposed && is_kept(record)) drop(move);
  if (move.stage == Move::Stage::dropped) {
    moves_.swap_erase(index);
    return false;
  }
  move.old = place_of(record);
  move.value = value;
  move.stage = Move::Stage::switched;
  records_.exchange_places(record, other);
  if (marks != 0) {
    // The copy in host memory is nobody's resource.
    record.resource = 0;
    record.marks.fetch_or(marks);
  } else {
    record.marks.fetch_and(~Record::kDemoted);
  }
  return true;
}

bool Moves::take_done(std::uint64_t value, Move& done, const void* mover) {
  const base::MutexLock lock(mutex_);
  for (std::uint32_t i = 0; i < moves_.size(); ++i) {
    if (moves_[i].mover != mover) continue;
    if (moves_[i].stage < Move::Stage::switched || moves_[i].value > value) continue;
    done = moves_[i];
    if (done.stage == Move::Stage::switched) set_live(done);
    moves_.swap_erase(i);
    return true;
  }
  return false;
}

void Moves::drop(Move& move) {
  move.stage = Move::Stage::dropped;
  set_live(move);
}

bool Moves::make_way(Allocation allocation) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t index = find(allocation);
  if (index == kNone) return true;
  if (moves_[index].stage == Move::Stage::proposed) drop(moves_[index]);
  return moves_[index].stage == Move::Stage::dropped;
}

Moves::Freed Moves::free(Allocation allocation, std::uint64_t resource) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t index = find(allocation);
  if (index == kNone) return Freed::not_moving;
  Move& move = moves_[index];
  if (move.stage == Move::Stage::proposed) drop(move);
  if (move.stage != Move::Stage::switched) return Freed::not_moving;
  if (resource != 0 && resource != move.record->resource && resource != move.old.resource)
    return Freed::bad_resource;
  move.stage = Move::Stage::freed;
  move.resource_too = resource != 0;
  move.record->state.store(Record::live_state(allocation.value) ^ Record::kClaimed);
  return Freed::with_move;
}

}  // namespace quarry::heap
