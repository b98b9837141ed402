// SPDX-License-Identifier: MIT
// Looks devices over and picks one: the facts decide, then the wish, then the kind of device.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "viewer/device_object.hpp"
#include "viewer/gpu.hpp"

namespace quarry::viewer {

namespace {

std::vector<VkExtensionProperties> device_extensions(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  return extensions;
}

bool has(const std::vector<VkExtensionProperties>& extensions, const char* name) {
  return std::any_of(extensions.begin(), extensions.end(), [name](const VkExtensionProperties& e) {
    return std::strcmp(e.extensionName, name) == 0;
  });
}

/// The graphics family, and the family for copies: one that does nothing else is best (it has copy
/// engines of its own), then one without graphics, then the graphics family.
bool choose_families(DeviceFacts& facts, VkSurfaceKHR surface) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(facts.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(facts.handle, &count, families.data());
  bool found = false;
  for (std::uint32_t i = 0; i < count && !found; ++i) {
    VkBool32 presents = VK_TRUE;
    if (surface != VK_NULL_HANDLE) {
      vkGetPhysicalDeviceSurfaceSupportKHR(facts.handle, i, surface, &presents);
    }
    if ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0 && presents == VK_TRUE) {
      facts.graphics_family = i;
      found = true;
    }
  }
  if (!found) return false;
  facts.transfer_family = facts.graphics_family;
  int best = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkQueueFlags flags = families[i].queueFlags;
    if ((flags & VK_QUEUE_GRAPHICS_BIT) != 0) continue;
    // Families for video or protected content alone need not allow transfers.
    const bool compute = (flags & VK_QUEUE_COMPUTE_BIT) != 0;
    const int worth = compute ? 1 : (flags & VK_QUEUE_TRANSFER_BIT) != 0 ? 2 : 0;
    // A family that copies nothing but whole mips cannot take slices.
    if (worth > best && families[i].minImageTransferGranularity.height != 0) {
      best = worth;
      facts.transfer_family = i;
    }
  }
  facts.graphics_granularity = families[facts.graphics_family].minImageTransferGranularity;
  facts.transfer_granularity = families[facts.transfer_family].minImageTransferGranularity;
  return true;
}

const char* kind(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "CPU";
    default:
      return "other";
  }
}

int rank(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 1;
    default:
      return 0;
  }
}

std::string lower(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool matches(const std::string& wish, std::size_t index, const char* name) {
  if (!wish.empty() && wish.find_first_not_of("0123456789") == std::string::npos) {
    return wish == std::to_string(index);
  }
  return lower(name).find(lower(wish)) != std::string::npos;
}

}  // namespace

DeviceFacts inspect(VkPhysicalDevice device, VkSurfaceKHR surface) {
  DeviceFacts facts;
  facts.handle = device;
  vkGetPhysicalDeviceProperties(device, &facts.properties);
  if (facts.properties.apiVersion < VK_API_VERSION_1_3) {
    facts.unusable = "its driver offers less than Vulkan 1.3";
    return facts;
  }
  auto priority = structure<VkPhysicalDeviceMemoryPriorityFeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT);
  const auto extensions = device_extensions(device);
  auto features =
      structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  if (has(extensions, VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME)) features.pNext = &priority;
  vkGetPhysicalDeviceFeatures2(device, &features);
  facts.memory_budget = has(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  facts.memory_priority = priority.memoryPriority == VK_TRUE;
  facts.block_compression = features.features.textureCompressionBC == VK_TRUE;
  if (features.features.samplerAnisotropy == VK_TRUE) {
    facts.anisotropy = facts.properties.limits.maxSamplerAnisotropy;
  }
  if (surface != VK_NULL_HANDLE && !has(extensions, VK_KHR_SWAPCHAIN_EXTENSION_NAME)) {
    facts.unusable = "it cannot show windows (no VK_KHR_swapchain)";
  } else if (!choose_families(facts, surface)) {
    facts.unusable = surface != VK_NULL_HANDLE ? "no queue of it draws and shows windows"
                                               : "no queue of it draws";
  }
  return facts;
}

std::string device_list(const std::vector<VkPhysicalDevice>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceFacts facts = inspect(devices[i], VK_NULL_HANDLE);
    VkPhysicalDeviceMemoryProperties memory{};
    vkGetPhysicalDeviceMemoryProperties(devices[i], &memory);
    VkDeviceSize local = 0;
    for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
      if ((memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) {
        local += memory.memoryHeaps[heap].size;
      }
    }
    const std::uint32_t version = facts.properties.apiVersion;
    char line[512];
    (void)std::snprintf(line, sizeof line, "%zu: %s (%s, Vulkan %u.%u.%u, %.1f GiB)%s%s\n", i,
                        facts.properties.deviceName, kind(facts.properties.deviceType),
                        VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                        VK_API_VERSION_PATCH(version),
                        static_cast<double>(local) / (1024.0 * 1024.0 * 1024.0),
                        facts.unusable.empty() ? "" : ": unusable, ", facts.unusable.c_str());
    text += line;
  }
  return text;
}

Outcome<DeviceFacts> choose_device(const std::vector<VkPhysicalDevice>& devices,
                                   const std::string& wish, VkSurfaceKHR surface) {
  DeviceFacts best;
  int best_rank = -1;
  std::string reason;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    DeviceFacts facts = inspect(devices[i], surface);
    if (!matches(wish, i, facts.properties.deviceName)) continue;
    if (!facts.unusable.empty()) {
      reason = std::string(facts.properties.deviceName) + ": " + facts.unusable;
      continue;
    }
    if (rank(facts.properties.deviceType) > best_rank) {
      best_rank = rank(facts.properties.deviceType);
      best = std::move(facts);
    }
  }
  if (best_rank >= 0) return best;
  if (!reason.empty()) return failure("no usable Vulkan device: " + reason);
  return failure("--device: none is called '" + wish + "'; there are\n" + device_list(devices));
}

}  // namespace quarry::viewer
