// SPDX-License-Identifier: MIT
// The fake GPU's functions by name and as a table.
#include <array>
#include <cstring>
#include <string_view>

#include "fakes/calls.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes {

namespace {

template <class Pointer>
PFN_vkVoidFunction erase_type(Pointer function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction pointer_of(Function function) {
  const VulkanFunctions table = FakeGpu::functions();
  switch (function) {
    case Function::get_physical_device_properties:
      return erase_type(table.vkGetPhysicalDeviceProperties);
    case Function::get_physical_device_memory_properties:
      return erase_type(table.vkGetPhysicalDeviceMemoryProperties);
    case Function::get_physical_device_properties2:
      return erase_type(table.vkGetPhysicalDeviceProperties2);
    case Function::get_physical_device_memory_properties2:
      return erase_type(table.vkGetPhysicalDeviceMemoryProperties2);
    case Function::allocate_memory:
      return erase_type(table.vkAllocateMemory);
    case Function::free_memory:
      return erase_type(table.vkFreeMemory);
    case Function::map_memory:
      return erase_type(table.vkMapMemory);
    case Function::unmap_memory:
      return erase_type(table.vkUnmapMemory);
    case Function::flush_mapped_memory_ranges:
      return erase_type(table.vkFlushMappedMemoryRanges);
    case Function::invalidate_mapped_memory_ranges:
      return erase_type(table.vkInvalidateMappedMemoryRanges);
    case Function::bind_buffer_memory:
      return erase_type(table.vkBindBufferMemory);
    case Function::bind_image_memory:
      return erase_type(table.vkBindImageMemory);
    case Function::get_buffer_memory_requirements:
      return erase_type(table.vkGetBufferMemoryRequirements);
    case Function::get_image_memory_requirements:
      return erase_type(table.vkGetImageMemoryRequirements);
    case Function::create_buffer:
      return erase_type(table.vkCreateBuffer);
    case Function::destroy_buffer:
      return erase_type(table.vkDestroyBuffer);
    case Function::create_image:
      return erase_type(table.vkCreateImage);
    case Function::destroy_image:
      return erase_type(table.vkDestroyImage);
    case Function::bind_buffer_memory2:
      return erase_type(table.vkBindBufferMemory2);
    case Function::bind_image_memory2:
      return erase_type(table.vkBindImageMemory2);
    case Function::get_buffer_memory_requirements2:
      return erase_type(table.vkGetBufferMemoryRequirements2);
    case Function::get_image_memory_requirements2:
      return erase_type(table.vkGetImageMemoryRequirements2);
    case Function::get_semaphore_counter_value:
      return erase_type(table.vkGetSemaphoreCounterValue);
    case Function::get_fence_status:
      return erase_type(table.vkGetFenceStatus);
    case Function::get_device_buffer_memory_requirements:
      return erase_type(table.vkGetDeviceBufferMemoryRequirements);
    case Function::get_device_image_memory_requirements:
      return erase_type(table.vkGetDeviceImageMemoryRequirements);
    case Function::cmd_pipeline_barrier:
      return erase_type(table.vkCmdPipelineBarrier);
    case Function::cmd_copy_buffer:
      return erase_type(table.vkCmdCopyBuffer);
    case Function::cmd_copy_image:
      return erase_type(table.vkCmdCopyImage);
    case Function::cmd_copy_image_to_buffer:
      return erase_type(table.vkCmdCopyImageToBuffer);
    case Function::cmd_copy_buffer_to_image:
      return erase_type(table.vkCmdCopyBufferToImage);
    case Function::cmd_bind_pipeline:
      return erase_type(table.vkCmdBindPipeline);
    case Function::cmd_bind_descriptor_sets:
      return erase_type(table.vkCmdBindDescriptorSets);
    case Function::cmd_push_constants:
      return erase_type(table.vkCmdPushConstants);
    case Function::cmd_dispatch:
      return erase_type(table.vkCmdDispatch);
    case Function::cmd_reset_query_pool:
      return erase_type(table.vkCmdResetQueryPool);
    case Function::cmd_write_timestamp:
      return erase_type(table.vkCmdWriteTimestamp);
    case Function::create_shader_module:
      return erase_type(table.vkCreateShaderModule);
    case Function::destroy_shader_module:
      return erase_type(table.vkDestroyShaderModule);
    case Function::create_descriptor_set_layout:
      return erase_type(table.vkCreateDescriptorSetLayout);
    case Function::destroy_descriptor_set_layout:
      return erase_type(table.vkDestroyDescriptorSetLayout);
    case Function::create_pipeline_layout:
      return erase_type(table.vkCreatePipelineLayout);
    case Function::destroy_pipeline_layout:
      return erase_type(table.vkDestroyPipelineLayout);
    case Function::create_compute_pipelines:
      return erase_type(table.vkCreateComputePipelines);
    case Function::destroy_pipeline:
      return erase_type(table.vkDestroyPipeline);
    case Function::create_descriptor_pool:
      return erase_type(table.vkCreateDescriptorPool);
    case Function::destroy_descriptor_pool:
      return erase_type(table.vkDestroyDescriptorPool);
    case Function::reset_descriptor_pool:
      return erase_type(table.vkResetDescriptorPool);
    case Function::allocate_descriptor_sets:
      return erase_type(table.vkAllocateDescriptorSets);
    case Function::update_descriptor_sets:
      return erase_type(table.vkUpdateDescriptorSets);
    case Function::create_query_pool:
      return erase_type(table.vkCreateQueryPool);
    case Function::destroy_query_pool:
      return erase_type(table.vkDestroyQueryPool);
    case Function::get_query_pool_results:
      return erase_type(table.vkGetQueryPoolResults);
    case Function::get_buffer_device_address:
      return erase_type(table.vkGetBufferDeviceAddress);
    case Function::count:
      break;
  }
  return nullptr;
}

/// Core names from their version on, KHR names where the extension is enabled.
bool serves(const FakeProfile& profile, const FunctionText& text, std::string_view name) {
  if (name == text.name) return profile.effective_version() >= text.core_version;
  if (text.extension == nullptr || !profile.has_extension(text.extension)) return false;
  return name.ends_with("KHR") && name.substr(0, name.size() - 3) == text.name;
}

PFN_vkVoidFunction find(const FakeProfile& profile, const char* name, bool device_level_only) {
  for (const FunctionText& text : functions()) {
    if (device_level_only && text.instance_level) continue;
    if (serves(profile, text, name)) return pointer_of(text.function);
  }
  return nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return erase_type(&get_device_proc_addr);
  return find(state_of(device).profile, name, true);
}

}  // namespace

VulkanFunctions FakeGpu::functions() {
  VulkanFunctions table;
  table.vkGetPhysicalDeviceProperties = calls::get_properties;
  table.vkGetPhysicalDeviceMemoryProperties = calls::get_memory_properties;
  table.vkGetPhysicalDeviceProperties2 = calls::get_properties2;
  table.vkGetPhysicalDeviceMemoryProperties2 = calls::get_memory_properties2;
  table.vkAllocateMemory = calls::allocate_memory;
  table.vkFreeMemory = calls::free_memory;
  table.vkMapMemory = calls::map_memory;
  table.vkUnmapMemory = calls::unmap_memory;
  table.vkFlushMappedMemoryRanges = calls::flush_ranges;
  table.vkInvalidateMappedMemoryRanges = calls::invalidate_ranges;
  table.vkBindBufferMemory = calls::bind_buffer;
  table.vkBindImageMemory = calls::bind_image;
  table.vkGetBufferMemoryRequirements = calls::buffer_requirements;
  table.vkGetImageMemoryRequirements = calls::image_requirements;
  table.vkCreateBuffer = calls::create_buffer;
  table.vkDestroyBuffer = calls::destroy_buffer;
  table.vkCreateImage = calls::create_image;
  table.vkDestroyImage = calls::destroy_image;
  table.vkBindBufferMemory2 = calls::bind_buffers2;
  table.vkBindImageMemory2 = calls::bind_images2;
  table.vkGetBufferMemoryRequirements2 = calls::buffer_requirements2;
  table.vkGetImageMemoryRequirements2 = calls::image_requirements2;
  table.vkGetSemaphoreCounterValue = calls::semaphore_value;
  table.vkGetFenceStatus = calls::fence_status;
  table.vkGetDeviceBufferMemoryRequirements = calls::device_buffer_requirements;
  table.vkGetDeviceImageMemoryRequirements = calls::device_image_requirements;
  table.vkCmdPipelineBarrier = calls::cmd_pipeline_barrier;
  table.vkCmdCopyBuffer = calls::cmd_copy_buffer;
  table.vkCmdCopyImage = calls::cmd_copy_image;
  table.vkCmdCopyImageToBuffer = calls::cmd_copy_image_to_buffer;
  table.vkCmdCopyBufferToImage = calls::cmd_copy_buffer_to_image;
  table.vkCmdBindPipeline = calls::cmd_bind_pipeline;
  table.vkCmdBindDescriptorSets = calls::cmd_bind_descriptor_sets;
  table.vkCmdPushConstants = calls::cmd_push_constants;
  table.vkCmdDispatch = calls::cmd_dispatch;
  table.vkCmdResetQueryPool = calls::cmd_reset_query_pool;
  table.vkCmdWriteTimestamp = calls::cmd_write_timestamp;
  table.vkCreateShaderModule = calls::create_shader_module;
  table.vkDestroyShaderModule = calls::destroy_shader_module;
  table.vkCreateDescriptorSetLayout = calls::create_descriptor_set_layout;
  table.vkDestroyDescriptorSetLayout = calls::destroy_descriptor_set_layout;
  table.vkCreatePipelineLayout = calls::create_pipeline_layout;
  table.vkDestroyPipelineLayout = calls::destroy_pipeline_layout;
  table.vkCreateComputePipelines = calls::create_compute_pipelines;
  table.vkDestroyPipeline = calls::destroy_pipeline;
  table.vkCreateDescriptorPool = calls::create_descriptor_pool;
  table.vkDestroyDescriptorPool = calls::destroy_descriptor_pool;
  table.vkResetDescriptorPool = calls::reset_descriptor_pool;
  table.vkAllocateDescriptorSets = calls::allocate_descriptor_sets;
  table.vkUpdateDescriptorSets = calls::update_descriptor_sets;
  table.vkCreateQueryPool = calls::create_query_pool;
  table.vkDestroyQueryPool = calls::destroy_query_pool;
  table.vkGetQueryPoolResults = calls::get_query_pool_results;
  table.vkGetBufferDeviceAddress = calls::get_buffer_device_address;
  return table;
}

PFN_vkVoidFunction FakeGpu::get_instance_proc_addr(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0) {
    return erase_type(&FakeGpu::get_instance_proc_addr);
  }
  if (instance == VK_NULL_HANDLE) return nullptr;
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return erase_type(&get_device_proc_addr);
  return find(state_of(instance).profile, name, false);
}

}  // namespace quarry::fakes
