// SPDX-License-Identifier: MIT
// Results of the window system are states, not errors: a resized window is outdated, a closed one
// lost.
#include "viewer/swapchain.hpp"

#include <algorithm>

namespace quarry::viewer {

namespace {

Outcome<SwapchainState> state_of(const char* function, VkResult result) {
  switch (result) {
    case VK_SUCCESS:
      return SwapchainState::good;
    case VK_SUBOPTIMAL_KHR:
    case VK_ERROR_OUT_OF_DATE_KHR:
      return SwapchainState::outdated;
    case VK_ERROR_SURFACE_LOST_KHR:
      return SwapchainState::lost;
    default:
      return failure(call_failed(function, result));
  }
}

/// An sRGB format that blits can be made to: the picture's colours then need no care.
Outcome<VkSurfaceFormatKHR> choose_format(VkPhysicalDevice device, VkSurfaceKHR surface) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceSurfaceFormatsKHR(device, surface, &count, nullptr);
  std::vector<VkSurfaceFormatKHR> formats(count);
  vkGetPhysicalDeviceSurfaceFormatsKHR(device, surface, &count, formats.data());
  for (const VkSurfaceFormatKHR& format : formats) {
    const bool srgb =
        format.format == VK_FORMAT_B8G8R8A8_SRGB || format.format == VK_FORMAT_R8G8B8A8_SRGB;
    VkFormatProperties properties{};
    vkGetPhysicalDeviceFormatProperties(device, format.format, &properties);
    const bool blits = (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT) != 0;
    if (srgb && blits && format.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR) return format;
  }
  return failure("the window takes no 8-bit sRGB images");
}

}  // namespace

Outcome<VkSurfaceKHR> Swapchain::surface(VkInstance instance) {
  auto made = window_.surface(instance);
  if (made) surface_ = *made;
  return made;
}

