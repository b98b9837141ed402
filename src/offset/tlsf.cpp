// SPDX-License-Identifier: MIT
#include <utility>

#include <quarry/tlsf.hpp>

#include "base/assert.hpp"
#include "base/host_object.hpp"
#include "offset/request.hpp"
#include "offset/tlsf_state.hpp"

namespace quarry {

using offset::kNoNode;

Tlsf::Tlsf(const TlsfDesc& desc)
    : size_(desc.size),
      free_bytes_(desc.size),
      max_allocations_(desc.max_allocations),
      host_(desc.host) {}

Tlsf::Tlsf(Tlsf&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      free_bytes_(std::exchange(other.free_bytes_, 0)),
      allocation_count_(std::exchange(other.allocation_count_, 0)),
      max_allocations_(other.max_allocations_),
      serial_(other.serial_),
      host_(other.host_) {}

Tlsf& Tlsf::operator=(Tlsf&& other) noexcept {
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

Tlsf::~Tlsf() {
  base::destroy_object(host_, state_);
}

bool Tlsf::ensure_state() {
  if (state_ != nullptr) return true;
  State* state = base::create_object<State>(host_, host_);
  if (state == nullptr) return false;
  if (!state->start(size_)) {
    base::destroy_object(host_, state);
    return false;
  }
  state_ = state;
  return true;
}

OffsetResult<OffsetAllocation> Tlsf::allocate(const OffsetRequest& request) {
  const OffsetError error =
      offset::check_request(request, free_bytes_, allocation_count_, max_allocations_);
  if (error != OffsetError::none) return Unexpected(error);
  if (request.upper) return Unexpected(OffsetError::unsupported);
  if (!ensure_state()) return Unexpected(OffsetError::out_of_host_memory);
  const State::Place place = state_->find(request);
  if (place.node == kNoNode) return Unexpected(OffsetError::out_of_space);
  if (!state_->prepare_take()) return Unexpected(OffsetError::out_of_host_memory);
  serial_ = offset::next_serial(serial_);
  const OffsetHandle handle = state_->take(place, request, serial_);
  free_bytes_ -= request.size;
  ++allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetAllocation{place.offset, handle};
}

OffsetError Tlsf::free(OffsetHandle handle) {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return OffsetError::stale_handle;
  free_bytes_ += state_->give_back(node);
  --allocation_count_;
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetError::none;
}

OffsetResult<OffsetRange> Tlsf::info(OffsetHandle handle) const {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return Unexpected(OffsetError::stale_handle);
  return state_->range(node);
}

OffsetError Tlsf::set_user(OffsetHandle handle, std::uint64_t user) {
  const std::uint32_t node = state_ == nullptr ? kNoNode : state_->find_live(handle);
  if (node == kNoNode) return OffsetError::stale_handle;
  state_->set_user(node, user);
  return OffsetError::none;
}

OffsetError Tlsf::grow(std::uint64_t new_size) {
  if (new_size < size_) return OffsetError::invalid_argument;
  if (new_size == size_) return OffsetError::none;
  if (state_ != nullptr && !state_->extend(size_, new_size)) return OffsetError::out_of_host_memory;
  free_bytes_ += new_size - size_;
  size_ = new_size;
  return OffsetError::none;
}

void Tlsf::clear() {
  base::destroy_object(host_, std::exchange(state_, nullptr));
  free_bytes_ = size_;
  allocation_count_ = 0;
}

std::uint32_t Tlsf::largest_free_class() const {
  if (state_ != nullptr) return state_->largest_free_class();
  return size_ == 0 ? 0 : class_of(size_);
}

OffsetStatistics Tlsf::statistics() const {
  OffsetStatistics statistics{size_, free_bytes_, 0, allocation_count_, 0};
  if (state_ != nullptr) {
    state_->add_free_ranges(statistics);
  } else if (size_ != 0) {
    statistics.largest_free = size_;
    statistics.free_range_count = 1;
  }
  return statistics;
}

void Tlsf::for_each_range(OffsetRangeVisitor visitor, void* context) const {
  if (state_ != nullptr) {
    state_->for_each_range(visitor, context);
  } else if (size_ != 0) {
    visitor(context, {0, size_, {}, 0});
  }
}

std::uint64_t Tlsf::ranges_examined() const {
  return state_ == nullptr ? 0 : state_->ranges_examined();
}

bool Tlsf::validate() const {
  if (state_ != nullptr) return state_->validate(size_, free_bytes_, allocation_count_);
  return free_bytes_ == size_ && allocation_count_ == 0;
}

}  // namespace quarry
