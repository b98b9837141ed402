// SPDX-License-Identifier: MIT
#include <utility>

#include <quarry/buddy.hpp>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "offset/buddy_state.hpp"
#include "offset/request.hpp"

namespace quarry {

using offset::kNoNode;

Buddy::Buddy(const BuddyDesc& desc)
    : size_(desc.size),
      free_bytes_(desc.size),
      max_allocations_(desc.max_allocations),
      host_(desc.host) {}

Buddy::Buddy(Buddy&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      free_bytes_(std::exchange(other.free_bytes_, 0)),
      allocation_count_(std::exchange(other.allocation_count_, 0)),
      max_allocations_(other.max_allocations_),
      serial_(other.serial_),
      host_(other.host_) {}

Buddy& Buddy::operator=(Buddy&& other) noexcept {
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

Buddy::~Buddy() {
  base::destroy_object(host_, state_);
}

bool Buddy::ensure_state() {
  if (state_ != nullptr) return true;
  State* state = base::create_object<State>(host_, host_);
  if (state == nullptr) return false;
  if (!state->extend(0, size_)) {
    base::destroy_object(host_, state);
    return false;
  }
  state_ = state;
  return true;
}

OffsetResult<OffsetAllocation> Buddy::allocate(const OffsetRequest& request) {
  const OffsetError error =
      offset::check_request(request, free_bytes_, allocation_count_, max_allocations_);
  if (error != OffsetError::none) return Unexpected(error);
  if (request.upper) return Unexpected(OffsetError::unsupported);
  if (!ensure_state()) return Unexpected(OffsetError::out_of_host_memory);
  const std::uint32_t node = state_->find(request);
  if (node == kNoNode) return Unexpected(OffsetError::out_of_space);
  if (!state_->prepare_take(node, request.size)) return Unexpected(OffsetError::out_of_host_memory);
  serial_ = offset::next_serial(serial_);
  const OffsetHandle handle = state_->take(node, request, serial_);
  free_bytes_ -= std::bit_ceil(request.size);
  ++allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetAllocation{state_->range(state_->find_live(handle)).offset, handle};
}

OffsetError Buddy::free(OffsetHandle handle) {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return OffsetError::stale_handle;
  free_bytes_ += state_->give_back(node);
  --allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetError::none;
}

OffsetResult<OffsetRange> Buddy::info(OffsetHandle handle) const {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return Unexpected(OffsetError::stale_handle);
  return state_->range(node);
}

OffsetError Buddy::set_user(OffsetHandle handle, std::uint64_t user) {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return OffsetError::stale_handle;
  state_->set_user(node, user);
  return OffsetError::none;
}

OffsetError Buddy::grow(std::uint64_t new_size) {
  if (new_size < size_) return OffsetError::invalid_argument;
  if (state_ != nullptr && !state_->extend(size_, new_size)) return OffsetError::out_of_host_memory;
  free_bytes_ += new_size - size_;
  size_ = new_size;
  return OffsetError::none;
}

void Buddy::clear() {
  base::destroy_object(host_, std::exchange(state_, nullptr));
  free_bytes_ = size_;
  allocation_count_ = 0;
}

std::uint64_t Buddy::largest_free() const {
  if (state_ != nullptr) return state_->largest_free();
  return size_ == 0 ? 0 : base::floor_power_of_two(size_);
}

OffsetStatistics Buddy::statistics() const {
  OffsetStatistics statistics{size_, free_bytes_, 0, allocation_count_, 0};
  if (state_ != nullptr) {
    state_->add_free_ranges(statistics);
  } else if (size_ != 0) {
    statistics.largest_free = std::bit_floor(size_);
    statistics.free_range_count = static_cast<std::uint64_t>(std::popcount(size_));
  }
  return statistics;
}

void Buddy::for_each_range(OffsetRangeVisitor visitor, void* context) const {
  if (state_ != nullptr) {
    state_->for_each_range(visitor, context);
    return;
  }
  std::uint64_t offset = 0;
  for (std::uint64_t rest = size_; rest != 0; rest -= std::bit_floor(rest)) {
    visitor(context, {offset, std::bit_floor(rest), {}, 0});
    offset += std::bit_floor(rest);
  }
}

bool Buddy::validate() const {
  if (state_ != nullptr) return state_->validate(size_, free_bytes_, allocation_count_);
  return free_bytes_ == size_ && allocation_count_ == 0;
}

}  // namespace quarry
