// SPDX-License-Identifier: MIT
#include <algorithm>

#include <quarry/linear.hpp>

#include "base/assert.hpp"
#include "offset/linear_state.hpp"
#include "offset/offset_space.hpp"

namespace quarry {

template class OffsetSpace<offset::LinearState>;

Linear::Linear(const LinearDesc& desc) : OffsetSpace(desc.size, desc.max_allocations, desc.host) {}

OffsetResult<OffsetAllocation> Linear::allocate(const OffsetRequest& request) {
  const OffsetError error = admit(request);
  if (error != OffsetError::none) return Unexpected(error);
  offset::LinearState::Place place{};
  std::uint64_t offset = 0;
  if (!state_->find(request, size_, place, offset)) return Unexpected(OffsetError::out_of_space);
  if (!state_->prepare_take()) return Unexpected(OffsetError::out_of_host_memory);
  const OffsetHandle handle = state_->take(place, offset, request, count_one(request.size));
  QUARRY_ASSERT_HEAVY(validate());
  return OffsetAllocation{offset, handle};
}

OffsetError Linear::grow(std::uint64_t new_size) {
  if (new_size < size_) return OffsetError::invalid_argument;
  if (state_ != nullptr && state_->has_upper()) return OffsetError::unsupported;
  free_bytes_ += new_size - size_;
  size_ = new_size;
  return OffsetError::none;
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

}  // namespace quarry
