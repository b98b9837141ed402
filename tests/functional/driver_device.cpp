// SPDX-License-Identifier: MIT
// The functional suite's device on a real Vulkan driver, through the loader, with the validation
// layer listening.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include <vulkan/vulkan.h>

#include "functional/test_device.hpp"
#include "functional/texels.hpp"

namespace quarry::functional {

namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

void require(VkResult result, const char* what) {
  if (result != VK_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with VkResult " + std::to_string(result));
}

/// Complaints of the validation layer; filled from any thread.
class Listener {
 public:
  static VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                  VkDebugUtilsMessageTypeFlagsEXT,
                                  const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    auto* listener = static_cast<Listener*>(user);
    const std::scoped_lock lock(listener->mutex_);
    listener->messages_.emplace_back(data->pMessage);
    (void)std::fprintf(stderr, "validation: %s\n", data->pMessage);
    return VK_FALSE;
  }
  std::vector<std::string> messages() const {
    const std::scoped_lock lock(mutex_);
    return messages_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

/// Everything that is enabled, chained for vkCreateDevice and told to the allocator alike.
struct Enabled {
  std::vector<const char*> extensions;
  VkPhysicalDeviceFeatures2 features{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceMemoryPriorityFeaturesEXT priority{};
  VkPhysicalDeviceCoherentMemoryFeaturesAMD coherent{};
};

class DriverDevice : public TestDevice {
 public:
  explicit DriverDevice(bool demand_validation) {
    create_instance(demand_validation);
    choose_physical_device();
    create_device();
    create_queue_objects();
  }
  ~DriverDevice() override {
    vkDestroySemaphore(device_, timeline_, nullptr);
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroyDevice(device_, nullptr);
    if (messenger_ != VK_NULL_HANDLE) {
      const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
          vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
      destroy(instance_, messenger_, nullptr);
    }
    vkDestroyInstance(instance_, nullptr);
  }
  DriverDevice(const DriverDevice&) = delete;
  DriverDevice& operator=(const DriverDevice&) = delete;

  AllocatorDesc allocator_desc() const override {
    AllocatorDesc desc;
    desc.api_version = VK_API_VERSION_1_3;
    desc.instance = instance_;
    desc.physical_device = physical_device_;
    desc.device = device_;
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    desc.device_extensions = enabled_.extensions;
    desc.features = {.buffer_device_address = enabled_.v12.bufferDeviceAddress == VK_TRUE,
                     .memory_priority = enabled_.priority.memoryPriority == VK_TRUE,
                     .device_coherent_memory = enabled_.coherent.deviceCoherentMemory == VK_TRUE,
                     .maintenance4 = enabled_.v13.maintenance4 == VK_TRUE,
                     .timeline_semaphore = true};
    return desc;
  }
  std::string description() const override { return properties_.deviceName; }
  VkDevice device() const override { return device_; }
  PFN_vkVoidFunction device_function(const char* name) const override {
    return vkGetDeviceProcAddr(device_, name);
  }

  void copy_buffer(VkBuffer from, VkBuffer to, const VkBufferCopy& region) override {
    run([&](VkCommandBuffer commands) {
      vkCmdCopyBuffer(commands, from, to, 1, &region);
      make_visible_to_host(commands);
    });
  }
  void fill_buffer(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                   std::uint32_t word) override {
    run([&](VkCommandBuffer commands) {
      vkCmdFillBuffer(commands, buffer, offset, size, word);
      make_visible_to_host(commands);
    });
  }
  bool supports(const VkImageCreateInfo& info) const override {
    VkImageFormatProperties limits{};
    return vkGetPhysicalDeviceImageFormatProperties(physical_device_, info.format, info.imageType,
                                                    info.tiling, info.usage, info.flags,
                                                    &limits) == VK_SUCCESS &&
           info.mipLevels <= limits.maxMipLevels && info.arrayLayers <= limits.maxArrayLayers;
  }
  void write_image(VkBuffer from, const TestImage& image) override {
    const Texels texels = texels_of(image.info);
    run([&](VkCommandBuffer commands) {
      change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED,
                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      const std::vector<VkBufferImageCopy> regions = texels.regions();
      vkCmdCopyBufferToImage(commands, from, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                             static_cast<std::uint32_t>(regions.size()), regions.data());
      change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, image.layout);
    });
  }
  void read_image(const TestImage& image, VkBuffer to) override {
    const Texels texels = texels_of(image.info);
    run([&](VkCommandBuffer commands) {
      change_layout(commands, image, image.layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
      const std::vector<VkBufferImageCopy> regions = texels.regions();
      vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to,
                             static_cast<std::uint32_t>(regions.size()), regions.data());
      make_visible_to_host(commands);
      change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image.layout);
    });
  }

  VkSemaphore timeline() const override { return timeline_; }
  void submit_copy(VkBuffer from, VkBuffer to, const VkBufferCopy& region,
                   std::uint64_t value) override {
    const VkCommandBuffer commands = begin();
    vkCmdCopyBuffer(commands, from, to, 1, &region);
    make_visible_to_host(commands);
    submit(commands, value);
  }
  void wait(std::uint64_t value) override {
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline_;
    info.pValues = &value;
    require(vkWaitSemaphores(device_, &info, ~std::uint64_t{0}), "vkWaitSemaphores");
  }
  VkCommandBuffer begin_commands() override { return begin(); }
  void submit_commands(VkCommandBuffer commands, std::uint64_t value) override {
    submit(commands, value);
  }

  VkDeviceAddress address(VkBuffer buffer) override {
    if (enabled_.v12.bufferDeviceAddress != VK_TRUE) return 0;
    VkBufferDeviceAddressInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = buffer;
    return vkGetBufferDeviceAddress(device_, &info);
  }
  bool supports_disjoint(VkFormat format) const override {
    VkFormatProperties properties{};
    vkGetPhysicalDeviceFormatProperties(physical_device_, format, &properties);
    return enabled_.v11.samplerYcbcrConversion == VK_TRUE &&
           (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_DISJOINT_BIT) != 0;
  }
  void allow_aliasing(const AllocationInfo&) override {}
  std::vector<std::string> complaints() const override { return listener_.messages(); }
  bool provoke_complaint() override {
    if (messenger_ == VK_NULL_HANDLE) return false;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 16;  // and no usage, which is invalid
    VkBuffer buffer = VK_NULL_HANDLE;
    if (vkCreateBuffer(device_, &info, nullptr, &buffer) == VK_SUCCESS)
      vkDestroyBuffer(device_, buffer, nullptr);
    return true;
  }

 private:
  void create_instance(bool demand_validation) {
    std::uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    const bool has_layer =
        std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
          return std::strcmp(layer.layerName, kValidationLayer) == 0;
        });
    if (demand_validation && !has_layer)
      throw std::runtime_error("the validation layer is not installed");
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    if (demand_validation) {
      info.enabledLayerCount = 1;
      info.ppEnabledLayerNames = &kValidationLayer;
      info.enabledExtensionCount = 1;
      info.ppEnabledExtensionNames = &extension;
    }
    require(vkCreateInstance(&info, nullptr, &instance_),
            "vkCreateInstance (is there a Vulkan driver?)");
    if (demand_validation) listen();
  }

