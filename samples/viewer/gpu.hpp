// SPDX-License-Identifier: MIT
// The chosen device: its queues and what it can do.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <volk.h>

#include "viewer/instance.hpp"
#include "viewer/outcome.hpp"

namespace quarry::viewer {

/// A queue that several threads submit to. Waits are only submitted after their signals, so that
/// one queue may serve as all of them.
class Queue {
 public:
  Queue(VkQueue handle, std::uint32_t family, VkExtent3D granularity)
      : handle_(handle), family_(family), granularity_(granularity) {}

  VkResult submit(const VkSubmitInfo2& info);
  VkResult present(const VkPresentInfoKHR& info);
  std::uint32_t family() const { return family_; }
  VkExtent3D granularity() const { return granularity_; }  ///< minImageTransferGranularity

 private:
  std::mutex mutex_;  // Held over one submission alone; no other lock is taken inside.
  VkQueue handle_;
  std::uint32_t family_;
  VkExtent3D granularity_;
};

/// What a device is worth to the viewer, found before it is opened.
struct DeviceFacts {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties{};
  std::string unusable;          ///< why it cannot be used; empty if it can
  bool memory_budget = false;    ///< VK_EXT_memory_budget
  bool memory_priority = false;  ///< VK_EXT_memory_priority
  bool block_compression = false;
  float anisotropy = 1.0f;  ///< at most; 1: not offered
  std::uint32_t graphics_family = 0;
  std::uint32_t transfer_family = 0;  ///< the graphics family where there is no other
  VkExtent3D graphics_granularity{1, 1, 1};
  VkExtent3D transfer_granularity{1, 1, 1};

  bool is_cpu() const { return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
};

/// `surface`: null without a window.
DeviceFacts inspect(VkPhysicalDevice device, VkSurfaceKHR surface);
/// One line a device: index, name, kind, version, memory, and why it is unusable if it is.
std::string device_list(const std::vector<VkPhysicalDevice>& devices);
/// `wish`: an index, part of a name (any case), or empty for the best.
Outcome<DeviceFacts> choose_device(const std::vector<VkPhysicalDevice>& devices,
                                   const std::string& wish, VkSurfaceKHR surface);

class Gpu {
 public:
  static Outcome<std::unique_ptr<Gpu>> open(const DeviceFacts& facts, bool swapchain);
  explicit Gpu(const DeviceFacts& facts) : facts_(facts) {}
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  VkDevice device() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }
  Queue& graphics() { return *graphics_; }
  Queue& transfer() { return transfer_ ? *transfer_ : *graphics_; }
  const std::vector<const char*>& extensions() const { return extensions_; }

 private:
  DeviceFacts facts_;
  VkDevice device_ = VK_NULL_HANDLE;
  std::vector<const char*> extensions_;
  std::unique_ptr<Queue> graphics_;
  std::unique_ptr<Queue> transfer_;  ///< null where the graphics queue does its work
};

}  // namespace quarry::viewer
