// SPDX-License-Identifier: MIT
// Instances and devices: finding the next layer, and hiding from the driver what only the disguise
// offers.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <vulkan/vk_layer.h>

#include "disguise/chain_copy.hpp"
#include "disguise/hooks.hpp"
#include "disguise/layer.hpp"

namespace quarry::disguise {

namespace {

/// The loader's link to the next layer. The loader expects it to be advanced in place.
template <class Link>
Link* find_link(const void* chain, VkStructureType type) {
  for (auto* s = static_cast<const Link*>(chain); s != nullptr;
       s = static_cast<const Link*>(s->pNext)) {
    if (s->sType == type && s->function == VK_LAYER_LINK_INFO) return const_cast<Link*>(s);
  }
  return nullptr;
}

template <class Function>
void fetch(Function& function, PFN_vkGetInstanceProcAddr get, VkInstance instance, const char* name,
           const char* other_name = nullptr) {
  function = reinterpret_cast<Function>(get(instance, name));
  if (function == nullptr && other_name != nullptr) {
    function = reinterpret_cast<Function>(get(instance, other_name));
  }
}

template <class Function>
void fetch(Function& function, PFN_vkGetDeviceProcAddr get, VkDevice device, const char* name,
           const char* other_name = nullptr) {
  function = reinterpret_cast<Function>(get(device, name));
  if (function == nullptr && other_name != nullptr) {
    function = reinterpret_cast<Function>(get(device, other_name));
  }
}

InstanceFunctions instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  InstanceFunctions f;
  f.get_instance_proc_addr = get;
  fetch(f.destroy_instance, get, instance, "vkDestroyInstance");
  fetch(f.enumerate_device_extension_properties, get, instance,
        "vkEnumerateDeviceExtensionProperties");
  fetch(f.get_properties, get, instance, "vkGetPhysicalDeviceProperties");
  fetch(f.get_properties2, get, instance, "vkGetPhysicalDeviceProperties2",
        "vkGetPhysicalDeviceProperties2KHR");
  fetch(f.get_memory_properties, get, instance, "vkGetPhysicalDeviceMemoryProperties");
  fetch(f.get_memory_properties2, get, instance, "vkGetPhysicalDeviceMemoryProperties2",
        "vkGetPhysicalDeviceMemoryProperties2KHR");
  fetch(f.get_features2, get, instance, "vkGetPhysicalDeviceFeatures2",
        "vkGetPhysicalDeviceFeatures2KHR");
  return f;
}

DeviceFunctions device_functions(PFN_vkGetDeviceProcAddr get, VkDevice device) {
  DeviceFunctions f;
  f.get_device_proc_addr = get;
  fetch(f.destroy_device, get, device, "vkDestroyDevice");
  fetch(f.allocate_memory, get, device, "vkAllocateMemory");
  fetch(f.free_memory, get, device, "vkFreeMemory");
  fetch(f.map_memory, get, device, "vkMapMemory");
  fetch(f.unmap_memory, get, device, "vkUnmapMemory");
  fetch(f.flush_ranges, get, device, "vkFlushMappedMemoryRanges");
  fetch(f.invalidate_ranges, get, device, "vkInvalidateMappedMemoryRanges");
  fetch(f.create_buffer, get, device, "vkCreateBuffer");
  fetch(f.create_image, get, device, "vkCreateImage");
  fetch(f.destroy_image, get, device, "vkDestroyImage");
  fetch(f.buffer_requirements, get, device, "vkGetBufferMemoryRequirements");
  fetch(f.image_requirements, get, device, "vkGetImageMemoryRequirements");
  fetch(f.buffer_requirements2, get, device, "vkGetBufferMemoryRequirements2",
        "vkGetBufferMemoryRequirements2KHR");
  fetch(f.image_requirements2, get, device, "vkGetImageMemoryRequirements2",
        "vkGetImageMemoryRequirements2KHR");
  fetch(f.device_buffer_requirements, get, device, "vkGetDeviceBufferMemoryRequirements",
        "vkGetDeviceBufferMemoryRequirementsKHR");
  fetch(f.device_image_requirements, get, device, "vkGetDeviceImageMemoryRequirements",
        "vkGetDeviceImageMemoryRequirementsKHR");
  return f;
}

/// A create-info that the driver understands: without extensions and feature structures that it
/// does not have.
class DriverDeviceInfo {
 public:
  DriverDeviceInfo(const Instance& instance, VkPhysicalDevice device,
                   const VkDeviceCreateInfo& info)
      : info_(info) {
    if (instance.profile == nullptr) return;
    const std::vector<VkExtensionProperties> offered = driver_extensions(instance, device);
    const auto lacking = [&](const char* name) {
      return std::ranges::none_of(offered, [&](const VkExtensionProperties& extension) {
        return std::strcmp(extension.extensionName, name) == 0;
      });
    };
    for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
      const char* name = info.ppEnabledExtensionNames[i];
      if (!is_added(*instance.profile, name) || !lacking(name)) names_.push_back(name);
    }
    std::vector<VkStructureType> types;
    if (lacking(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME)) {
      types.push_back(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT);
    }
    if (lacking(VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME)) {
      types.push_back(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD);
    }
    if (lacking("VK_KHR_maintenance5")) types.push_back(kMaintenance5Features);
    info_.pNext = chain_.without(info.pNext, types);
    info_.enabledExtensionCount = static_cast<std::uint32_t>(names_.size());
    info_.ppEnabledExtensionNames = names_.data();
  }

