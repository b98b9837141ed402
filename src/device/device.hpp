// SPDX-License-Identifier: MIT
// The opened device: handles, the functions that may be called, the facts that decide. No policy.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>
#include <quarry/host_memory.hpp>
#include <quarry/vulkan_functions.hpp>

#include "device/counters.hpp"

namespace quarry::device {

struct Gates;

/// Host memory through Vulkan's callbacks (scope OBJECT), or the standard source when null.
/// `callbacks` must outlive every use of the result.
HostMemory host_memory(const VkAllocationCallbacks* callbacks);

/// Constant after open() but for the counters; any thread may use it. Not movable: host() points
/// in.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Checks the description, fetches the functions, asks for the facts. Once, before anything else.
  /// On an error the object is good for nothing but its destructor; what is wrong in words has gone
  /// to desc.on_message.
  Status open(const AllocatorDesc& desc);

  VkInstance instance() const { return instance_; }
  VkPhysicalDevice physical_device() const { return physical_device_; }
  VkDevice handle() const { return handle_; }
  const DeviceFacts& facts() const { return facts_; }
  /// What version, extensions and features do not allow is null, whatever the owner's table held.
  const VulkanFunctions& fn() const { return fn_; }
  const VkAllocationCallbacks* callbacks() const { return has_callbacks_ ? &callbacks_ : nullptr; }
  HostMemory host() const { return host_memory(callbacks()); }
  /// Vulkan 1.1 or VK_KHR_sampler_ycbcr_conversion: requirements and binding of one plane.
  bool uses_planes() const { return uses_planes_; }
  DriverCounters& counters() const { return counters_; }

 private:
  Status read_facts(const AllocatorDesc& desc, const Gates& gates);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkDevice handle_ = VK_NULL_HANDLE;
  VulkanFunctions fn_;
  DeviceFacts facts_;
  VkAllocationCallbacks callbacks_{};
  bool has_callbacks_ = false;
  bool uses_planes_ = false;
  mutable DriverCounters counters_;
};

}  // namespace quarry::device
