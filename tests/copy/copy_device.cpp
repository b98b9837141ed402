// SPDX-License-Identifier: MIT
#include "copy/copy_device.hpp"

#include <cstdio>
#include <stdexcept>

namespace quarry::copy {

namespace {

void require(VkResult result, const char* what) {
  if (result != VK_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with VkResult " + std::to_string(result));
}

}  // namespace

VkBool32 CopyDevice::hear(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
  static_cast<CopyDevice*>(user)->complaints_.emplace_back(data->pMessage);
  return VK_FALSE;
}

CopyDevice::CopyDevice(const CopyDeviceDesc& desc) {
  create_instance(desc);
  choose(desc.name_part);
  create_device();
  opened_ = std::make_unique<device::Device>();
  if (!opened_->open(allocator_desc()))
    throw std::runtime_error("the device lacks Vulkan functions");
}

AllocatorDesc CopyDevice::allocator_desc() const {
  AllocatorDesc desc;
  desc.api_version = VK_API_VERSION_1_2;
  desc.instance = instance_;
  desc.physical_device = physical_device_;
  desc.device = device_;
  desc.get_instance_proc_addr = vkGetInstanceProcAddr;
  desc.features = {.buffer_device_address = has_addresses_, .timeline_semaphore = true};
  return desc;
}

CopyDevice::~CopyDevice() {
  opened_.reset();
  if (device_ != VK_NULL_HANDLE) {
    vkDeviceWaitIdle(device_);
    for (VkCommandPool pool : pools_)
      vkDestroyCommandPool(device_, pool, nullptr);
    vkDestroySemaphore(device_, timeline_, nullptr);
    vkDestroyDevice(device_, nullptr);
  }
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy(instance_, messenger_, nullptr);
  }
  vkDestroyInstance(instance_, nullptr);
}

void CopyDevice::create_instance(const CopyDeviceDesc& desc) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  const char* layer = "VK_LAYER_KHRONOS_validation";
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledLayerCount = desc.validation ? 1 : 0;
  info.ppEnabledLayerNames = &layer;
  info.enabledExtensionCount = desc.validation ? 1 : 0;
  info.ppEnabledExtensionNames = &extension;
  require(vkCreateInstance(&info, nullptr, &instance_), "vkCreateInstance");
  if (!desc.validation) return;
  VkDebugUtilsMessengerCreateInfoEXT messenger{};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = hear;
  messenger.pUserData = this;
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  require(create(instance_, &messenger, nullptr, &messenger_), "vkCreateDebugUtilsMessengerEXT");
}

void CopyDevice::choose(const std::string& name_part) {
  std::uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  for (VkPhysicalDevice device : devices) {
    vkGetPhysicalDeviceProperties(device, &properties_);
    if (std::string(properties_.deviceName).find(name_part) == std::string::npos) continue;
    if (properties_.apiVersion < VK_API_VERSION_1_2) continue;
    physical_device_ = device;
    vkGetPhysicalDeviceMemoryProperties(device, &memory_);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    families_.resize(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families_.data());
    return;
  }
  throw std::runtime_error("no Vulkan 1.2 device named like '" + name_part + "'");
}

void CopyDevice::create_device() {
  VkPhysicalDeviceVulkan12Features v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &v12;
  vkGetPhysicalDeviceFeatures2(physical_device_, &features);
  has_addresses_ = v12.bufferDeviceAddress == VK_TRUE;
  v12 = {};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v12.bufferDeviceAddress = has_addresses_ ? VK_TRUE : VK_FALSE;
  v12.timelineSemaphore = VK_TRUE;
  const VkBool32 compressed = features.features.textureCompressionBC;
  features.features = {};
  features.features.textureCompressionBC = compressed;

  const float priority = 1.0f;
  std::vector<VkDeviceQueueCreateInfo> queues(families_.size());
  for (std::uint32_t family = 0; family < queues.size(); ++family) {
    queues[family].sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queues[family].queueFamilyIndex = family;
    queues[family].queueCount = 1;
    queues[family].pQueuePriorities = &priority;
  }
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  info.pQueueCreateInfos = queues.data();
  require(vkCreateDevice(physical_device_, &info, nullptr, &device_), "vkCreateDevice");

  queues_.resize(families_.size());
  pools_.resize(families_.size());
  for (std::uint32_t family = 0; family < families_.size(); ++family) {
    vkGetDeviceQueue(device_, family, 0, &queues_[family]);
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    pool.queueFamilyIndex = family;
    require(vkCreateCommandPool(device_, &pool, nullptr, &pools_[family]), "vkCreateCommandPool");
  }
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore{};
  semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  semaphore.pNext = &type;
  require(vkCreateSemaphore(device_, &semaphore, nullptr, &timeline_), "vkCreateSemaphore");
}

std::vector<std::string> CopyDevice::complaints() const {
  return complaints_;
}