  const VkDeviceCreateInfo* get() const { return &info_; }

 private:
  static bool is_added(const Profile& profile, const char* name) {
    return std::ranges::any_of(added_extensions(profile),
                               [&](const char* added) { return std::strcmp(added, name) == 0; });
  }

  VkDeviceCreateInfo info_;
  std::vector<const char*> names_;
  ChainCopy chain_;
};

}  // namespace

VkResult hooks::create_instance(const VkInstanceCreateInfo* info,
                                const VkAllocationCallbacks* callbacks, VkInstance* instance) {
  auto* link = find_link<VkLayerInstanceCreateInfo>(info->pNext,
                                                    VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, callbacks, instance);
  if (result != VK_SUCCESS) return result;

  auto made = std::make_shared<Instance>();
  made->handle = *instance;
  made->profile = profile_from_environment();
  made->next = instance_functions(get, *instance);
  if (made->profile != nullptr) made->used_bytes.resize(made->profile->heaps.size());
  remember(dispatch_key(*instance), std::move(made));
  return VK_SUCCESS;
}

void hooks::destroy_instance(VkInstance instance, const VkAllocationCallbacks* callbacks) {
  if (instance == VK_NULL_HANDLE) return;
  const auto forgotten = forget_instance(dispatch_key(instance));
  if (forgotten != nullptr) forgotten->next.destroy_instance(instance, callbacks);
}

VkResult hooks::create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                              const VkAllocationCallbacks* callbacks, VkDevice* device) {
  auto* link =
      find_link<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  std::shared_ptr<Instance> instance = instance_of(dispatch_key(physical_device));
  if (link == nullptr || instance == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const PFN_vkGetDeviceProcAddr get_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(get(instance->handle, "vkCreateDevice"));
  const DriverDeviceInfo driver_info(*instance, physical_device, *info);
  const VkResult result = create(physical_device, driver_info.get(), callbacks, device);
  if (result != VK_SUCCESS) return result;

  auto made = std::make_shared<Device>();
  made->handle = *device;
  made->instance = std::move(instance);
  made->next = device_functions(get_device, *device);
  remember(dispatch_key(*device), std::move(made));
  return VK_SUCCESS;
}

void hooks::destroy_device(VkDevice device, const VkAllocationCallbacks* callbacks) {
  if (device == VK_NULL_HANDLE) return;
  const auto forgotten = forget_device(dispatch_key(device));
  if (forgotten != nullptr) forgotten->next.destroy_device(device, callbacks);
}

}  // namespace quarry::disguise
