// SPDX-License-Identifier: MIT
// Buddy: offset allocator of power-of-two ranges at multiples of their size. allocate and free are
// O(log size). After Knowlton: "A Fast Storage Allocator", 1965; Knuth, "The Art of Computer
// Programming" 1, 2.5.
#pragma once

#include <cstdint>

#include <quarry/host_memory.hpp>
#include <quarry/offset.hpp>

namespace quarry {

namespace offset {
class BuddyState;
}

struct BuddyDesc {
  std::uint64_t size = 0;  ///< bytes managed, any number; with 0 nothing fits until grow()
  std::uint32_t max_allocations = 0;         ///< exact; 0: no limit
  HostMemory host = HostMemory::standard();  ///< for the bookkeeping, about 64 bytes an allocation
};

/// Reserves the next power of two for each request; OffsetRange::size and free_bytes() count what
/// is reserved.
///
/// No byte of the space is lost to a size that is no power of two: it is covered by one tree for
/// each bit that is set in the size, largest first. So a request of N, N a power of two, with an
/// alignment up to N, succeeds exactly if N bytes at some multiple of N are free. With an alignment
/// above N a bounded number of free ranges smaller than the alignment is looked at; free ranges at
/// least as large as the alignment are always found. Strategies are ignored: the smallest fitting
/// size is cut.
///
/// OffsetRequest::upper is unsupported. Free ranges, as reported, are the free power-of-two pieces,
/// also where two of them touch; those that grow() adds merge with their free buddies below.
class Buddy : public OffsetSpace<offset::BuddyState> {
 public:
  explicit Buddy(const BuddyDesc& desc);

  /// Bytes of the largest request that would succeed now at alignment 1. O(1).
  std::uint64_t largest_free() const;
};

}  // namespace quarry
