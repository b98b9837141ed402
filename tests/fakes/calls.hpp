// SPDX-License-Identifier: MIT
// Internal to the fake GPU: its Vulkan functions, in the files named beside them. dispatch.cpp
// hands them out.
#pragma once

#include <cstddef>
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

// record_calls.cpp
VKAPI_ATTR void VKAPI_CALL cmd_pipeline_barrier(
    VkCommandBuffer commands, VkPipelineStageFlags source, VkPipelineStageFlags destination,
    VkDependencyFlags flags, std::uint32_t memory_count, const VkMemoryBarrier* memory,
    std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers, std::uint32_t image_count,
    const VkImageMemoryBarrier* images);
VKAPI_ATTR void VKAPI_CALL cmd_copy_buffer(VkCommandBuffer commands, VkBuffer source,
                                           VkBuffer destination, std::uint32_t count,
                                           const VkBufferCopy* regions);
VKAPI_ATTR void VKAPI_CALL cmd_reset_query_pool(VkCommandBuffer commands, VkQueryPool pool,
                                                std::uint32_t first, std::uint32_t count);
VKAPI_ATTR void VKAPI_CALL cmd_write_timestamp(VkCommandBuffer commands,
                                               VkPipelineStageFlagBits stage, VkQueryPool pool,
                                               std::uint32_t query);

// record_image_calls.cpp
VKAPI_ATTR void VKAPI_CALL cmd_copy_image(VkCommandBuffer commands, VkImage source,
                                          VkImageLayout source_layout, VkImage destination,
                                          VkImageLayout destination_layout, std::uint32_t count,
                                          const VkImageCopy* regions);
VKAPI_ATTR void VKAPI_CALL cmd_copy_image_to_buffer(VkCommandBuffer commands, VkImage source,
                                                    VkImageLayout layout, VkBuffer destination,
                                                    std::uint32_t count,
                                                    const VkBufferImageCopy* regions);
VKAPI_ATTR void VKAPI_CALL cmd_copy_buffer_to_image(VkCommandBuffer commands, VkBuffer source,
                                                    VkImage destination, VkImageLayout layout,
                                                    std::uint32_t count,
                                                    const VkBufferImageCopy* regions);

// record_dispatch_calls.cpp
VKAPI_ATTR void VKAPI_CALL cmd_bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                             VkPipeline pipeline);
VKAPI_ATTR void VKAPI_CALL cmd_bind_descriptor_sets(
    VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
    std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets,
    std::uint32_t dynamic_count, const std::uint32_t* dynamic_offsets);
VKAPI_ATTR void VKAPI_CALL cmd_push_constants(VkCommandBuffer commands, VkPipelineLayout layout,
                                              VkShaderStageFlags stages, std::uint32_t offset,
                                              std::uint32_t size, const void* values);
VKAPI_ATTR void VKAPI_CALL cmd_dispatch(VkCommandBuffer commands, std::uint32_t x, std::uint32_t y,
                                        std::uint32_t z);

// pipeline_calls.cpp
VKAPI_ATTR VkResult VKAPI_CALL create_shader_module(VkDevice device,
                                                    const VkShaderModuleCreateInfo* info,
                                                    const VkAllocationCallbacks* callbacks,
                                                    VkShaderModule* shader);
VKAPI_ATTR void VKAPI_CALL destroy_shader_module(VkDevice device, VkShaderModule shader,
                                                 const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkResult VKAPI_CALL
create_descriptor_set_layout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                             const VkAllocationCallbacks* callbacks, VkDescriptorSetLayout* layout);
VKAPI_ATTR void VKAPI_CALL destroy_descriptor_set_layout(VkDevice device,
                                                         VkDescriptorSetLayout layout,
                                                         const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkResult VKAPI_CALL create_pipeline_layout(VkDevice device,
                                                      const VkPipelineLayoutCreateInfo* info,
                                                      const VkAllocationCallbacks* callbacks,
                                                      VkPipelineLayout* layout);
VKAPI_ATTR void VKAPI_CALL destroy_pipeline_layout(VkDevice device, VkPipelineLayout layout,
                                                   const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkResult VKAPI_CALL create_compute_pipelines(VkDevice device, VkPipelineCache cache,
                                                        std::uint32_t count,
                                                        const VkComputePipelineCreateInfo* infos,
                                                        const VkAllocationCallbacks* callbacks,
                                                        VkPipeline* pipelines);
VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                            const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkDeviceAddress VKAPI_CALL
get_buffer_device_address(VkDevice device, const VkBufferDeviceAddressInfo* info);

// descriptor_calls.cpp
VKAPI_ATTR VkResult VKAPI_CALL create_descriptor_pool(VkDevice device,
                                                      const VkDescriptorPoolCreateInfo* info,
                                                      const VkAllocationCallbacks* callbacks,
                                                      VkDescriptorPool* pool);
VKAPI_ATTR void VKAPI_CALL destroy_descriptor_pool(VkDevice device, VkDescriptorPool pool,
                                                   const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkResult VKAPI_CALL reset_descriptor_pool(VkDevice device, VkDescriptorPool pool,
                                                     VkDescriptorPoolResetFlags flags);
VKAPI_ATTR VkResult VKAPI_CALL allocate_descriptor_sets(VkDevice device,
                                                        const VkDescriptorSetAllocateInfo* info,
                                                        VkDescriptorSet* sets);
VKAPI_ATTR void VKAPI_CALL update_descriptor_sets(VkDevice device, std::uint32_t write_count,
                                                  const VkWriteDescriptorSet* writes,
                                                  std::uint32_t copy_count,
                                                  const VkCopyDescriptorSet* copies);
VKAPI_ATTR VkResult VKAPI_CALL create_query_pool(VkDevice device, const VkQueryPoolCreateInfo* info,
                                                 const VkAllocationCallbacks* callbacks,
                                                 VkQueryPool* pool);
VKAPI_ATTR void VKAPI_CALL destroy_query_pool(VkDevice device, VkQueryPool pool,
                                              const VkAllocationCallbacks* callbacks);
VKAPI_ATTR VkResult VKAPI_CALL get_query_pool_results(VkDevice device, VkQueryPool pool,
                                                      std::uint32_t first, std::uint32_t count,
                                                      std::size_t size, void* data,
                                                      VkDeviceSize stride,
                                                      VkQueryResultFlags flags);

}  // namespace quarry::fakes::calls
