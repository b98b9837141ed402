// SPDX-License-Identifier: MIT
// Copies volk's global function pointers into the table. The only file of the library that includes
// volk. A function that became core under its plain name is taken from there, else from its KHR
// twin: volk fills whichever the instance and the device offer.
#include <volk.h>

#include <quarry/volk.hpp>

namespace quarry {

namespace {

template <class Function>
Function first_of(Function core, Function extension) {
  return core != nullptr ? core : extension;
}

}  // namespace

VulkanFunctions functions_from_volk() {
  return {
      .vkGetPhysicalDeviceProperties = ::vkGetPhysicalDeviceProperties,
      .vkGetPhysicalDeviceMemoryProperties = ::vkGetPhysicalDeviceMemoryProperties,
      .vkGetPhysicalDeviceProperties2 =
          first_of(::vkGetPhysicalDeviceProperties2, ::vkGetPhysicalDeviceProperties2KHR),
      .vkGetPhysicalDeviceMemoryProperties2 = first_of(::vkGetPhysicalDeviceMemoryProperties2,
                                                       ::vkGetPhysicalDeviceMemoryProperties2KHR),
      .vkAllocateMemory = ::vkAllocateMemory,
      .vkFreeMemory = ::vkFreeMemory,
      .vkMapMemory = ::vkMapMemory,
      .vkUnmapMemory = ::vkUnmapMemory,
      .vkFlushMappedMemoryRanges = ::vkFlushMappedMemoryRanges,
      .vkInvalidateMappedMemoryRanges = ::vkInvalidateMappedMemoryRanges,
      .vkBindBufferMemory = ::vkBindBufferMemory,
      .vkBindImageMemory = ::vkBindImageMemory,
      .vkGetBufferMemoryRequirements = ::vkGetBufferMemoryRequirements,
      .vkGetImageMemoryRequirements = ::vkGetImageMemoryRequirements,
      .vkCreateBuffer = ::vkCreateBuffer,
      .vkDestroyBuffer = ::vkDestroyBuffer,
      .vkCreateImage = ::vkCreateImage,
      .vkDestroyImage = ::vkDestroyImage,
      .vkBindBufferMemory2 = first_of(::vkBindBufferMemory2, ::vkBindBufferMemory2KHR),
      .vkBindImageMemory2 = first_of(::vkBindImageMemory2, ::vkBindImageMemory2KHR),
      .vkGetBufferMemoryRequirements2 =
          first_of(::vkGetBufferMemoryRequirements2, ::vkGetBufferMemoryRequirements2KHR),
      .vkGetImageMemoryRequirements2 =
          first_of(::vkGetImageMemoryRequirements2, ::vkGetImageMemoryRequirements2KHR),
      .vkGetSemaphoreCounterValue =
          first_of(::vkGetSemaphoreCounterValue, ::vkGetSemaphoreCounterValueKHR),
      .vkGetFenceStatus = ::vkGetFenceStatus,
      .vkGetDeviceBufferMemoryRequirements =
          first_of(::vkGetDeviceBufferMemoryRequirements, ::vkGetDeviceBufferMemoryRequirementsKHR),
      .vkGetDeviceImageMemoryRequirements =
          first_of(::vkGetDeviceImageMemoryRequirements, ::vkGetDeviceImageMemoryRequirementsKHR),
      .vkCmdPipelineBarrier = ::vkCmdPipelineBarrier,
      .vkCmdCopyBuffer = ::vkCmdCopyBuffer,
      .vkCmdCopyImage = ::vkCmdCopyImage,
      .vkCmdCopyImageToBuffer = ::vkCmdCopyImageToBuffer,
      .vkCmdCopyBufferToImage = ::vkCmdCopyBufferToImage,
      .vkCmdBindPipeline = ::vkCmdBindPipeline,
      .vkCmdBindDescriptorSets = ::vkCmdBindDescriptorSets,
      .vkCmdPushConstants = ::vkCmdPushConstants,
      .vkCmdDispatch = ::vkCmdDispatch,
      .vkCmdResetQueryPool = ::vkCmdResetQueryPool,
      .vkCmdWriteTimestamp = ::vkCmdWriteTimestamp,
      .vkCreateShaderModule = ::vkCreateShaderModule,
      .vkDestroyShaderModule = ::vkDestroyShaderModule,
      .vkCreateDescriptorSetLayout = ::vkCreateDescriptorSetLayout,
      .vkDestroyDescriptorSetLayout = ::vkDestroyDescriptorSetLayout,
      .vkCreatePipelineLayout = ::vkCreatePipelineLayout,
      .vkDestroyPipelineLayout = ::vkDestroyPipelineLayout,
      .vkCreateComputePipelines = ::vkCreateComputePipelines,
      .vkDestroyPipeline = ::vkDestroyPipeline,
      .vkCreateDescriptorPool = ::vkCreateDescriptorPool,
      .vkDestroyDescriptorPool = ::vkDestroyDescriptorPool,
      .vkResetDescriptorPool = ::vkResetDescriptorPool,
      .vkAllocateDescriptorSets = ::vkAllocateDescriptorSets,
      .vkUpdateDescriptorSets = ::vkUpdateDescriptorSets,
      .vkCreateQueryPool = ::vkCreateQueryPool,
      .vkDestroyQueryPool = ::vkDestroyQueryPool,
      .vkGetQueryPoolResults = ::vkGetQueryPoolResults,
      .vkGetBufferDeviceAddress =
          first_of(::vkGetBufferDeviceAddress, ::vkGetBufferDeviceAddressKHR),
  };
}

}  // namespace quarry
