// SPDX-License-Identifier: MIT
// Frees that take effect when the GPU is done, and requests that may follow earlier uses of their
// memory before that. The functions are members of Allocator; docs/ordered_free.md tells the rules.
#pragma once

#include <array>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>

namespace quarry {

/// No queue in particular.
inline constexpr std::uint32_t kNoQueue = ~0u;

/// A use is over when the timeline semaphore `semaphore` reaches `value`. The semaphore must stay
/// until a collect() (or tick()) that began after the value was reached has returned.
struct GpuPoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;  ///< not the largest of its type, which lost devices report
  /// The owner's number for the queue that works there, so that later work on the same queue can
  /// follow without waiting for the value.
  std::uint32_t queue = kNoQueue;
  /// The stages of the use, for the barrier that such work has to record.
  VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
};

/// Where the work goes that a request is for, and in which ways it may follow earlier uses of its
/// memory that are not over.
struct GpuUse {
  std::uint32_t queue = kNoQueue;
  /// On the same queue, behind a barrier.
  bool same_queue = true;
  /// After a look whether the earlier use is over by now.
  bool opportunistic = true;
  /// By waiting for the earlier use's semaphore, if blocks have no room otherwise.
  bool wait = false;
};

inline constexpr std::uint32_t kMostWaits = 3;

/// What has to be seen to before the first use of memory that earlier uses may still run in. All
/// empty where there is nothing.
struct ReuseOrder {
  /// The memory was freed with free_after() or destroy_after() and taken over.
  bool taken_over = false;
  /// Not 0: before the first use a memory barrier has to be recorded, from these stages to those of
  /// the use, with MEMORY_WRITE made available to what it reads and writes. It must be submitted to
  /// the queue after the work that GpuPoint was said of.
  VkPipelineStageFlags barrier_stages = 0;
  /// The first submission must wait for these.
  std::uint32_t wait_count = 0;
  std::array<GpuPoint, kMostWaits> waits{};
};

struct OrderedAllocation {
  Allocation allocation{};
  ReuseOrder order{};
};
struct OrderedBuffer {
  Buffer buffer{};
  ReuseOrder order{};
};
struct OrderedImage {
  Image image{};
  ReuseOrder order{};
};

struct OrderedFreePolicy {
  /// Frees, resources and earlier uses that are remembered at once. At a limit collect() is tried;
  /// then what should be freed stays its owner's, with Reason::over_limit.
  std::uint32_t most_pending = 1u << 16;
  /// The same of the bytes that wait to be free.
  VkDeviceSize most_bytes = VK_WHOLE_SIZE;
  /// A semaphore that something waits for and that did not move for so long is reported, once until
  /// it moves again.
  std::uint32_t stall_milliseconds = 5000;
};

/// What waits for the GPU. Memory that waits is still counted in every total, under its tag.
struct PendingFrees {
  std::uint32_t count = 0;  ///< allocations that will be free
  VkDeviceSize bytes = 0;   ///< of these
  std::uint32_t semaphores = 0;
  std::uint32_t stalled = 0;  ///< of these: did not move for OrderedFreePolicy::stall_milliseconds
};

}  // namespace quarry
