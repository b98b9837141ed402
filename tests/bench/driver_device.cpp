// SPDX-License-Identifier: MIT
#include "bench/driver_device.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <vulkan/vulkan.h>

namespace quarry::bench {

namespace {

template <class Function>
void load(VkDevice device, const char* name, Function& function) {
  function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
}

class LoaderDevice : public DriverDevice {
 public:
  ~LoaderDevice() override {
    if (device_ != VK_NULL_HANDLE) vkDestroyDevice(device_, nullptr);
    if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
  }

  /// An error, or "" when it is open.
  std::string open() {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    if (vkCreateInstance(&info, nullptr, &instance_) != VK_SUCCESS)
      return "no Vulkan instance (is there a driver?)";
    std::uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(instance_, &count, &physical_device_) < 0 || count == 0)
      return "no Vulkan device";
    vkGetPhysicalDeviceProperties(physical_device_, &properties_);
    if (properties_.apiVersion < VK_API_VERSION_1_3) return "the device is below Vulkan 1.3";
    if (!create_device()) return "vkCreateDevice failed";
    load_functions();
    return "";
  }

  std::string name() const override { return properties_.deviceName; }
  AllocatorDesc allocator_desc() const override {
    AllocatorDesc desc;
    desc.api_version = VK_API_VERSION_1_3;
    desc.instance = instance_;
    desc.physical_device = physical_device_;
    desc.device = device_;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.device_extensions = extensions_;
    desc.features = {.memory_priority = priority_.memoryPriority == VK_TRUE,
                     .maintenance4 = v13_.maintenance4 == VK_TRUE};
    return desc;
  }
  ReferenceDesc reference_desc() const override {
    ReferenceDesc desc;
    desc.device = device_;
    desc.functions = functions_;
    vkGetPhysicalDeviceMemoryProperties(physical_device_, &desc.memory);
    desc.granularity = properties_.limits.bufferImageGranularity;
    return desc;
  }
  const VulkanFunctions& functions() const override { return functions_; }

 private:
  bool offers(const char* extension) const {
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical_device_, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    vkEnumerateDeviceExtensionProperties(physical_device_, nullptr, &count, all.data());
    return std::any_of(all.begin(), all.end(), [&](const VkExtensionProperties& one) {
      return std::strcmp(one.extensionName, extension) == 0;
    });
  }

  bool create_device() {
    v13_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    priority_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT;
    if (offers(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
      extensions_.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    if (offers(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME)) {
      extensions_.push_back(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);
      v13_.pNext = &priority_;
    }
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &v13_;
    vkGetPhysicalDeviceFeatures2(physical_device_, &features);
    features.features = {};
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<std::uint32_t>(extensions_.size());
    info.ppEnabledExtensionNames = extensions_.data();
    return vkCreateDevice(physical_device_, &info, nullptr, &device_) == VK_SUCCESS;
  }

  void load_functions() {
    load(device_, "vkAllocateMemory", functions_.vkAllocateMemory);
    load(device_, "vkFreeMemory", functions_.vkFreeMemory);
    load(device_, "vkCreateBuffer", functions_.vkCreateBuffer);
    load(device_, "vkDestroyBuffer", functions_.vkDestroyBuffer);
    load(device_, "vkGetBufferMemoryRequirements2", functions_.vkGetBufferMemoryRequirements2);
    load(device_, "vkBindBufferMemory2", functions_.vkBindBufferMemory2);
  }

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_{};
  VkPhysicalDeviceVulkan13Features v13_{};
  VkPhysicalDeviceMemoryPriorityFeaturesEXT priority_{};
  std::vector<const char*> extensions_;
  VkDevice device_ = VK_NULL_HANDLE;
  VulkanFunctions functions_{};
};

}  // namespace

Expected<std::unique_ptr<DriverDevice>, std::string> open_driver_device() {
  auto device = std::make_unique<LoaderDevice>();
  const std::string error = device->open();
  if (!error.empty()) return Unexpected(error);
  return std::unique_ptr<DriverDevice>(std::move(device));
}

}  // namespace quarry::bench
