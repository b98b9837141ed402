// SPDX-License-Identifier: MIT
// Opens the device with the features and queues that inspect() found.
#include "viewer/gpu.hpp"

#include "viewer/device_object.hpp"

namespace quarry::viewer {

VkResult Queue::submit(const VkSubmitInfo2& info) {
  const std::lock_guard lock(mutex_);
  return vkQueueSubmit2(handle_, 1, &info, VK_NULL_HANDLE);
}

VkResult Queue::present(const VkPresentInfoKHR& info) {
  const std::lock_guard lock(mutex_);
  return vkQueuePresentKHR(handle_, &info);
}

Outcome<std::unique_ptr<Gpu>> Gpu::open(const DeviceFacts& facts, bool swapchain) {
  auto gpu = std::make_unique<Gpu>(facts);
  if (swapchain) gpu->extensions_.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  if (facts.memory_budget) gpu->extensions_.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (facts.memory_priority) gpu->extensions_.push_back(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);

  auto priority = structure<VkPhysicalDeviceMemoryPriorityFeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT);
  priority.memoryPriority = VK_TRUE;
  auto features13 = structure<VkPhysicalDeviceVulkan13Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  features13.dynamicRendering = VK_TRUE;
  features13.synchronization2 = VK_TRUE;
  features13.maintenance4 = VK_TRUE;
  if (facts.memory_priority) features13.pNext = &priority;
  auto features12 = structure<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  features12.timelineSemaphore = VK_TRUE;
  features12.pNext = &features13;
  auto features =
      structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.features.samplerAnisotropy = facts.anisotropy > 1.0f ? VK_TRUE : VK_FALSE;
  features.features.textureCompressionBC = facts.block_compression ? VK_TRUE : VK_FALSE;
  features.pNext = &features12;

  const float queue_priority = 1.0f;
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (const std::uint32_t family : {facts.graphics_family, facts.transfer_family}) {
    if (!queues.empty() && queues.front().queueFamilyIndex == family) continue;
    auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &queue_priority;
    queues.push_back(queue);
  }
  auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features;
  info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  info.pQueueCreateInfos = queues.data();
  info.enabledExtensionCount = static_cast<std::uint32_t>(gpu->extensions_.size());
  info.ppEnabledExtensionNames = gpu->extensions_.data();
  const VkResult result = vkCreateDevice(facts.handle, &info, nullptr, &gpu->device_);
  if (result != VK_SUCCESS) return failure(call_failed("vkCreateDevice", result));
  volkLoadDevice(gpu->device_);

  VkQueue handle = VK_NULL_HANDLE;
  vkGetDeviceQueue(gpu->device_, facts.graphics_family, 0, &handle);
  gpu->graphics_ =
      std::make_unique<Queue>(handle, facts.graphics_family, facts.graphics_granularity);
  if (facts.transfer_family != facts.graphics_family) {
    vkGetDeviceQueue(gpu->device_, facts.transfer_family, 0, &handle);
    gpu->transfer_ =
        std::make_unique<Queue>(handle, facts.transfer_family, facts.transfer_granularity);
  }
  return gpu;
}

Gpu::~Gpu() {
  if (device_ == VK_NULL_HANDLE) return;
  vkDeviceWaitIdle(device_);
  vkDestroyDevice(device_, nullptr);
}

}  // namespace quarry::viewer
