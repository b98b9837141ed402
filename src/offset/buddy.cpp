// SPDX-License-Identifier: MIT
#include <quarry/buddy.hpp>

#include "base/bits.hpp"
#include "offset/buddy_state.hpp"
#include "offset/offset_space.hpp"

namespace quarry {

template class OffsetSpace<offset::BuddyState>;

Buddy::Buddy(const BuddyDesc& desc) : OffsetSpace(desc.size, desc.max_allocations, desc.host) {}

std::uint64_t Buddy::largest_free() const {
  return state() == nullptr ? base::floor_power_of_two(size()) : state()->largest_free();
}

}  // namespace quarry