Outcome<SwapchainState> Swapchain::create(Gpu& gpu, VkExtent2D wanted) {
  gpu_ = &gpu;
  const VkPhysicalDevice device = gpu.facts().handle;
  VkSurfaceCapabilitiesKHR can{};
  VkResult result = vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device, surface_, &can);
  if (result != VK_SUCCESS) return state_of("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", result);
  if ((can.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0) {
    return failure("the window's images cannot be copied to");
  }
  auto format = choose_format(device, surface_);
  if (!format) return failure(format.error());
  extent_ = can.currentExtent.width != UINT32_MAX ? can.currentExtent : wanted;
  extent_.width = std::clamp(extent_.width, can.minImageExtent.width, can.maxImageExtent.width);
  extent_.height = std::clamp(extent_.height, can.minImageExtent.height, can.maxImageExtent.height);
  if (extent_.width == 0 || extent_.height == 0) return SwapchainState::outdated;
  auto info = structure<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  info.surface = surface_;
  info.minImageCount = can.minImageCount + 1;
  if (can.maxImageCount != 0) info.minImageCount = std::min(info.minImageCount, can.maxImageCount);
  info.imageFormat = format->format;
  info.imageColorSpace = format->colorSpace;
  info.imageExtent = extent_;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.preTransform = can.currentTransform;
  info.compositeAlpha = (can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0
                            ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                            : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  info.clipped = VK_TRUE;
  info.oldSwapchain = swapchain_.get();
  VkSwapchainKHR made = VK_NULL_HANDLE;
  result = vkCreateSwapchainKHR(gpu.device(), &info, nullptr, &made);
  if (result != VK_SUCCESS) return state_of("vkCreateSwapchainKHR", result);
  swapchain_ = DeviceObject<VkSwapchainKHR>(gpu.device(), made, vkDestroySwapchainKHR);
  std::uint32_t count = 0;
  vkGetSwapchainImagesKHR(gpu.device(), made, &count, nullptr);
  images_.resize(count);
  vkGetSwapchainImagesKHR(gpu.device(), made, &count, images_.data());
  finished_.clear();
  const auto binary = structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  const auto semaphore = [&] {
    return make_object<VkSemaphore>(gpu.device(), vkCreateSemaphore, binary, vkDestroySemaphore,
                                    "vkCreateSemaphore");
  };
  for (std::size_t i = 0; i < images_.size(); ++i) {
    auto finished = semaphore();
    if (!finished) return failure(finished.error());
    finished_.push_back(std::move(*finished));
  }
  for (auto& acquired : acquired_) {
    auto fresh = semaphore();
    if (!fresh) return failure(fresh.error());
    acquired = std::move(*fresh);
  }
  return SwapchainState::good;
}

Outcome<SwapchainState> Swapchain::acquire() {
  constexpr std::uint64_t kPatience = 2'000'000'000;  // ns; a display that answers no more is lost
  acquire_ = (acquire_ + 1) % kAcquires;
  const VkResult result = vkAcquireNextImageKHR(gpu_->device(), swapchain_.get(), kPatience,
                                                acquired_[acquire_].get(), VK_NULL_HANDLE, &image_);
  // The image of a suboptimal swapchain is acquired all the same; present() says it again.
  if (result == VK_SUBOPTIMAL_KHR) return SwapchainState::good;
  if (result == VK_TIMEOUT || result == VK_NOT_READY) return SwapchainState::lost;
  return state_of("vkAcquireNextImageKHR", result);
}

VkSemaphoreSubmitInfo Swapchain::wait() {
  auto info = structure<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  info.semaphore = acquired_[acquire_].get();
  info.stageMask = VK_PIPELINE_STAGE_2_BLIT_BIT;
  return info;
}

void Swapchain::record(VkCommandBuffer commands, VkImage picture, VkExtent2D extent) {
  VkImageMemoryBarrier2 source = image_barrier(picture, VK_IMAGE_ASPECT_COLOR_BIT);
  source.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  source.srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
  source.dstStageMask = VK_PIPELINE_STAGE_2_BLIT_BIT;
  source.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
  source.oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  source.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  VkImageMemoryBarrier2 target = image_barrier(images_[image_], VK_IMAGE_ASPECT_COLOR_BIT);
  target.srcStageMask = VK_PIPELINE_STAGE_2_BLIT_BIT;  // where the acquire is waited for
  target.dstStageMask = VK_PIPELINE_STAGE_2_BLIT_BIT;
  target.dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  target.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  record_barriers(commands, std::array{source, target});
  const auto corner = [](VkExtent2D e) {
    return VkOffset3D{static_cast<std::int32_t>(e.width), static_cast<std::int32_t>(e.height), 1};
  };
  VkImageBlit blit{};
  blit.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  blit.srcOffsets[1] = corner(extent);
  blit.dstSubresource = blit.srcSubresource;
  blit.dstOffsets[1] = corner(extent_);
  const bool same = extent.width == extent_.width && extent.height == extent_.height;
  vkCmdBlitImage(commands, picture, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, images_[image_],
                 VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit,
                 same ? VK_FILTER_NEAREST : VK_FILTER_LINEAR);
  target.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  target.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;  // where `finished_` is signalled
  target.dstAccessMask = VK_ACCESS_2_NONE;
  target.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  target.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  record_barrier(commands, target);
}

Outcome<SwapchainState> Swapchain::present() {
  auto info = structure<VkPresentInfoKHR>(VK_STRUCTURE_TYPE_PRESENT_INFO_KHR);
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &finished_[image_].get();
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain_.get();
  info.pImageIndices = &image_;
  return state_of("vkQueuePresentKHR", gpu_->graphics().present(info));
}

void Swapchain::destroy(VkInstance instance) {
  finished_.clear();
  for (auto& acquired : acquired_)
    acquired.reset();
  swapchain_.reset();
  if (surface_ != VK_NULL_HANDLE) vkDestroySurfaceKHR(instance, surface_, nullptr);
  surface_ = VK_NULL_HANDLE;
}

}  // namespace quarry::viewer
