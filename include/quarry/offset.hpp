// SPDX-License-Identifier: MIT
// Words shared by the offset algorithms (tlsf.hpp, linear.hpp, buddy.hpp): integers in, offsets
// out, no Vulkan.
#pragma once

#include <cstdint>

#include <quarry/expected.hpp>

namespace quarry {

/// Why an offset algorithm refused. Nothing changed when it did.
enum class OffsetError : std::uint8_t {
  none,
  invalid_argument,  ///< size 0, an alignment that is no power of two, or growing downwards
  out_of_space,      ///< no free range satisfies size and alignment (within the algorithm's search
                     ///< bound)
  too_many_allocations,  ///< the exact count limit is reached
  out_of_host_memory,    ///< metadata could not be allocated
  stale_handle,          ///< the handle was freed already, or names nothing that lives here
  unsupported,  ///< this algorithm cannot do that (for instance the upper end of a buddy allocator)
};

const char* to_string(OffsetError error);

/// Names one live range of one object. Never zero; carries the serial number of its allocation (32
/// bits), so that a stale one is found out until that object has made 2^32 more. Handles of
/// different objects are not told apart.
struct OffsetHandle {
  std::uint64_t value = 0;
  friend bool operator==(const OffsetHandle&, const OffsetHandle&) = default;
};

/// Where in the free space a request would like to go.
enum class OffsetStrategy : std::uint8_t {
  balanced,    ///< the algorithm's own compromise
  min_time,    ///< first range found
  min_memory,  ///< tightest range within the search bound
  min_offset,  ///< lowest address; time linear in the number of free ranges, for defragmentation
               ///< and tests
};

struct OffsetRequest {
  std::uint64_t size = 0;       ///< bytes, > 0
  std::uint64_t alignment = 1;  ///< bytes, a power of two
  std::uint64_t user = 0;       ///< returned by for_each_range and info
  OffsetStrategy strategy = OffsetStrategy::balanced;
  bool upper = false;  ///< from the upper end (double stack); others answer unsupported
};

struct OffsetAllocation {
  std::uint64_t offset = 0;
  OffsetHandle handle{};
};

/// One range of the managed space, free or used; ranges are reported in ascending offset and cover
/// it without gaps.
struct OffsetRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  OffsetHandle handle{};   ///< zero for a free range
  std::uint64_t user = 0;  ///< as given in the request
};

struct OffsetStatistics {
  std::uint64_t size = 0;  ///< bytes managed
  std::uint64_t free_bytes = 0;
  std::uint64_t largest_free = 0;  ///< bytes of the largest contiguous free range
  std::uint64_t allocation_count = 0;
  std::uint64_t free_range_count = 0;
};

/// Called once a range with the pointer given beside it. A plain function pointer keeps this header
/// light.
using OffsetRangeVisitor = void (*)(void* context, const OffsetRange& range);

template <class T>
using OffsetResult = Expected<T, OffsetError>;

}  // namespace quarry
