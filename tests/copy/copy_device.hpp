// SPDX-License-Identifier: MIT
// A device of the machine's driver with a queue of every family, for the tests and measurements of
// the copy engine: memory, buffers, images and command buffers in short calls. Throws
// std::runtime_error where Vulkan fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

#include "device/device.hpp"

namespace quarry::copy {

struct CopyDeviceDesc {
  std::string name_part{};  ///< of the device's name; "" takes the first
  bool validation = false;  ///< demand the validation layer, and listen
};

struct DeviceBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  std::uint32_t memory_type = 0;
  std::byte* mapped = nullptr;  ///< where the memory is host-visible
  VkDeviceAddress address = 0;  ///< where it was asked for
};

struct DeviceImage {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
};

enum class Place : std::uint8_t {
  device,       ///< device-local, whether mapped or not
  host,         ///< host-visible, cached where there is such a type
  device_host,  ///< device-local and host-visible, else as host
};

class CopyDevice {
 public:
  explicit CopyDevice(const CopyDeviceDesc& desc);
  CopyDevice(const CopyDevice&) = delete;
  CopyDevice& operator=(const CopyDevice&) = delete;
  ~CopyDevice();

  const device::Device& opened() const { return *opened_; }
  /// For an allocator that must not outlive this.
  AllocatorDesc allocator_desc() const;
  VkDevice handle() const { return device_; }
  VkPhysicalDevice physical_device() const { return physical_device_; }
  const VkPhysicalDeviceProperties& properties() const { return properties_; }
  bool has_addresses() const { return has_addresses_; }
  const std::vector<VkQueueFamilyProperties>& families() const { return families_; }
  bool listens() const { return messenger_ != VK_NULL_HANDLE; }
  /// What the validation layer said so far.
  std::vector<std::string> complaints() const;

  /// Memory of a block alone, mapped where it can be.
  DeviceBuffer allocate(VkDeviceSize size, Place place);
  /// With a buffer over all of it; SHADER_DEVICE_ADDRESS usage is added where there is the feature.
  DeviceBuffer buffer(VkDeviceSize size, VkBufferUsageFlags usage, Place place);
  void free(const DeviceBuffer& buffer);
  /// False where the device cannot make it.
  bool supports(const VkImageCreateInfo& info) const;
  DeviceImage image(const VkImageCreateInfo& info);
  void free(const DeviceImage& image);

  VkCommandBuffer begin(std::uint32_t family = 0);
  /// Ends, submits one after the other (each waits for the one before), waits, frees.
  struct Part {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint32_t family = 0;
  };
  void submit(std::span<const Part> parts);
  void run(std::uint32_t family, const std::function<void(VkCommandBuffer)>& record);

 private:
  void create_instance(const CopyDeviceDesc& desc);
  void choose(const std::string& name_part);
  void create_device();
  std::uint32_t find_type(std::uint32_t bits, Place place) const;
  DeviceBuffer allocate_type(VkDeviceSize size, std::uint32_t type);
  static VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                  VkDebugUtilsMessageTypeFlagsEXT types,
                                  const VkDebugUtilsMessengerCallbackDataEXT* data, void* user);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  std::vector<VkQueueFamilyProperties> families_;
  VkDevice device_ = VK_NULL_HANDLE;
  std::vector<VkQueue> queues_;
  std::vector<VkCommandPool> pools_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
  bool has_addresses_ = false;
  std::vector<std::string> complaints_;
  std::unique_ptr<device::Device> opened_;
};

}  // namespace quarry::copy
