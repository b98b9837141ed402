// SPDX-License-Identifier: MIT
#include "disguise/disguised_device.hpp"

#include <cstdlib>
#include <cstring>

namespace quarry::disguise {

namespace {

constexpr const char* kValidation = "VK_LAYER_KHRONOS_validation";

bool layer_exists(const char* name) {
  std::uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  for (const VkLayerProperties& layer : layers) {
    if (std::strcmp(layer.layerName, name) == 0) return true;
  }
  return false;
}

VkPhysicalDevice find_cpu_device(VkInstance instance) {
  std::uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  vkEnumeratePhysicalDevices(instance, &count, devices.data());
  for (VkPhysicalDevice device : devices) {
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(device, &properties);
    if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) return device;
  }
  return VK_NULL_HANDLE;
}

}  // namespace

DisguisedInstance::DisguisedInstance(const char* profile, bool validation) {
  // Validation stands nearest to the program, to check against what the disguise shows. Some
  // loaders (1.3.239) order by the path, others by the list of names; here both say the same.
  setenv("VK_LAYER_PATH", "/usr/share/vulkan/explicit_layer.d:" QUARRY_DISGUISE_DIR, 1);
  setenv("QUARRY_DISGUISE", profile, 1);
  setenv("VK_INSTANCE_LAYERS",
         validation ? "VK_LAYER_KHRONOS_validation:VK_LAYER_QUARRY_disguise"
                    : "VK_LAYER_QUARRY_disguise",
         1);
  const bool listens = validation && layer_exists(kValidation);
  const char* debug_utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = listens ? 1 : 0;
  info.ppEnabledExtensionNames = &debug_utils;
  if (vkCreateInstance(&info, nullptr, &instance_) != VK_SUCCESS) return;
  if (listens) listen();
  physical_device_ = find_cpu_device(instance_);
}

DisguisedInstance::~DisguisedInstance() {
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy(instance_, messenger_, nullptr);
  }
  vkDestroyInstance(instance_, nullptr);
}

VkBool32 DisguisedInstance::hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                 VkDebugUtilsMessageTypeFlagsEXT,
                                 const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  constexpr auto kFaults = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  auto& self = *static_cast<DisguisedInstance*>(user);
  if ((severity & kFaults) != 0) {
    const std::lock_guard lock(self.mutex_);
    self.messages_.emplace_back(data->pMessageIdName != nullptr ? data->pMessageIdName
                                                                : data->pMessage);
  }
  return VK_FALSE;
}

void DisguisedInstance::listen() {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = hear;
  info.pUserData = this;
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  create(instance_, &info, nullptr, &messenger_);
}

std::vector<std::string> DisguisedInstance::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

DisguisedDevice::DisguisedDevice(const DisguisedInstance& instance,
                                 const std::vector<const char*>& extensions, const void* chain) {
  const float priority = 1.0f;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = chain;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  result_ = vkCreateDevice(instance.physical_device(), &info, nullptr, &device_);
  if (result_ != VK_SUCCESS) return;
  vkGetDeviceQueue(device_, 0, 0, &queue_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  vkCreateCommandPool(device_, &pool, nullptr, &pool_);
}

DisguisedDevice::~DisguisedDevice() {
  if (device_ == VK_NULL_HANDLE) return;
  vkDestroyCommandPool(device_, pool_, nullptr);
  vkDestroyDevice(device_, nullptr);
}

VkDeviceMemory DisguisedDevice::allocate(std::uint32_t type, VkDeviceSize size,
                                         VkResult* result) const {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  const VkResult answered = vkAllocateMemory(device_, &info, nullptr, &memory);
  if (result != nullptr) *result = answered;
  return memory;
}

VkBuffer DisguisedDevice::buffer(VkDeviceSize size, VkBufferUsageFlags usage) const {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  vkCreateBuffer(device_, &info, nullptr, &buffer);
  return buffer;
}

void* DisguisedDevice::map(VkDeviceMemory memory) const {
  void* data = nullptr;
  vkMapMemory(device_, memory, 0, VK_WHOLE_SIZE, 0, &data);
  return data;
}

void DisguisedDevice::copy(VkBuffer source, VkBuffer destination, VkDeviceSize size) const {
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool_;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  vkAllocateCommandBuffers(device_, &allocate, &commands);
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  vkBeginCommandBuffer(commands, &begin);
  const VkBufferCopy region{0, 0, size};
  vkCmdCopyBuffer(commands, source, destination, 1, &region);
  vkEndCommandBuffer(commands);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE);
  vkQueueWaitIdle(queue_);
  vkFreeCommandBuffers(device_, pool_, 1, &commands);
}

}  // namespace quarry::disguise
