// SPDX-License-Identifier: MIT
// A fake GPU with short calls of its functions, for tests of the fake itself.
#pragma once

#include <cstdint>
#include <utility>

#include <vulkan/vulkan_core.h>

#include "fakes/create_infos.hpp"
#include "fakes/fake_gpu.hpp"

namespace quarry::fakes {

struct Bench {
  explicit Bench(FakeProfile profile) : gpu(std::move(profile)) {}

  FakeGpu gpu;
  VulkanFunctions vk = FakeGpu::functions();

  VkDevice device() const { return gpu.device(); }

  static VkMemoryAllocateInfo allocate_info(std::uint32_t type, VkDeviceSize size,
                                            const void* next = nullptr) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.pNext = next;
    info.allocationSize = size;
    info.memoryTypeIndex = type;
    return info;
  }

  VkDeviceMemory allocate(std::uint32_t type, VkDeviceSize size, const void* next = nullptr) {
    const VkMemoryAllocateInfo info = allocate_info(type, size, next);
    VkDeviceMemory memory = VK_NULL_HANDLE;
    result = vk.vkAllocateMemory(device(), &info, nullptr, &memory);
    return memory;
  }
  void free(VkDeviceMemory memory) { vk.vkFreeMemory(device(), memory, nullptr); }

  VkBuffer buffer(const VkBufferCreateInfo& info) {
    VkBuffer handle = VK_NULL_HANDLE;
    result = vk.vkCreateBuffer(device(), &info, nullptr, &handle);
    return handle;
  }
  VkBuffer buffer(VkDeviceSize size) { return buffer(buffer_info(size)); }
  void destroy_buffer(VkBuffer handle) { vk.vkDestroyBuffer(device(), handle, nullptr); }

  VkImage image(const VkImageCreateInfo& info) {
    VkImage handle = VK_NULL_HANDLE;
    result = vk.vkCreateImage(device(), &info, nullptr, &handle);
    return handle;
  }
  void destroy_image(VkImage handle) { vk.vkDestroyImage(device(), handle, nullptr); }

  void bind_buffer(VkBuffer handle, VkDeviceMemory memory, VkDeviceSize offset = 0) {
    result = vk.vkBindBufferMemory(device(), handle, memory, offset);
  }
  void bind_image(VkImage handle, VkDeviceMemory memory, VkDeviceSize offset = 0) {
    result = vk.vkBindImageMemory(device(), handle, memory, offset);
  }

  void* map(VkDeviceMemory memory, VkDeviceSize offset = 0, VkDeviceSize size = VK_WHOLE_SIZE) {
    void* data = nullptr;
    result = vk.vkMapMemory(device(), memory, offset, size, 0, &data);
    return data;
  }
  void unmap(VkDeviceMemory memory) { vk.vkUnmapMemory(device(), memory); }
  static VkMappedMemoryRange range(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
    return {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, offset, size};
  }
  void flush(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
    const VkMappedMemoryRange mapped = range(memory, offset, size);
    result = vk.vkFlushMappedMemoryRanges(device(), 1, &mapped);
  }
  void invalidate(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
    const VkMappedMemoryRange mapped = range(memory, offset, size);
    result = vk.vkInvalidateMappedMemoryRanges(device(), 1, &mapped);
  }

  VkMemoryRequirements requirements_of_buffer(VkBuffer handle) {
    VkMemoryRequirements requirements{};
    vk.vkGetBufferMemoryRequirements(device(), handle, &requirements);
    return requirements;
  }
  VkMemoryRequirements requirements_of_image(VkImage handle) {
    VkMemoryRequirements requirements{};
    vk.vkGetImageMemoryRequirements(device(), handle, &requirements);
    return requirements;
  }

  VkResult result = VK_SUCCESS;  ///< of the last call that returned one
};

}  // namespace quarry::fakes
