// SPDX-License-Identifier: MIT
// The layer's entry: hooks by name, everything else from the next layer. Loader and layer
// interface, version 2.
#include <algorithm>
#include <array>
#include <string_view>

#include <vulkan/vk_layer.h>

#include "disguise/hooks.hpp"
#include "disguise/layer.hpp"

namespace quarry::disguise {

namespace {

struct Hook {
  std::string_view name;
  PFN_vkVoidFunction function;
};

template <class Function>
Hook hook(std::string_view name, Function function) {
  return {name, reinterpret_cast<PFN_vkVoidFunction>(function)};
}

PFN_vkVoidFunction find_instance_hook(std::string_view name) {
  static const std::array all{
      hook("vkGetInstanceProcAddr", hooks::get_instance_proc_addr),
      hook("vkCreateInstance", hooks::create_instance),
      hook("vkDestroyInstance", hooks::destroy_instance),
      hook("vkCreateDevice", hooks::create_device),
      hook("vkEnumerateDeviceExtensionProperties", hooks::enumerate_device_extensions),
      hook("vkGetPhysicalDeviceProperties", hooks::get_properties),
      hook("vkGetPhysicalDeviceProperties2", hooks::get_properties2),
      hook("vkGetPhysicalDeviceProperties2KHR", hooks::get_properties2),
      hook("vkGetPhysicalDeviceMemoryProperties", hooks::get_memory_properties),
      hook("vkGetPhysicalDeviceMemoryProperties2", hooks::get_memory_properties2),
      hook("vkGetPhysicalDeviceMemoryProperties2KHR", hooks::get_memory_properties2),
      hook("vkGetPhysicalDeviceFeatures2", hooks::get_features2),
      hook("vkGetPhysicalDeviceFeatures2KHR", hooks::get_features2),
  };
  const auto* it = std::ranges::find(all, name, &Hook::name);
  return it == all.end() ? nullptr : it->function;
}

PFN_vkVoidFunction find_device_hook(std::string_view name) {
  static const std::array all{
      hook("vkGetDeviceProcAddr", hooks::get_device_proc_addr),
      hook("vkDestroyDevice", hooks::destroy_device),
      hook("vkAllocateMemory", hooks::allocate_memory),
      hook("vkFreeMemory", hooks::free_memory),
      hook("vkMapMemory", hooks::map_memory),
      hook("vkUnmapMemory", hooks::unmap_memory),
      hook("vkFlushMappedMemoryRanges", hooks::flush_ranges),
      hook("vkInvalidateMappedMemoryRanges", hooks::invalidate_ranges),
      hook("vkCreateBuffer", hooks::create_buffer),
      hook("vkCreateImage", hooks::create_image),
      hook("vkDestroyImage", hooks::destroy_image),
      hook("vkGetBufferMemoryRequirements", hooks::buffer_requirements),
      hook("vkGetImageMemoryRequirements", hooks::image_requirements),
      hook("vkGetBufferMemoryRequirements2", hooks::buffer_requirements2),
      hook("vkGetBufferMemoryRequirements2KHR", hooks::buffer_requirements2),
      hook("vkGetImageMemoryRequirements2", hooks::image_requirements2),
      hook("vkGetImageMemoryRequirements2KHR", hooks::image_requirements2),
      hook("vkGetDeviceBufferMemoryRequirements", hooks::device_buffer_requirements),
      hook("vkGetDeviceBufferMemoryRequirementsKHR", hooks::device_buffer_requirements),
      hook("vkGetDeviceImageMemoryRequirements", hooks::device_image_requirements),
      hook("vkGetDeviceImageMemoryRequirementsKHR", hooks::device_image_requirements),
  };
  const auto* it = std::ranges::find(all, name, &Hook::name);
  return it == all.end() ? nullptr : it->function;
}

}  // namespace

PFN_vkVoidFunction hooks::get_device_proc_addr(VkDevice device, const char* name) {
  const auto d = device_of(dispatch_key(device));
  if (d == nullptr) return nullptr;
  const PFN_vkVoidFunction next = d->next.get_device_proc_addr(device, name);
  const PFN_vkVoidFunction own = find_device_hook(name);
  // What the device does not offer stays absent.
  return next != nullptr && own != nullptr ? own : next;
}

PFN_vkVoidFunction hooks::get_instance_proc_addr(VkInstance instance, const char* name) {
  if (const PFN_vkVoidFunction own = find_instance_hook(name)) return own;
  if (const PFN_vkVoidFunction own = find_device_hook(name)) return own;
  if (instance == VK_NULL_HANDLE) return nullptr;
  const auto i = instance_of(dispatch_key(instance));
  return i == nullptr ? nullptr : i->next.get_instance_proc_addr(instance, name);
}

}  // namespace quarry::disguise

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
  namespace hooks = quarry::disguise::hooks;
  negotiation->loaderLayerInterfaceVersion = std::min(negotiation->loaderLayerInterfaceVersion, 2u);
  negotiation->pfnGetInstanceProcAddr = hooks::get_instance_proc_addr;
  negotiation->pfnGetDeviceProcAddr = hooks::get_device_proc_addr;
  negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
