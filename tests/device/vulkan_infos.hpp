// SPDX-License-Identifier: MIT
// Plain create-infos that tests start from.
#pragma once

#include <vulkan/vulkan_core.h>

namespace quarry::device {

inline VkBufferCreateInfo buffer_info(
    VkDeviceSize size, VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  return info;
}

inline VkImageCreateInfo image_info(std::uint32_t width, std::uint32_t height) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {width, height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  return info;
}

inline VkImageCreateInfo disjoint_image_info(std::uint32_t width, std::uint32_t height) {
  VkImageCreateInfo info = image_info(width, height);
  info.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
  info.format = VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM;
  return info;
}

}  // namespace quarry::device
