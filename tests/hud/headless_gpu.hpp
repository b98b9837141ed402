// SPDX-License-Identifier: MIT
// A Vulkan 1.3 device without a window, loaded through volk, with the validation layer listening;
// and a colour target that can be read back. For the tests of ImGui's renderer alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <volk.h>

#include <quarry/quarry.hpp>

#include "hud/picture.hpp"

namespace quarry::hud {

class HeadlessGpu {
 public:
  /// Sets `problem` and is unusable if there is no driver, no device of Vulkan 1.3 or no validation
  /// layer.
  HeadlessGpu();
  HeadlessGpu(const HeadlessGpu&) = delete;
  HeadlessGpu& operator=(const HeadlessGpu&) = delete;
  ~HeadlessGpu();

  const std::string& problem() const { return problem_; }
  const std::vector<std::string>& messages() const { return messages_; }
  VkDevice device() const { return device_; }
  Allocator& allocator() { return *allocator_; }

  /// Runs `outside`, then `inside` a rendering into a new target cleared to `background` (numbers
  /// as stored), waits, and returns what was drawn.
  Picture render(VkFormat format, VkExtent2D extent, ImU32 background,
                 const std::function<void(VkCommandBuffer)>& outside,
                 const std::function<void(VkCommandBuffer)>& inside);

 private:
  std::string set_up();
  std::string create_instance();
  std::string create_device();
  std::string create_allocator();
  void listen(std::string message) { messages_.push_back(std::move(message)); }
  static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                             VkDebugUtilsMessageTypeFlagsEXT types,
                                             const VkDebugUtilsMessengerCallbackDataEXT* data,
                                             void* user);
  void record(VkImage image, VkImageView view, VkBuffer buffer, VkExtent2D extent,
              const VkClearColorValue& clear, const std::function<void(VkCommandBuffer)>& outside,
              const std::function<void(VkCommandBuffer)>& inside);

  std::string problem_;
  std::vector<std::string> messages_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  std::optional<Allocator> allocator_;
};

}  // namespace quarry::hud
