// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include <quarry/linear.hpp>

#include "base/assert.hpp"
#include "base/host_object.hpp"
#include "offset/linear_state.hpp"
#include "offset/request.hpp"

namespace quarry {

using offset::kNoNode;

Linear::Linear(const LinearDesc& desc)
    : size_(desc.size),
      free_bytes_(desc.size),
      max_allocations_(desc.max_allocations),
      host_(desc.host) {}

Linear::Linear(Linear&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      free_bytes_(std::exchange(other.free_bytes_, 0)),
      allocation_count_(std::exchange(other.allocation_count_, 0)),
      max_allocations_(other.max_allocations_),
      serial_(other.serial_),
      host_(other.host_) {}

Linear& Linear::operator=(Linear&& other) noexcept {
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

Linear::~Linear() {
  base::destroy_object(host_, state_);
}

bool Linear::ensure_state() {
  if (state_ == nullptr) state_ = base::create_object<State>(host_, host_);
  return state_ != nullptr;
}

OffsetResult<OffsetAllocation> Linear::allocate(const OffsetRequest& request) {
  const OffsetError error =
      offset::check_request(request, free_bytes_, allocation_count_, max_allocations_);
  if (error != OffsetError::none) return Unexpected(error);
  if (!ensure_state()) return Unexpected(OffsetError::out_of_host_memory);
  State::Place place{};
  std::uint64_t offset = 0;
  if (!state_->find(request, size_, place, offset)) return Unexpected(OffsetError::out_of_space);
  if (!state_->prepare_take()) return Unexpected(OffsetError::out_of_host_memory);
  serial_ = offset::next_serial(serial_);
  const OffsetHandle handle = state_->take(place, offset, request, serial_);
  free_bytes_ -= request.size;
  ++allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetAllocation{offset, handle};
}

OffsetError Linear::free(OffsetHandle handle) {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return OffsetError::stale_handle;
  free_bytes_ += state_->give_back(node);
  --allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetError::none;
}

OffsetResult<OffsetRange> Linear::info(OffsetHandle handle) const {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return Unexpected(OffsetError::stale_handle);
  return state_->range(node);
}

OffsetError Linear::set_user(OffsetHandle handle, std::uint64_t user) {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return OffsetError::stale_handle;
  state_->set_user(node, user);
  return OffsetError::none;
}

OffsetError Linear::grow(std::uint64_t new_size) {
  if (new_size < size_) return OffsetError::invalid_argument;
  if (state_ != nullptr && state_->has_upper()) return OffsetError::unsupported;
  free_bytes_ += new_size - size_;
  size_ = new_size;
  return OffsetError::none;
}

void Linear::clear() {
  base::destroy_object(host_, std::exchange(state_, nullptr));
  free_bytes_ = size_;
  allocation_count_ = 0;
}

std::uint64_t Linear::largest_free() const {
  return state_ == nullptr ? size_ : state_->largest_free(size_);
}

OffsetStatistics Linear::statistics() const {
  OffsetStatistics statistics{size_, free_bytes_, 0, allocation_count_, 0};
  for_each_range(
      [](void* context, const OffsetRange& range) {
        if (range.handle.value != 0) return;
        auto& sums = *static_cast<OffsetStatistics*>(context);
        ++sums.free_range_count;
        sums.largest_free = std::max(sums.largest_free, range.size);
      },
      &statistics);
  return statistics;
}

void Linear::for_each_range(OffsetRangeVisitor visitor, void* context) const {
  if (state_ != nullptr) {
    state_->for_each_range(size_, visitor, context);
  } else if (size_ != 0) {
    visitor(context, {0, size_, {}, 0});
  }
}

bool Linear::validate() const {
  if (state_ != nullptr) return state_->validate(size_, free_bytes_, allocation_count_);
  return free_bytes_ == size_ && allocation_count_ == 0;
}

}  // namespace quarry
