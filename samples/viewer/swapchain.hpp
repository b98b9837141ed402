// SPDX-License-Identifier: MIT
// The window's images: pictures are blitted onto them. Nothing is drawn into them directly, so that
// window and files show the same.
#pragma once

#include <array>
#include <vector>

#include "viewer/device_object.hpp"
#include "viewer/gpu.hpp"
#include "viewer/session.hpp"
#include "viewer/window.hpp"

namespace quarry::viewer {

enum class SwapchainState : std::uint8_t { good, outdated, lost };

class Swapchain final : public Presenter {
 public:
  explicit Swapchain(Window& window) : window_(window) {}
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  std::vector<std::string> instance_extensions() override { return window_.instance_extensions(); }
  Outcome<VkSurfaceKHR> surface(VkInstance instance) override;
  VkSemaphoreSubmitInfo wait() override;
  VkSemaphore signal() override { return finished_[image_].get(); }
  void record(VkCommandBuffer commands, VkImage picture, VkExtent2D extent) override;

  /// Makes (again) the swapchain of the window's size. The GPU must be idle.
  Outcome<SwapchainState> create(Gpu& gpu, VkExtent2D wanted);
  VkExtent2D extent() const { return extent_; }
  /// Before a frame.
  Outcome<SwapchainState> acquire();
  /// After it.
  Outcome<SwapchainState> present();
  /// Destroys what belongs to the device, then the surface. The GPU must be idle.
  void destroy(VkInstance instance);

 private:
  /// One more than frames in flight: it is taken before the frame waits for its slot.
  static constexpr std::size_t kAcquires = kFramesInFlight + 1;

  Window& window_;
  Gpu* gpu_ = nullptr;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
  DeviceObject<VkSwapchainKHR> swapchain_;
  VkExtent2D extent_{};
  std::vector<VkImage> images_;
  std::array<DeviceObject<VkSemaphore>, kAcquires> acquired_;
  std::vector<DeviceObject<VkSemaphore>> finished_;  ///< one an image
  std::size_t acquire_ = 0;
  std::uint32_t image_ = 0;
};

}  // namespace quarry::viewer
