// SPDX-License-Identifier: MIT
// The functions that the layer puts in place of Vulkan's, in the files named beside them.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry::disguise::hooks {

// create_hooks.cpp
VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* callbacks,
                                               VkInstance* instance);
VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance,
                                            const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical_device,
                                             const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks,
                                             VkDevice* device);
VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks* callbacks);

// query_hooks.cpp
VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device,
                                          VkPhysicalDeviceProperties* properties);
VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice device,
                                           VkPhysicalDeviceProperties2* properties);
VKAPI_ATTR void VKAPI_CALL get_memory_properties(VkPhysicalDevice device,
                                                 VkPhysicalDeviceMemoryProperties* properties);
VKAPI_ATTR void VKAPI_CALL get_memory_properties2(VkPhysicalDevice device,
                                                  VkPhysicalDeviceMemoryProperties2* properties);
VKAPI_ATTR void VKAPI_CALL get_features2(VkPhysicalDevice device,
                                         VkPhysicalDeviceFeatures2* features);
VKAPI_ATTR VkResult VKAPI_CALL enumerate_device_extensions(VkPhysicalDevice device,
                                                           const char* layer, std::uint32_t* count,
                                                           VkExtensionProperties* extensions);

// memory_hooks.cpp
VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* callbacks,
                                               VkDeviceMemory* memory);
VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                       const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory,
                                          VkDeviceSize offset, VkDeviceSize size,
                                          VkMemoryMapFlags flags, void** data);
VKAPI_ATTR void VKAPI_CALL unmap_memory(VkDevice device, VkDeviceMemory memory);
VKAPI_ATTR VkResult VKAPI_CALL flush_ranges(VkDevice device, std::uint32_t count,
                                            const VkMappedMemoryRange* ranges);
VKAPI_ATTR VkResult VKAPI_CALL invalidate_ranges(VkDevice device, std::uint32_t count,
                                                 const VkMappedMemoryRange* ranges);

// resource_hooks.cpp
VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks,
                                             VkBuffer* buffer);
VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo* info,
                                            const VkAllocationCallbacks* callbacks, VkImage* image);
VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice device, VkImage image,
                                         const VkAllocationCallbacks* callbacks);
VKAPI_ATTR void VKAPI_CALL buffer_requirements(VkDevice device, VkBuffer buffer,
                                               VkMemoryRequirements* requirements);
VKAPI_ATTR void VKAPI_CALL image_requirements(VkDevice device, VkImage image,
                                              VkMemoryRequirements* requirements);
VKAPI_ATTR void VKAPI_CALL buffer_requirements2(VkDevice device,
                                                const VkBufferMemoryRequirementsInfo2* info,
                                                VkMemoryRequirements2* requirements);
VKAPI_ATTR void VKAPI_CALL image_requirements2(VkDevice device,
                                               const VkImageMemoryRequirementsInfo2* info,
                                               VkMemoryRequirements2* requirements);
VKAPI_ATTR void VKAPI_CALL device_buffer_requirements(VkDevice device,
                                                      const VkDeviceBufferMemoryRequirements* info,
                                                      VkMemoryRequirements2* requirements);
VKAPI_ATTR void VKAPI_CALL device_image_requirements(VkDevice device,
                                                     const VkDeviceImageMemoryRequirements* info,
                                                     VkMemoryRequirements2* requirements);

// entry.cpp
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance,
                                                                const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char* name);

}  // namespace quarry::disguise::hooks
