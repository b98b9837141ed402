// SPDX-License-Identifier: MIT
// What the physical device says of itself: heaps, types, limits, budgets, features, extensions.
#include <algorithm>
#include <cstring>
#include <vector>

#include "disguise/chain_copy.hpp"
#include "disguise/hooks.hpp"
#include "disguise/layer.hpp"

namespace quarry::disguise {

namespace {

void disguise(const Profile* profile, VkPhysicalDeviceProperties& properties) {
  if (profile == nullptr) return;
  properties.limits.nonCoherentAtomSize = profile->atom;
  properties.limits.bufferImageGranularity = profile->granularity;
}

void disguise(const Profile* profile, VkPhysicalDeviceMemoryProperties& properties) {
  if (profile == nullptr) return;
  properties = {};
  properties.memoryHeapCount = static_cast<std::uint32_t>(profile->heaps.size());
  properties.memoryTypeCount = static_cast<std::uint32_t>(profile->types.size());
  std::ranges::copy(profile->heaps, properties.memoryHeaps);
  std::ranges::copy(profile->types, properties.memoryTypes);
}

void disguise(Instance& instance, VkPhysicalDeviceMemoryBudgetPropertiesEXT& budget) {
  std::ranges::fill(budget.heapBudget, 0);
  std::ranges::fill(budget.heapUsage, 0);
  const std::lock_guard lock(instance.mutex);
  for (std::size_t i = 0; i < instance.profile->heaps.size(); ++i) {
    budget.heapBudget[i] = instance.profile->heaps[i].size / 10 * 9;
    budget.heapUsage[i] = instance.used_bytes[i];
  }
}

VkResult answer(const std::vector<VkExtensionProperties>& all, std::uint32_t* count,
                VkExtensionProperties* extensions) {
  const auto available = static_cast<std::uint32_t>(all.size());
  if (extensions == nullptr) {
    *count = available;
    return VK_SUCCESS;
  }
  *count = std::min(*count, available);
  std::copy_n(all.begin(), *count, extensions);
  return *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

void add_missing(const Profile& profile, std::vector<VkExtensionProperties>& extensions) {
  for (const char* name : added_extensions(profile)) {
    const bool present = std::ranges::any_of(extensions, [&](const VkExtensionProperties& e) {
      return std::strcmp(e.extensionName, name) == 0;
    });
    if (present) continue;
    VkExtensionProperties extension{};
    std::strncpy(extension.extensionName, name, sizeof extension.extensionName - 1);
    extension.specVersion = 1;
    extensions.push_back(extension);
  }
}

}  // namespace

void hooks::get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  const auto instance = instance_of(dispatch_key(device));
  instance->next.get_properties(device, properties);
  disguise(instance->profile, *properties);
}

void hooks::get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  const auto instance = instance_of(dispatch_key(device));
  instance->next.get_properties2(device, properties);
  disguise(instance->profile, properties->properties);
}

void hooks::get_memory_properties(VkPhysicalDevice device,
                                  VkPhysicalDeviceMemoryProperties* properties) {
  const auto instance = instance_of(dispatch_key(device));
  instance->next.get_memory_properties(device, properties);
  disguise(instance->profile, *properties);
}

void hooks::get_memory_properties2(VkPhysicalDevice device,
                                   VkPhysicalDeviceMemoryProperties2* properties) {
  const auto instance = instance_of(dispatch_key(device));
  instance->next.get_memory_properties2(device, properties);
  disguise(instance->profile, properties->memoryProperties);
  auto* budget = find_in_chain<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
      properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
  if (instance->profile != nullptr && budget != nullptr) disguise(*instance, *budget);
}

void hooks::get_features2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  const auto instance = instance_of(dispatch_key(device));
  instance->next.get_features2(device, features);
  if (instance->profile == nullptr) return;
  if (auto* f = find_in_chain<VkPhysicalDeviceMemoryPriorityFeaturesEXT>(
          features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT)) {
    f->memoryPriority = VK_TRUE;
  }
  if (auto* f = find_in_chain<VkPhysicalDeviceCoherentMemoryFeaturesAMD>(
          features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD)) {
    f->deviceCoherentMemory = instance->profile->device_coherent ? VK_TRUE : VK_FALSE;
  }
  if (auto* f = find_in_chain<Maintenance5Features>(features->pNext, kMaintenance5Features)) {
    f->maintenance5 = VK_TRUE;
  }
}

VkResult hooks::enumerate_device_extensions(VkPhysicalDevice device, const char* layer,
                                            std::uint32_t* count,
                                            VkExtensionProperties* extensions) {
  const auto instance = instance_of(dispatch_key(device));
  const bool own = layer != nullptr && std::strcmp(layer, kLayerName) == 0;
  if (instance->profile == nullptr || (layer != nullptr && !own)) {
    if (own) return answer({}, count, extensions);
    return instance->next.enumerate_device_extension_properties(device, layer, count, extensions);
  }
  std::vector<VkExtensionProperties> all;
  if (!own) all = driver_extensions(*instance, device);
  add_missing(*instance->profile, all);
  return answer(all, count, extensions);
}

}  // namespace quarry::disguise
