// SPDX-License-Identifier: MIT
#include <quarry/tlsf.hpp>

#include "base/assert.hpp"
#include "offset/offset_space.hpp"
#include "offset/tlsf_hot_path.hpp"

namespace quarry {

template class OffsetSpace<offset::TlsfState>;

Tlsf::Tlsf(const TlsfDesc& desc) : OffsetSpace(desc.size, desc.max_allocations, desc.host) {}

OffsetResult<OffsetAllocation> Tlsf::allocate(const OffsetRequest& request) {
  const OffsetError error = admit(request);
  if (error != OffsetError::none) return Unexpected(error);
  const offset::TlsfState::Place place = state_->find_at_once(request);
  if (place.node == nullptr) return allocate_further(request);
  if (!state_->prepare_take()) return Unexpected(OffsetError::out_of_host_memory);
  const OffsetAllocation taken = state_->take(place, request, count_one(request.size));
  QUARRY_ASSERT_HEAVY(validate());
  return taken;
}

OffsetResult<OffsetAllocation> Tlsf::allocate_further(const OffsetRequest& request) {
  const offset::TlsfState::Place place = state_->find_further(request);
  if (place.node == nullptr) return Unexpected(OffsetError::out_of_space);
  if (!state_->prepare_take()) return Unexpected(OffsetError::out_of_host_memory);
  const OffsetAllocation taken = state_->take(place, request, count_one(request.size));
  QUARRY_ASSERT_HEAVY(validate());
  return taken;
}

OffsetError Tlsf::grow(std::uint64_t new_size) {
  if (new_size < size_) return OffsetError::invalid_argument;
  if (new_size == size_) return OffsetError::none;
  if (state_ != nullptr && !state_->extend(new_size)) return OffsetError::out_of_host_memory;
  free_bytes_ += new_size - size_;
  size_ = new_size;
  return OffsetError::none;
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

}  // namespace quarry
