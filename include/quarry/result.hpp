// SPDX-License-Identifier: MIT
// Errors of the Vulkan side of the library: the VkResult, and what the library itself knows beyond
// it.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/expected.hpp>

namespace quarry {

/// The reason behind an error, finer than VkResult.
enum class Reason : std::uint8_t {
  none,
  driver,                ///< the driver returned `Error::code`
  size_zero,             ///< a size or extent of 0
  bad_alignment,         ///< an alignment that is not a power of two
  bad_argument,          ///< another argument is out of its documented range
  stale_handle,          ///< freed already, or never valid
  foreign_handle,        ///< belongs to another allocator
  no_memory_type,        ///< no memory type satisfies the request; not a shortage
  larger_than_heap,      ///< larger than every heap allowed, or than maxMemoryAllocationSize
  over_budget,           ///< the request had to stay within the budget and no allowed heap has room
  over_limit,            ///< a heap limit or a pool's byte or block limit
  over_quota,            ///< the hard quota of the tag, or of one above it: Error::tag
  out_of_device_memory,  ///< the driver has no more, every rung of the ladder was tried
  out_of_host_memory,    ///< metadata could not be allocated, or the driver reported it
  too_many_allocations,  ///< maxMemoryAllocationCount is reached
  not_host_visible,      ///< mapping or copying needs HOST_VISIBLE memory
  not_mapped,            ///< unmap without map
  out_of_range,          ///< an offset or size outside the allocation
  feature_not_enabled,   ///< needs an extension, feature or API version that was not declared
  function_missing,      ///< a needed member of VulkanFunctions is null
  still_in_use,          ///< a pool with live allocations, a ring with frames in flight, memory in
                         ///< which an earlier use may still run
  being_moved,   ///< its contents are on their way to another place: again when they are there
  not_resident,  ///< evicted to host memory: again when it was streamed back
  unsupported,   ///< not offered, for instance sparse resources
};

const char* to_string(Reason reason);

/// Rungs of the out-of-memory ladder, in the order in which they are tried. Bits of Error::tried.
enum class LadderRung : std::uint32_t {
  pending_frees = 1u << 6,          ///< what free_after() kept was looked at, and some of it freed
  thread_caches = 1u << 0,          ///< free slots that threads kept were given back
  empty_blocks_of_arena = 1u << 1,  ///< empty blocks of this memory type and class were released
  empty_blocks_of_heap = 1u << 2,   ///< empty blocks elsewhere on the heap, oldest first
  owner_callback = 1u << 3,         ///< AllocatorDesc::on_shortage ran
  /// A block just large enough instead of the next in the growth sequence.
  smaller_block = 1u << 4,
  next_memory_type = 1u << 5,  ///< another memory type of the request's order
};

inline constexpr std::uint32_t kEveryRung = (1u << 7) - 1;

struct Error {
  VkResult code = VK_ERROR_UNKNOWN;  ///< what a Vulkan program would expect here; never VK_SUCCESS
  Reason reason = Reason::none;
  std::uint32_t tried = 0;               ///< LadderRung bits, for shortages
  std::uint32_t memory_types_tried = 0;  ///< bit i: memory type i was tried
  VkDeviceSize requested_bytes = 0;      ///< of the request that failed; 0 where it has no size
  /// Where memory waits for the GPU (free_after): a retry makes sense when this semaphore reaches
  /// this value. Null: nothing waits.
  VkSemaphore retry_semaphore = VK_NULL_HANDLE;
  std::uint64_t retry_value = 0;
  std::uint32_t tag = 0;  ///< Tag::index of the one whose hard quota refused, with over_quota
};

template <class T>
using Result = Expected<T, Error>;
using Status = Expected<void, Error>;

}  // namespace quarry
