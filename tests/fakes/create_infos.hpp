// SPDX-License-Identifier: MIT
// Short ways to the create-infos that tests need.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry::fakes {

inline VkBufferCreateInfo buffer_info(VkDeviceSize size,
                                      VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  return info;
}

inline VkImageCreateInfo image_info(std::uint32_t width, std::uint32_t height,
                                    VkFormat format = VK_FORMAT_R8G8B8A8_UNORM,
                                    VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {width, height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = usage;
  return info;
}

inline VkImageCreateInfo linear_image_info(std::uint32_t width, std::uint32_t height) {
  VkImageCreateInfo info = image_info(width, height);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  return info;
}

/// Three planes, each as large as the image.
inline VkImageCreateInfo disjoint_image_info(std::uint32_t width, std::uint32_t height) {
  VkImageCreateInfo info = image_info(width, height, VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM);
  info.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
  return info;
}

/// A structure for a pNext chain: `chained(info, next)` sets its pNext.
template <class Structure>
Structure chained(Structure structure, const void* next) {
  structure.pNext = next;
  return structure;
}

}  // namespace quarry::fakes
