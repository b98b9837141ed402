// SPDX-License-Identifier: MIT
// Figures: totals that are kept up to date (O(1) to read), a detailed pass, budgets, and counters
// of work done.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry {

/// Totals of a heap, memory type, pool, tag or the whole allocator. Kept up to date by every
/// operation; O(1) to read. Allocation bytes are the bytes reserved for live allocations; block
/// bytes are the VkDeviceMemory around them.
struct Totals {
  std::uint64_t block_count = 0;  ///< VkDeviceMemory objects, dedicated ones included (0 for a tag)
  VkDeviceSize block_bytes = 0;
  std::uint64_t allocation_count = 0;
  VkDeviceSize allocation_bytes = 0;
  VkDeviceSize peak_block_bytes = 0;       ///< since creation or reset_peaks
  VkDeviceSize peak_allocation_bytes = 0;  ///< since creation or reset_peaks
  std::uint64_t dedicated_count = 0;       ///< of block_count
};

/// What only a walk over every range can tell. Linear in the number of ranges.
struct DetailedStatistics {
  Totals totals{};
  std::uint64_t free_range_count = 0;
  VkDeviceSize free_bytes = 0;           ///< in blocks, between allocations
  VkDeviceSize largest_free_range = 0;   ///< bytes
  VkDeviceSize smallest_allocation = 0;  ///< bytes, 0 when there is none
  VkDeviceSize largest_allocation = 0;
  /// 1 - largest free range / free bytes: 0 when all free bytes are one range (or none are free),
  /// towards 1 when shattered.
  double fragmentation = 0.0;
};

/// One heap as its owner should see it.
struct HeapBudget {
  VkDeviceSize size = 0;  ///< VkMemoryHeap::size
  /// Bytes this process may use: the driver's figure made plausible, less the heap limit.
  VkDeviceSize budget = 0;
  VkDeviceSize usage = 0;  ///< bytes this process uses: the driver's at the last tick, corrected by
                           ///< own changes since
  VkDeviceSize own_bytes = 0;  ///< bytes of VkDeviceMemory this allocator holds, exact
  VkDeviceSize limit = 0;      ///< set_heap_limit, or the heap's size
  bool from_driver = false;    ///< VK_EXT_memory_budget gave the figures
  VkMemoryHeapFlags flags = 0;
};

/// Work done since creation. Only ever grows; a display takes differences.
struct Counters {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t driver_allocations = 0;     ///< vkAllocateMemory
  std::uint64_t driver_frees = 0;           ///< vkFreeMemory
  std::uint64_t driver_maps = 0;            ///< vkMapMemory
  std::uint64_t driver_budget_queries = 0;  ///< vkGetPhysicalDeviceMemoryProperties2
  std::uint64_t failed_allocations = 0;     ///< requests answered with an error of shortage
  std::uint64_t uploaded_bytes = 0;         ///< handed out by upload rings
  std::uint64_t moves = 0;        ///< of defragmentation, recorded or committed by the owner
  std::uint64_t moved_bytes = 0;  ///< of those
};

}  // namespace quarry