std::uint32_t CopyDevice::find_type(std::uint32_t bits, Place place) const {
  constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags kHost =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  std::vector<VkMemoryPropertyFlags> wanted;
  if (place == Place::device) wanted = {kLocal};
  if (place == Place::device_host) wanted = {kLocal | kHost, kHost};
  if (place == Place::host) wanted = {kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kHost};
  for (const VkMemoryPropertyFlags flags : wanted) {
    for (std::uint32_t type = 0; type < memory_.memoryTypeCount; ++type) {
      if ((bits >> type & 1u) != 0 && (memory_.memoryTypes[type].propertyFlags & flags) == flags)
        return type;
    }
  }
  throw std::runtime_error("no such memory type");
}

DeviceBuffer CopyDevice::allocate_type(VkDeviceSize size, std::uint32_t type) {
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = has_addresses_ ? &flags : nullptr;
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  DeviceBuffer made{.size = size, .memory_type = type};
  require(vkAllocateMemory(device_, &info, nullptr, &made.memory), "vkAllocateMemory");
  if ((memory_.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    void* mapped = nullptr;
    require(vkMapMemory(device_, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    made.mapped = static_cast<std::byte*>(mapped);
  }
  return made;
}

DeviceBuffer CopyDevice::allocate(VkDeviceSize size, Place place) {
  return allocate_type(size, find_type(~0u, place));
}

DeviceBuffer CopyDevice::buffer(VkDeviceSize size, VkBufferUsageFlags usage, Place place) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  if (has_addresses_) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  require(vkCreateBuffer(device_, &info, nullptr, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needed{};
  vkGetBufferMemoryRequirements(device_, buffer, &needed);
  DeviceBuffer made = allocate_type(needed.size, find_type(needed.memoryTypeBits, place));
  made.buffer = buffer;
  made.size = size;
  require(vkBindBufferMemory(device_, buffer, made.memory, 0), "vkBindBufferMemory");
  if (has_addresses_) {
    VkBufferDeviceAddressInfo address{};
    address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    address.buffer = buffer;
    made.address = vkGetBufferDeviceAddress(device_, &address);
  }
  return made;
}

void CopyDevice::free(const DeviceBuffer& buffer) {
  vkDestroyBuffer(device_, buffer.buffer, nullptr);
  vkFreeMemory(device_, buffer.memory, nullptr);
}

bool CopyDevice::supports(const VkImageCreateInfo& info) const {
  VkImageFormatProperties limits{};
  return vkGetPhysicalDeviceImageFormatProperties(physical_device_, info.format, info.imageType,
                                                  info.tiling, info.usage, info.flags,
                                                  &limits) == VK_SUCCESS &&
         (limits.sampleCounts & info.samples) != 0 && info.mipLevels <= limits.maxMipLevels &&
         info.arrayLayers <= limits.maxArrayLayers;
}

DeviceImage CopyDevice::image(const VkImageCreateInfo& info) {
  DeviceImage made;
  require(vkCreateImage(device_, &info, nullptr, &made.image), "vkCreateImage");
  VkMemoryRequirements needed{};
  vkGetImageMemoryRequirements(device_, made.image, &needed);
  made.memory = allocate_type(needed.size, find_type(needed.memoryTypeBits, Place::device)).memory;
  require(vkBindImageMemory(device_, made.image, made.memory, 0), "vkBindImageMemory");
  return made;
}

void CopyDevice::free(const DeviceImage& image) {
  vkDestroyImage(device_, image.image, nullptr);
  vkFreeMemory(device_, image.memory, nullptr);
}

VkCommandBuffer CopyDevice::begin(std::uint32_t family) {
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pools_.at(family);
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  require(vkAllocateCommandBuffers(device_, &allocate, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  require(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  return commands;
}

void CopyDevice::submit(std::span<const Part> parts) {
  for (const Part& part : parts) {
    require(vkEndCommandBuffer(part.commands), "vkEndCommandBuffer");
    const std::uint64_t before = value_;
    const std::uint64_t after = ++value_;
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.waitSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &before;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &after;
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &values;
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &timeline_;
    info.pWaitDstStageMask = &stages;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &part.commands;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &timeline_;
    require(vkQueueSubmit(queues_.at(part.family), 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  }
  VkSemaphoreWaitInfo wait{};
  wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  wait.semaphoreCount = 1;
  wait.pSemaphores = &timeline_;
  wait.pValues = &value_;
  require(vkWaitSemaphores(device_, &wait, ~std::uint64_t{0}), "vkWaitSemaphores");
  for (const Part& part : parts)
    vkFreeCommandBuffers(device_, pools_.at(part.family), 1, &part.commands);
}

void CopyDevice::run(std::uint32_t family, const std::function<void(VkCommandBuffer)>& record) {
  const Part part{begin(family), family};
  record(part.commands);
  submit(std::span(&part, 1));
}

}  // namespace quarry::copy
