// SPDX-License-Identifier: MIT
// What the layer remembers of instances and devices: the next layer's functions, and the memory
// that it accounts for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "disguise/profile.hpp"

namespace quarry::disguise {

constexpr const char* kLayerName = "VK_LAYER_QUARRY_disguise";

/// Vulkan 1.4 / VK_KHR_maintenance5, absent from older headers.
constexpr auto kMaintenance5Features = static_cast<VkStructureType>(1000470000);
constexpr auto kBufferUsageFlags2 = static_cast<VkStructureType>(1000470006);
struct Maintenance5Features {
  VkStructureType sType;
  void* pNext;
  VkBool32 maintenance5;
};
struct BufferUsageFlags2 {
  VkStructureType sType;
  const void* pNext;
  VkFlags64 usage;
};

/// The next layer's functions. They are fetched while the instance is made: later the loader would
/// answer with the top of the chain.
struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  PFN_vkDestroyInstance destroy_instance = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties enumerate_device_extension_properties = nullptr;
  PFN_vkGetPhysicalDeviceProperties get_properties = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 get_properties2 = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties get_memory_properties = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties2 get_memory_properties2 = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 get_features2 = nullptr;
};

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  const Profile* profile = nullptr;  ///< null: no disguise
  InstanceFunctions next;
  std::mutex mutex;                        // leaf: guards used_bytes
  std::vector<VkDeviceSize> used_bytes{};  ///< by heap of the profile
};

/// One VkDeviceMemory. Memory of a type that is not coherent gets a shadow: the program writes the
/// shadow, and a flush carries its bytes to the driver's memory, so that a forgotten flush shows.
struct Memory {
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::uint32_t type = 0;
  VkDeviceSize size = 0;
  bool mapped = false;
  VkDeviceSize map_offset = 0;
  VkDeviceSize map_size = 0;
  std::unique_ptr<std::byte, Free> shadow;
  std::byte* driver_bytes = nullptr;  ///< mapped for the shadow's sake
};

struct DeviceFunctions {
  PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
  PFN_vkDestroyDevice destroy_device = nullptr;
  PFN_vkAllocateMemory allocate_memory = nullptr;
  PFN_vkFreeMemory free_memory = nullptr;
  PFN_vkMapMemory map_memory = nullptr;
  PFN_vkUnmapMemory unmap_memory = nullptr;
  PFN_vkFlushMappedMemoryRanges flush_ranges = nullptr;
  PFN_vkInvalidateMappedMemoryRanges invalidate_ranges = nullptr;
  PFN_vkCreateBuffer create_buffer = nullptr;
  PFN_vkCreateImage create_image = nullptr;
  PFN_vkDestroyImage destroy_image = nullptr;
  PFN_vkGetBufferMemoryRequirements buffer_requirements = nullptr;
  PFN_vkGetImageMemoryRequirements image_requirements = nullptr;
  PFN_vkGetBufferMemoryRequirements2 buffer_requirements2 = nullptr;
  PFN_vkGetImageMemoryRequirements2 image_requirements2 = nullptr;
  PFN_vkGetDeviceBufferMemoryRequirements device_buffer_requirements = nullptr;
  PFN_vkGetDeviceImageMemoryRequirements device_image_requirements = nullptr;
};

struct Device {
  VkDevice handle = VK_NULL_HANDLE;
  std::shared_ptr<Instance> instance;
  DeviceFunctions next;
  std::mutex mutex;  // before Instance::mutex; guards what follows
  std::unordered_map<std::uint64_t, Memory> memories;
  std::unordered_map<std::uint64_t, VkImageCreateInfo> images;  ///< pointers within are not valid

  const Profile* profile() const { return instance->profile; }
};

/// Handles of one chain share the loader's dispatch pointer, which is their first word.
template <class Dispatchable>
void* dispatch_key(Dispatchable handle) {
  return *reinterpret_cast<void**>(handle);
}

/// The number behind a non-dispatchable handle, a pointer on 64 bits.
template <class Handle>
std::uint64_t id_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return handle;
  }
}

void remember(void* key, std::shared_ptr<Instance> instance);
void remember(void* key, std::shared_ptr<Device> device);
/// Null for what was not made through the layer.
std::shared_ptr<Instance> instance_of(void* key);
std::shared_ptr<Device> device_of(void* key);
std::shared_ptr<Instance> forget_instance(void* key);
std::shared_ptr<Device> forget_device(void* key);

/// Names of the device extensions that the disguise adds.
std::vector<const char*> added_extensions(const Profile& profile);
/// What the driver itself offers.
std::vector<VkExtensionProperties> driver_extensions(const Instance& instance,
                                                     VkPhysicalDevice device);

}  // namespace quarry::disguise
