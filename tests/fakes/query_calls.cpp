// SPDX-License-Identifier: MIT
// Physical-device queries, budgets included.
#include <algorithm>
#include <cstring>
#include <vector>

#include "fakes/calls.hpp"
#include "fakes/chain.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

void fill(const FakeProfile& profile, VkPhysicalDeviceProperties& properties) {
  properties = {};
  properties.apiVersion = profile.api_version;
  properties.vendorID = profile.vendor_id;
  properties.deviceType = profile.device_type;
  std::strncpy(properties.deviceName, profile.name.c_str(), sizeof properties.deviceName - 1);
  VkPhysicalDeviceLimits& limits = properties.limits;
  limits.bufferImageGranularity = profile.granularity;
  limits.nonCoherentAtomSize = profile.atom;
  limits.maxMemoryAllocationCount = profile.maximum_allocation_count;
  limits.minMemoryMapAlignment = static_cast<std::size_t>(profile.map_alignment);
  limits.maxStorageBufferRange = profile.maximum_storage_range;
  limits.minStorageBufferOffsetAlignment = profile.storage_alignment;
  limits.maxComputeWorkGroupCount[0] = profile.maximum_group_count;
  limits.maxComputeWorkGroupCount[1] = profile.maximum_group_count;
  limits.maxComputeWorkGroupCount[2] = profile.maximum_group_count;
  limits.maxComputeWorkGroupInvocations = 1024;
  limits.maxComputeWorkGroupSize[0] = 1024;
  limits.maxPushConstantsSize = 256;
  limits.timestampPeriod = 1.0f;
  limits.maxImageDimension2D = 16384;
  limits.optimalBufferCopyOffsetAlignment = 1;
  limits.optimalBufferCopyRowPitchAlignment = 1;
}

void fill(const FakeProfile& profile, VkPhysicalDeviceMemoryProperties& properties) {
  properties = {};
  properties.memoryHeapCount = static_cast<std::uint32_t>(profile.heaps.size());
  properties.memoryTypeCount = static_cast<std::uint32_t>(profile.types.size());
  std::ranges::copy(profile.heaps, properties.memoryHeaps);
  std::ranges::copy(profile.types, properties.memoryTypes);
}

/// VK_EXT_memory_budget: entries beyond the heaps are zero.
void fill_budget(State& state, VkPhysicalDeviceMemoryBudgetPropertiesEXT& properties) {
  const std::size_t heaps = state.profile.heaps.size();
  std::vector<VkDeviceSize> budget(heaps);
  std::vector<VkDeviceSize> usage = state.used;
  for (std::size_t i = 0; i < heaps; ++i) {
    const auto share = static_cast<VkDeviceSize>(static_cast<double>(state.profile.heaps[i].size) *
                                                 state.profile.budget_share);
    // The specification asks for budgets above zero (VkPhysicalDeviceMemoryBudgetPropertiesEXT).
    budget[i] = std::max<VkDeviceSize>(1, share - std::min(share, state.outside[i]));
  }
  ++state.budget_queries;
  if (state.budget_script) state.budget_script(state.budget_queries, budget, usage);
  std::ranges::fill(properties.heapBudget, 0);
  std::ranges::fill(properties.heapUsage, 0);
  std::ranges::copy(budget, properties.heapBudget);
  std::ranges::copy(usage, properties.heapUsage);
}

}  // namespace

void get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  Call call(state_of(device), Function::get_physical_device_properties);
  fill(call->profile, *properties);
}

void get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  Call call(state_of(device), Function::get_physical_device_properties2);
  call.check_type(properties->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  check_chain(call, properties->pNext, ChainPlace::properties);
  const FakeProfile& profile = call->profile;
  fill(profile, properties->properties);
  if (auto* p = find_in_chain<VkPhysicalDeviceMaintenance3Properties>(
          properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)) {
    p->maxMemoryAllocationSize = profile.maximum_allocation_size;
    p->maxPerSetDescriptors = 1024;
  }
  if (auto* p = find_in_chain<VkPhysicalDeviceVulkan11Properties>(
          properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)) {
    p->maxMemoryAllocationSize = profile.maximum_allocation_size;
  }
  if (auto* p = find_in_chain<VkPhysicalDeviceMaintenance4Properties>(
          properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES)) {
    p->maxBufferSize = profile.maximum_buffer_size;
  }
  if (auto* p = find_in_chain<VkPhysicalDeviceVulkan13Properties>(
          properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES)) {
    p->maxBufferSize = profile.maximum_buffer_size;
  }
}

void get_memory_properties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* properties) {
  Call call(state_of(device), Function::get_physical_device_memory_properties);
  fill(call->profile, *properties);
}

void get_memory_properties2(VkPhysicalDevice device,
                            VkPhysicalDeviceMemoryProperties2* properties) {
  Call call(state_of(device), Function::get_physical_device_memory_properties2);
  call.check_type(properties->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
  check_chain(call, properties->pNext, ChainPlace::memory_properties);
  fill(call->profile, properties->memoryProperties);
  if (auto* p = find_in_chain<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
          properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)) {
    fill_budget(call.state(), *p);
  }
}

}  // namespace quarry::fakes::calls