  void listen() {
    VkDebugUtilsMessengerCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = Listener::hear;
    info.pUserData = &listener_;
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
    require(create(instance_, &info, nullptr, &messenger_), "vkCreateDebugUtilsMessengerEXT");
  }

  void choose_physical_device() {
    std::uint32_t count = 1;
    const VkResult result = vkEnumeratePhysicalDevices(instance_, &count, &physical_device_);
    if (result < 0 || count == 0) throw std::runtime_error("no Vulkan device");
    vkGetPhysicalDeviceProperties(physical_device_, &properties_);
  }

  bool offers(const char* extension) const {
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical_device_, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    vkEnumerateDeviceExtensionProperties(physical_device_, nullptr, &count, all.data());
    return std::any_of(all.begin(), all.end(), [&](const VkExtensionProperties& one) {
      return std::strcmp(one.extensionName, extension) == 0;
    });
  }

  /// Puts a structure into the chain of features.
  template <class T>
  void chain(T& structure, VkStructureType type) {
    structure.sType = type;
    structure.pNext = enabled_.features.pNext;
    enabled_.features.pNext = &structure;
  }

  void create_device() {
    enabled_.features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    chain(enabled_.v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    chain(enabled_.v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    chain(enabled_.v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    if (offers(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
      enabled_.extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    if (offers(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME)) {
      enabled_.extensions.push_back(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);
      chain(enabled_.priority, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT);
    }
    if (offers(VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME)) {
      enabled_.extensions.push_back(VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME);
      chain(enabled_.coherent, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD);
    }
    vkGetPhysicalDeviceFeatures2(physical_device_, &enabled_.features);
    // Of the features of Vulkan 1.0 no other is needed, and robust access would only slow things
    // down.
    const VkBool32 compressed = enabled_.features.features.textureCompressionBC;
    enabled_.features.features = {};
    enabled_.features.features.textureCompressionBC = compressed;
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &enabled_.features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<std::uint32_t>(enabled_.extensions.size());
    info.ppEnabledExtensionNames = enabled_.extensions.data();
    require(vkCreateDevice(physical_device_, &info, nullptr, &device_), "vkCreateDevice");
    vkGetDeviceQueue(device_, 0, 0, &queue_);
  }

  void create_queue_objects() {
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    require(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo semaphore{};
    semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    semaphore.pNext = &type;
    require(vkCreateSemaphore(device_, &semaphore, nullptr, &timeline_), "vkCreateSemaphore");
  }

  VkCommandBuffer begin() {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool_;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    require(vkAllocateCommandBuffers(device_, &info, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo once{};
    once.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    once.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    require(vkBeginCommandBuffer(commands, &once), "vkBeginCommandBuffer");
    return commands;
  }

  /// A value of 0 signals nothing.
  void submit(VkCommandBuffer commands, std::uint64_t value) {
    require(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    if (value != 0) {
      info.pNext = &values;
      info.signalSemaphoreCount = 1;
      info.pSignalSemaphores = &timeline_;
    }
    require(vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  }

  template <class Record>
  void run(Record&& record) {
    const VkCommandBuffer commands = begin();
    record(commands);
    submit(commands, 0);
    require(vkQueueWaitIdle(queue_), "vkQueueWaitIdle");
    vkFreeCommandBuffers(device_, pool_, 1, &commands);
  }

  static void make_visible_to_host(VkCommandBuffer commands) {
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask =
        VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
  }

  static void change_layout(VkCommandBuffer commands, const TestImage& image, VkImageLayout from,
                            VkImageLayout to) {
    const bool fresh = from == VK_IMAGE_LAYOUT_UNDEFINED;
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.srcAccessMask = fresh ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image.image;
    barrier.subresourceRange = {texels_of(image.info).mips[0].region.imageSubresource.aspectMask, 0,
                                VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         0, 0, nullptr, 0, nullptr, 1, &barrier);
  }

  Listener listener_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_{};
  Enabled enabled_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
};

}  // namespace

std::unique_ptr<TestDevice> make_driver_device(bool demand_validation) {
  return std::make_unique<DriverDevice>(demand_validation);
}

}  // namespace quarry::functional
