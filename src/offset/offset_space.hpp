// SPDX-License-Identifier: MIT
// The definitions of OffsetSpace, instantiated beside each State. A State
//  - start(size) makes itself from nothing, extend(old_size, new_size) adds free space;
//  - find(request, size) looks for a Place, find_further where find has not looked;
//  - prepare_take makes the host memory that take needs, so that take cannot fail;
//  - give_back frees a node; find_live, range, set_user concern one live node.
#pragma once

#include <utility>

#include <quarry/offset.hpp>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "offset/node_pool.hpp"
#include "offset/one_range.hpp"

namespace quarry {

template <class State>
OffsetSpace<State>::OffsetSpace(std::uint64_t size, std::uint32_t max_allocations,
                                const HostMemory& host)
    : size_(size),
      free_bytes_(size),
      max_allocations_(max_allocations == 0 ? offset::kNoNode : max_allocations),
      host_(host) {}

template <class State>
OffsetSpace<State>::OffsetSpace(OffsetSpace&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      free_bytes_(std::exchange(other.free_bytes_, 0)),
      allocation_count_(std::exchange(other.allocation_count_, 0)),
      max_allocations_(other.max_allocations_),
      serial_(other.serial_),
      host_(other.host_) {}

template <class State>
OffsetSpace<State>& OffsetSpace<State>::operator=(OffsetSpace&& other) noexcept {
  if (this == &other) return *this;
  base::destroy_object(host_, state_);
  state_ = std::exchange(other.state_, nullptr);
  size_ = std::exchange(other.size_, 0);
  free_bytes_ = std::exchange(other.free_bytes_, 0);
  allocation_count_ = std::exchange(other.allocation_count_, 0);
  max_allocations_ = other.max_allocations_;
  serial_ = other.serial_;
  host_ = other.host_;
  return *this;
}

template <class State>
OffsetSpace<State>::~OffsetSpace() {
  base::destroy_object(host_, state_);
}

template <class State>
bool OffsetSpace<State>::make_state() {
  State* state = base::create_object<State>(host_, host_);
  if (state == nullptr) return false;
  if (!state->start(size_)) {
    base::destroy_object(host_, state);
    return false;
  }
  state_ = state;
  return true;
}

template <class State>
inline OffsetError OffsetSpace<State>::admit(const OffsetRequest& request) {
  // A size of 0 is not below what is free either.
  if (request.size - 1 < free_bytes_ && base::is_power_of_two(request.alignment) &&
      allocation_count_ < max_allocations_ && (State::kHasUpper || !request.upper) &&
      state_ != nullptr) {
    return OffsetError::none;
  }
  // Copies, here and below: no address of the request itself gets out of what is inlined.
  return admit_after_all(OffsetRequest(request));
}

// Tells why not, or makes the state that is missing.
template <class State>
OffsetError OffsetSpace<State>::admit_after_all(const OffsetRequest& request) {
  if (request.size == 0 || !base::is_power_of_two(request.alignment)) {
    return OffsetError::invalid_argument;
  }
  if (allocation_count_ >= max_allocations_) return OffsetError::too_many_allocations;
  if (request.size > free_bytes_) return OffsetError::out_of_space;
  if (request.upper && !State::kHasUpper) return OffsetError::unsupported;
  return make_state() ? OffsetError::none : OffsetError::out_of_host_memory;
}

template <class State>
inline OffsetResult<OffsetAllocation> OffsetSpace<State>::place(const OffsetRequest& request) {
  const OffsetError error = admit(request);
  if (error != OffsetError::none) return Unexpected(error);
  typename State::Place place = state_->find(request, size_);
  if (!place) {
    place = state_->find_further(OffsetRequest(request));
    if (!place) return Unexpected(OffsetError::out_of_space);
  }
  return take(place, request);
}

template <class State>
template <class Place>
inline OffsetResult<OffsetAllocation> OffsetSpace<State>::take(const Place& place,
                                                               const OffsetRequest& request) {
  if (!state_->prepare_take(place, request)) return Unexpected(OffsetError::out_of_host_memory);
  free_bytes_ -= State::bytes_for(request);
  ++allocation_count_;
  const std::uint32_t serial = serial_ + 1;
  serial_ = serial + (serial == 0 ? 1 : 0);  // never 0
  const OffsetAllocation allocation = state_->take(place, request, serial_);
  QUARRY_ASSERT_HEAVY(validate());
  return allocation;
}

template <class State>
template <class S>
OffsetResult<OffsetAllocation> OffsetSpace<State>::place_at(const OffsetRequest& request,
                                                            std::uint64_t offset,
                                                            OffsetHandle before) {
  const OffsetError error = admit(request);
  if (error != OffsetError::none) return Unexpected(error);
  if (!base::is_aligned(offset, request.alignment))
    return Unexpected(OffsetError::invalid_argument);
  const typename S::Place place = state_->find_at(offset, request.size, before);
  if (!place) return Unexpected(OffsetError::out_of_space);
  return take(place, request);
}

template <class State>
OffsetResult<OffsetAllocation> OffsetSpace<State>::allocate(const OffsetRequest& request) {
  return place(request);
}

template <class State>
inline std::uint32_t OffsetSpace<State>::find_live(OffsetHandle handle) const {
  return state_ == nullptr ? offset::kNoNode : state_->find_live(handle);
}

template <class State>
inline OffsetError OffsetSpace<State>::remove(OffsetHandle handle) {
  const std::uint32_t node = find_live(handle);
  if (node == offset::kNoNode) return OffsetError::stale_handle;
  free_bytes_ += state_->give_back(node);
  --allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetError::none;
}

template <class State>
OffsetError OffsetSpace<State>::free(OffsetHandle handle) {
  return remove(handle);
}

template <class State>
OffsetResult<OffsetRange> OffsetSpace<State>::info(OffsetHandle handle) const {
  const std::uint32_t node = find_live(handle);
  if (node == offset::kNoNode) return Unexpected(OffsetError::stale_handle);
  return state_->range(node);
}

template <class State>
OffsetError OffsetSpace<State>::set_user(OffsetHandle handle, std::uint64_t user) {
  const std::uint32_t node = find_live(handle);
  if (node == offset::kNoNode) return OffsetError::stale_handle;
  state_->set_user(node, user);
  return OffsetError::none;
}

template <class State>
OffsetError OffsetSpace<State>::grow(std::uint64_t new_size) {
  if (new_size < size_) return OffsetError::invalid_argument;
  if (state_ != nullptr) {
    const OffsetError error = state_->extend(size_, new_size);
    if (error != OffsetError::none) return error;
  }
  free_bytes_ += new_size - size_;
  size_ = new_size;
  return OffsetError::none;
}

template <class State>
void OffsetSpace<State>::clear() {
  base::destroy_object(host_, std::exchange(state_, nullptr));
  free_bytes_ = size_;
  allocation_count_ = 0;
}

template <class State>
OffsetStatistics OffsetSpace<State>::statistics() const {
  OffsetStatistics statistics{size_, free_bytes_, 0, allocation_count_, 0};
  if (state_ != nullptr) {
    state_->add_free_ranges(statistics, size_);
  } else {
    State::for_each_unused_range(size_, offset::add_free_range, &statistics);
  }
  return statistics;
}

template <class State>
void OffsetSpace<State>::for_each_range(OffsetRangeVisitor visitor, void* context) const {
  if (state_ != nullptr) {
    state_->for_each_range(size_, visitor, context);
  } else {
    State::for_each_unused_range(size_, visitor, context);
  }
}

template <class State>
bool OffsetSpace<State>::validate() const {
  if (state_ != nullptr) return state_->validate(size_, free_bytes_, allocation_count_);
  return free_bytes_ == size_ && allocation_count_ == 0;
}

}  // namespace quarry
