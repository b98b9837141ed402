// SPDX-License-Identifier: MIT
// One VkDeviceMemory: made within the budget, mapped as a whole and counted, freed with its object.
// Not an allocation: what lies in it is its owner's matter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

#include "base/mutex.hpp"
#include "device/device.hpp"
#include "memory/budget.hpp"

namespace quarry::memory {

/// Priorities are kept in this many classes, so that blocks can be told apart by them.
inline constexpr std::uint32_t kPriorityClasses = 8;

/// The nearest class: what is out of range is clamped, not-a-number counts as 0.5.
std::uint32_t priority_class(float priority);
/// The priority that stands for a class, rising; 0, 0.5 and 1 are among them.
/// Precondition: below kPriorityClasses.
float priority_of_class(std::uint32_t priority_class);

struct MemoryRequest {
  std::uint32_t memory_type = 0;
  VkDeviceSize size = 0;        ///< bytes, > 0
  bool within_budget = false;   ///< refuse rather than exceed the heap's budget
  float priority = 0.5f;        ///< used where memory_priority is enabled
  bool device_address = false;  ///< used where buffer_device_address is enabled
  /// At most one of the two; used where dedicated allocation is.
  VkBuffer dedicated_buffer = VK_NULL_HANDLE;
  VkImage dedicated_image = VK_NULL_HANDLE;
  /// The owner's chain, put behind the library's structures. What it holds is not added again.
  const void* next = nullptr;
};

/// Any thread may map and unmap; whoever calls allocate() or free() has the object to itself.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { free(); }

  /// `device` and `budget` must outlive the object, which must be empty and is so after an error.
  Status allocate(const device::Device& device, Budget& budget, const MemoryRequest& request);
  /// Gives the memory back, mapped or not. Empty objects do nothing.
  void free();

  explicit operator bool() const { return memory_ != VK_NULL_HANDLE; }
  VkDeviceMemory handle() const { return memory_; }
  VkDeviceSize size() const { return size_; }
  std::uint32_t memory_type() const { return memory_type_; }
  std::uint32_t heap() const { return heap_; }
  VkMemoryPropertyFlags property_flags() const { return property_flags_; }
  /// Whether map() can ever succeed.
  bool host_visible() const;
  /// Whether host writes need a flush: HOST_VISIBLE and not HOST_COHERENT.
  bool needs_flush() const;

  /// The address of byte 0. The driver maps the whole memory once, at the first of nested calls.
  /// not_host_visible (without a driver call), over_limit (the cap on address space) or the
  /// driver's error.
  Result<std::byte*> map();
  /// Reason::not_mapped when there is no call of map() to undo.
  Status unmap();
  /// The address while mapped, else null. Only meaningful to a caller that holds a mapping.
  std::byte* mapped() const;
  bool is_mapped() const { return map_count_.load(std::memory_order_acquire) != 0; }

 private:
  Result<std::byte*> map_first() QUARRY_REQUIRES(map_mutex_);
  bool try_join_mapping();

  const device::Device* device_ = nullptr;
  Budget* budget_ = nullptr;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceSize size_ = 0;
  std::uint32_t memory_type_ = 0;
  std::uint32_t heap_ = 0;
  VkMemoryPropertyFlags property_flags_ = 0;
  /// Held over vkMapMemory and vkUnmapMemory of this memory alone, with no other lock taken inside:
  /// cannot dead-lock.
  base::Mutex map_mutex_;
  std::atomic<std::uint64_t> map_count_{0};  ///< leaves 0, and returns to it, under the mutex only
  std::atomic<std::byte*> mapped_{nullptr};
};

}  // namespace quarry::memory
