// SPDX-License-Identifier: MIT
// From handles to what they name, with the error that a bad one deserves.
#pragma once

#include <utility>

#include <quarry/result.hpp>

#include "device/error.hpp"
#include "heap/core.hpp"

namespace quarry::heap {

inline Unexpected<Error> bad_handle(base::HandleStatus status) {
  return device::refuse(status == base::HandleStatus::foreign ? Reason::foreign_handle
                                                              : Reason::stale_handle);
}

/// A live allocation, as long as its owner does not free it.
struct Live {
  Record& record;
  Location where;
  Readers::Section section{};  ///< of what might be moved: its block stays while this lives

  memory::DeviceMemory& memory() const { return where.block->memory; }
  /// Null for the default pools.
  PoolState* pool() const {
    return where.block->dedicated() ? where.block->pool_state : where.block->arena->traits().pool;
  }
};

/// Precondition: live, or claimed by the caller.
inline Live locate(Core& core, Allocation allocation, Record& record) {
  return {record, core.records.location(allocation.value, record), {}};
}

/// Resident or not.
inline Result<Live> find_anywhere(Core& core, Allocation allocation) {
  const auto found = core.records.lookup(allocation.value);
  if (!found) return bad_handle(found.status);
  // Only what has an entry there may be moved.
  if (found.record->extras.load(std::memory_order_relaxed) == 0) [[likely]]
    return locate(core, allocation, *found.record);
  Readers::Section section(core.readers);
  Live live = locate(core, allocation, *found.record);
  live.section = std::move(section);
  return live;
}

inline Result<Live> find(Core& core, Allocation allocation) {
  Result<Live> found = find_anywhere(core, allocation);
  if (found && found->record.demoted()) return device::refuse(Reason::not_resident);
  return found;
}

inline Origin origin_of(const Core& core, Allocation allocation, const Record& record) {
  const std::uint32_t number = record.origin();
  if (number != 0) return core.origins[number];
  Origin origin;
  core.extras.look(allocation.value, record, [&](const Extras& extras) { origin = extras.origin; });
  return origin;
}

/// Holds a pool open for the length of a request.
class PoolUse {
 public:
  explicit PoolUse(PoolState* state) : state_(state) {}
  PoolUse(PoolUse&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  PoolUse& operator=(PoolUse&&) = delete;
  ~PoolUse() {
    if (state_ != nullptr) state_->leave();
  }
  PoolState* get() const { return state_; }
  /// The caller takes over the use: an allocation now keeps the pool.
  PoolState* keep() { return std::exchange(state_, nullptr); }

 private:
  PoolState* state_;
};

/// Holds a pool open for a look at it; destroy_pool waits for its end.
class PoolVisit {
 public:
  explicit PoolVisit(PoolState* state) : state_(state) {}
  PoolVisit(PoolVisit&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  PoolVisit& operator=(PoolVisit&&) = delete;
  ~PoolVisit() {
    if (state_ != nullptr) state_->end_visit();
  }
  PoolState* get() const { return state_; }

 private:
  PoolState* state_;
};

/// The lock is held while the handle is looked up, so that displays may ask for pools that others
/// destroy.
inline Result<PoolVisit> visit(Core& core, Pool pool) {
  const base::MutexLock lock(core.pools_mutex);
  const auto found = core.pools.lookup(pool.value);
  if (!found) return bad_handle(found.status);
  PoolState* state = *found.value;
  if (!state->begin_visit()) return device::refuse(Reason::stale_handle);
  return PoolVisit(state);
}

inline Result<PoolUse> enter(Core& core, Pool pool) {
  const auto found = core.pools.lookup(pool.value);
  if (!found) return bad_handle(found.status);
  PoolState* state = *found.value;
  if (!state->enter()) return device::refuse(Reason::stale_handle);
  PoolUse use(state);
  // Closed and opened again for another pool meanwhile?
  if (state->handle != pool) return device::refuse(Reason::stale_handle);
  return use;
}

}  // namespace quarry::heap
