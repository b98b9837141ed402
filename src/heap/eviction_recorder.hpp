// SPDX-License-Identifier: MIT
// Records the copies between resources and their bytes in host memory into the owner's command
// buffers: one barrier before all copies of a step, one after.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/defragmentation.hpp>

#include "base/host_array.hpp"
#include "device/device.hpp"

namespace quarry::heap {

/// One of buffer and image is null.
struct HostCopy {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkImage image = VK_NULL_HANDLE;
  const VkImageCreateInfo* info = nullptr;  ///< of the image
  VkBuffer host = VK_NULL_HANDLE;           ///< over the bytes in host memory
  VkDeviceSize size = 0;                    ///< bytes of the buffer
  bool out = false;                         ///< to host memory
  bool concurrent = false;                  ///< no queue family owns it
  bool host_visible = false;                ///< the CPU may see the resource's memory
  ResourceState state;                      ///< before it leaves, or after it came back
};

class EvictionRecorder {
 public:
  EvictionRecorder(const device::Device& device, const HostMemory& host)
      : device_(device), buffers_(host), images_(host) {}

  /// Whether the table has what it takes.
  static bool is_possible(const device::Device& device);
  /// Host memory for the barriers of so many copies, so that record() cannot fail.
  [[nodiscard]] bool reserve(std::size_t copies) {
    return buffers_.reserve(copies) && images_.reserve(copies);
  }
  void record(const DefragmentationStep& step, std::span<const HostCopy> copies);

 private:
  struct Scope {
    VkPipelineStageFlags stages = 0;
    VkAccessFlags access = 0;
  };
  void enter(const DefragmentationStep& step, std::span<const HostCopy> copies);
  void leave(const DefragmentationStep& step, std::span<const HostCopy> copies);
  void copy(VkCommandBuffer commands, const HostCopy& each) const;
  static Scope scope_of(std::span<const HostCopy> copies, bool out);
  void add(const HostCopy& each, VkImageLayout before, VkImageLayout after,
           std::uint32_t from_family, std::uint32_t to_family);
  void emit(VkCommandBuffer commands, Scope before, Scope after);

  const device::Device& device_;
  base::HostArray<VkBufferMemoryBarrier> buffers_;
  base::HostArray<VkImageMemoryBarrier> images_;
};

}  // namespace quarry::heap
