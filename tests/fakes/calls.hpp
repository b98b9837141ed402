// SPDX-License-Identifier: MIT
// Internal to the fake GPU: its Vulkan functions, in the files named beside them. dispatch.cpp
// hands them out.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry::fakes::calls {

// query_calls.cpp
VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device,
                                          VkPhysicalDeviceProperties* properties);
VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice device,
                                           VkPhysicalDeviceProperties2* properties);
VKAPI_ATTR void VKAPI_CALL get_memory_properties(VkPhysicalDevice device,
                                                 VkPhysicalDeviceMemoryProperties* properties);
VKAPI_ATTR void VKAPI_CALL get_memory_properties2(VkPhysicalDevice device,
                                                  VkPhysicalDeviceMemoryProperties2* properties);

// memory_calls.cpp
VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* callbacks,
                                               VkDeviceMemory* memory);
VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                       const VkAllocationCallbacks* callbacks);

// mapping_calls.cpp
VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory,
                                          VkDeviceSize offset, VkDeviceSize size,
                                          VkMemoryMapFlags flags, void** data);
VKAPI_ATTR void VKAPI_CALL unmap_memory(VkDevice device, VkDeviceMemory memory);
VKAPI_ATTR VkResult VKAPI_CALL flush_ranges(VkDevice device, std::uint32_t count,
                                            const VkMappedMemoryRange* ranges);
VKAPI_ATTR VkResult VKAPI_CALL invalidate_ranges(VkDevice device, std::uint32_t count,
                                                 const VkMappedMemoryRange* ranges);

// resource_calls.cpp
VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks,
                                             VkBuffer* buffer);
VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer,
                                          const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo* info,
                                            const VkAllocationCallbacks* callbacks, VkImage* image);
VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice device, VkImage image,
                                         const VkAllocationCallbacks* callbacks);

// requirement_calls.cpp
VKAPI_ATTR void VKAPI_CALL buffer_requirements(VkDevice device, VkBuffer buffer,
                                               VkMemoryRequirements* requirements);
VKAPI_ATTR void VKAPI_CALL buffer_requirements2(VkDevice device,
                                                const VkBufferMemoryRequirementsInfo2* info,
                                                VkMemoryRequirements2* requirements);
VKAPI_ATTR void VKAPI_CALL image_requirements(VkDevice device, VkImage image,
                                              VkMemoryRequirements* requirements);
VKAPI_ATTR void VKAPI_CALL image_requirements2(VkDevice device,
                                               const VkImageMemoryRequirementsInfo2* info,
                                               VkMemoryRequirements2* requirements);
VKAPI_ATTR void VKAPI_CALL device_buffer_requirements(VkDevice device,
                                                      const VkDeviceBufferMemoryRequirements* info,
                                                      VkMemoryRequirements2* requirements);
VKAPI_ATTR void VKAPI_CALL device_image_requirements(VkDevice device,
                                                     const VkDeviceImageMemoryRequirements* info,
                                                     VkMemoryRequirements2* requirements);

// bind_calls.cpp
VKAPI_ATTR VkResult VKAPI_CALL bind_buffer(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                           VkDeviceSize offset);
VKAPI_ATTR VkResult VKAPI_CALL bind_buffers2(VkDevice device, std::uint32_t count,
                                             const VkBindBufferMemoryInfo* infos);
VKAPI_ATTR VkResult VKAPI_CALL bind_image(VkDevice device, VkImage image, VkDeviceMemory memory,
                                          VkDeviceSize offset);
VKAPI_ATTR VkResult VKAPI_CALL bind_images2(VkDevice device, std::uint32_t count,
                                            const VkBindImageMemoryInfo* infos);

// submissions.cpp
VKAPI_ATTR VkResult VKAPI_CALL semaphore_value(VkDevice device, VkSemaphore semaphore,
                                               std::uint64_t* value);
VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence);

}  // namespace quarry::fakes::calls
