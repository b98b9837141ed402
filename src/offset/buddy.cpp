// SPDX-License-Identifier: MIT
#include <quarry/buddy.hpp>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "offset/buddy_state.hpp"
#include "offset/offset_space.hpp"

namespace quarry {

template class OffsetSpace<offset::BuddyState>;

Buddy::Buddy(const BuddyDesc& desc) : OffsetSpace(desc.size, desc.max_allocations, desc.host) {}

OffsetResult<OffsetAllocation> Buddy::allocate(const OffsetRequest& request) {
  const OffsetError error = admit(request);
  if (error != OffsetError::none) return Unexpected(error);
  const std::uint32_t node = state_->find(request);
  if (node == offset::kNoNode) return Unexpected(OffsetError::out_of_space);
  if (!state_->prepare_take(node, request.size)) return Unexpected(OffsetError::out_of_host_memory);
  const OffsetHandle handle = state_->take(node, request, count_one(std::bit_ceil(request.size)));
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetAllocation{state_->range(state_->find_live(handle)).offset, handle};
}

OffsetError Buddy::grow(std::uint64_t new_size) {
  if (new_size < size_) return OffsetError::invalid_argument;
  if (state_ != nullptr && !state_->extend(size_, new_size)) return OffsetError::out_of_host_memory;
  free_bytes_ += new_size - size_;
  size_ = new_size;
  return OffsetError::none;
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

}  // namespace quarry
