// SPDX-License-Identifier: MIT
#include <quarry/linear.hpp>

#include "offset/linear_state.hpp"
#include "offset/offset_space.hpp"

namespace quarry {

template class OffsetSpace<offset::LinearState>;

Linear::Linear(const LinearDesc& desc) : OffsetSpace(desc.size, desc.max_allocations, desc.host) {}

std::uint64_t Linear::largest_free() const {
  return state() == nullptr ? size() : state()->largest_free(size());
}

}  // namespace quarry
