// SPDX-License-Identifier: MIT
#include "fakes/functions.hpp"

#include <array>
#include <cstddef>

#include <vulkan/vulkan_core.h>

namespace quarry::fakes {

namespace {

constexpr FunctionText device_1_0(Function function, const char* name) {
  return {function, name, VK_API_VERSION_1_0, nullptr, false};
}

constexpr std::array kFunctions{
    FunctionText{Function::get_physical_device_properties, "vkGetPhysicalDeviceProperties",
                 VK_API_VERSION_1_0, nullptr, true},
    FunctionText{Function::get_physical_device_memory_properties,
                 "vkGetPhysicalDeviceMemoryProperties", VK_API_VERSION_1_0, nullptr, true},
    FunctionText{Function::get_physical_device_properties2, "vkGetPhysicalDeviceProperties2",
                 VK_API_VERSION_1_1, VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME, true},
    FunctionText{Function::get_physical_device_memory_properties2,
                 "vkGetPhysicalDeviceMemoryProperties2", VK_API_VERSION_1_1,
                 VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME, true},
    device_1_0(Function::allocate_memory, "vkAllocateMemory"),
    device_1_0(Function::free_memory, "vkFreeMemory"),
    device_1_0(Function::map_memory, "vkMapMemory"),
    device_1_0(Function::unmap_memory, "vkUnmapMemory"),
    device_1_0(Function::flush_mapped_memory_ranges, "vkFlushMappedMemoryRanges"),
    device_1_0(Function::invalidate_mapped_memory_ranges, "vkInvalidateMappedMemoryRanges"),
    device_1_0(Function::bind_buffer_memory, "vkBindBufferMemory"),
    device_1_0(Function::bind_image_memory, "vkBindImageMemory"),
    device_1_0(Function::get_buffer_memory_requirements, "vkGetBufferMemoryRequirements"),
    device_1_0(Function::get_image_memory_requirements, "vkGetImageMemoryRequirements"),
    device_1_0(Function::create_buffer, "vkCreateBuffer"),
    device_1_0(Function::destroy_buffer, "vkDestroyBuffer"),
    device_1_0(Function::create_image, "vkCreateImage"),
    device_1_0(Function::destroy_image, "vkDestroyImage"),
    FunctionText{Function::bind_buffer_memory2, "vkBindBufferMemory2", VK_API_VERSION_1_1,
                 VK_KHR_BIND_MEMORY_2_EXTENSION_NAME, false},
    FunctionText{Function::bind_image_memory2, "vkBindImageMemory2", VK_API_VERSION_1_1,
                 VK_KHR_BIND_MEMORY_2_EXTENSION_NAME, false},
    FunctionText{Function::get_buffer_memory_requirements2, "vkGetBufferMemoryRequirements2",
                 VK_API_VERSION_1_1, VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME, false},
    FunctionText{Function::get_image_memory_requirements2, "vkGetImageMemoryRequirements2",
                 VK_API_VERSION_1_1, VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME, false},
    FunctionText{Function::get_semaphore_counter_value, "vkGetSemaphoreCounterValue",
                 VK_API_VERSION_1_2, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, false},
    device_1_0(Function::get_fence_status, "vkGetFenceStatus"),
    FunctionText{Function::get_device_buffer_memory_requirements,
                 "vkGetDeviceBufferMemoryRequirements", VK_API_VERSION_1_3,
                 VK_KHR_MAINTENANCE_4_EXTENSION_NAME, false},
    FunctionText{Function::get_device_image_memory_requirements,
                 "vkGetDeviceImageMemoryRequirements", VK_API_VERSION_1_3,
                 VK_KHR_MAINTENANCE_4_EXTENSION_NAME, false},
    device_1_0(Function::cmd_pipeline_barrier, "vkCmdPipelineBarrier"),
    device_1_0(Function::cmd_copy_buffer, "vkCmdCopyBuffer"),
    device_1_0(Function::cmd_copy_image, "vkCmdCopyImage"),
    device_1_0(Function::cmd_copy_image_to_buffer, "vkCmdCopyImageToBuffer"),
    device_1_0(Function::cmd_copy_buffer_to_image, "vkCmdCopyBufferToImage"),
    device_1_0(Function::cmd_bind_pipeline, "vkCmdBindPipeline"),
    device_1_0(Function::cmd_bind_descriptor_sets, "vkCmdBindDescriptorSets"),
    device_1_0(Function::cmd_push_constants, "vkCmdPushConstants"),
    device_1_0(Function::cmd_dispatch, "vkCmdDispatch"),
    device_1_0(Function::cmd_reset_query_pool, "vkCmdResetQueryPool"),
    device_1_0(Function::cmd_write_timestamp, "vkCmdWriteTimestamp"),
    device_1_0(Function::create_shader_module, "vkCreateShaderModule"),
    device_1_0(Function::destroy_shader_module, "vkDestroyShaderModule"),
    device_1_0(Function::create_descriptor_set_layout, "vkCreateDescriptorSetLayout"),
    device_1_0(Function::destroy_descriptor_set_layout, "vkDestroyDescriptorSetLayout"),
    device_1_0(Function::create_pipeline_layout, "vkCreatePipelineLayout"),
    device_1_0(Function::destroy_pipeline_layout, "vkDestroyPipelineLayout"),
    device_1_0(Function::create_compute_pipelines, "vkCreateComputePipelines"),
    device_1_0(Function::destroy_pipeline, "vkDestroyPipeline"),
    device_1_0(Function::create_descriptor_pool, "vkCreateDescriptorPool"),
    device_1_0(Function::destroy_descriptor_pool, "vkDestroyDescriptorPool"),
    device_1_0(Function::reset_descriptor_pool, "vkResetDescriptorPool"),
    device_1_0(Function::allocate_descriptor_sets, "vkAllocateDescriptorSets"),
    device_1_0(Function::update_descriptor_sets, "vkUpdateDescriptorSets"),
    device_1_0(Function::create_query_pool, "vkCreateQueryPool"),
    device_1_0(Function::destroy_query_pool, "vkDestroyQueryPool"),
    device_1_0(Function::get_query_pool_results, "vkGetQueryPoolResults"),
    FunctionText{Function::get_buffer_device_address, "vkGetBufferDeviceAddress",
                 VK_API_VERSION_1_2, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, false},
};
static_assert(kFunctions.size() == static_cast<std::size_t>(Function::count));

}  // namespace

std::span<const FunctionText> functions() {
  return kFunctions;
}

const FunctionText& text_of(Function function) {
  return kFunctions.at(static_cast<std::size_t>(function));
}

}  // namespace quarry::fakes
