// SPDX-License-Identifier: MIT
// Linear: offset allocator for allocations whose lifetimes are ordered. One algorithm that is a
// bump allocator, a stack, a double stack or a ring, by how it is used. All operations O(1) in the
// worst case; space between two live ranges is only used again when one of them goes.
#pragma once

#include <cstdint>

#include <quarry/host_memory.hpp>
#include <quarry/offset.hpp>

namespace quarry {

namespace offset {
class LinearState;
}

struct LinearDesc {
  std::uint64_t size = 0;                    ///< bytes managed; with 0 nothing fits until grow()
  std::uint32_t max_allocations = 0;         ///< exact; 0: no limit
  HostMemory host = HostMemory::standard();  ///< for the bookkeeping, about 40 bytes an allocation
};

/// Places each request behind the last live range, or when it does not fit there, at the start of
/// the space before the first live range; with OffsetRequest::upper, before the lowest upper range,
/// from the end of the space downwards. Free in
///  - any order: everything is one free range again when all are freed;
///  - reverse order (a stack): the space is available at once;
///  - allocation order (a ring): allocation goes on at the start when the end is reached, as far as
///  the oldest live range;
///  - both ends (a double stack): `upper` and other requests grow towards each other.
/// These mix: a ring may run below an upper stack.
///
/// N contiguous free bytes behind the last live range always satisfy a request of N; so do N bytes
/// before the first one, as long as the ring has not gone round. Strategies are ignored. grow() is
/// unsupported while upper ranges live. Space between live ranges counts as free, though no request
/// gets it.
class Linear : public OffsetSpace<offset::LinearState> {
 public:
  explicit Linear(const LinearDesc& desc);

  /// Bytes of the largest request that would succeed now at alignment 1. O(1).
  std::uint64_t largest_free() const;
};

}  // namespace quarry
