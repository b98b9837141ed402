// SPDX-License-Identifier: MIT
// A Vulkan device behind the disguise layer, for its tests; with the validation layer above it if
// wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

namespace quarry::disguise {

class DisguisedInstance {
 public:
  /// `profile` as in QUARRY_DISGUISE. Sets environment variables that the loader reads: one at a
  /// time.
  DisguisedInstance(const char* profile, bool validation);
  DisguisedInstance(const DisguisedInstance&) = delete;
  DisguisedInstance& operator=(const DisguisedInstance&) = delete;
  ~DisguisedInstance();

  VkInstance instance() const { return instance_; }
  /// A driver that runs on the CPU; null if there is none (the layer is made for such).
  VkPhysicalDevice physical_device() const { return physical_device_; }
  /// What the validation layer said; the identifier of each message.
  std::vector<std::string> messages() const;
  bool has_validation() const { return messenger_ != VK_NULL_HANDLE; }

 private:
  static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                             VkDebugUtilsMessageTypeFlagsEXT types,
                                             const VkDebugUtilsMessengerCallbackDataEXT* data,
                                             void* user);
  void listen();

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  mutable std::mutex mutex_;  // guards messages_
  std::vector<std::string> messages_;
};

/// A logical device with one queue.
class DisguisedDevice {
 public:
  explicit DisguisedDevice(const DisguisedInstance& instance,
                           const std::vector<const char*>& extensions = {},
                           const void* chain = nullptr);
  DisguisedDevice(const DisguisedDevice&) = delete;
  DisguisedDevice& operator=(const DisguisedDevice&) = delete;
  ~DisguisedDevice();

  VkDevice get() const { return device_; }
  VkResult result() const { return result_; }

  VkDeviceMemory allocate(std::uint32_t type, VkDeviceSize size, VkResult* result = nullptr) const;
  VkBuffer buffer(VkDeviceSize size, VkBufferUsageFlags usage) const;
  void* map(VkDeviceMemory memory) const;
  /// Submits a copy of `size` bytes and waits for it.
  void copy(VkBuffer source, VkBuffer destination, VkDeviceSize size) const;

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  VkResult result_ = VK_SUCCESS;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

}  // namespace quarry::disguise
