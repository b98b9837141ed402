// SPDX-License-Identifier: MIT
// Planes of multi-planar formats (specification, "Compatible Formats of Planes of Multi-Planar
// Formats").
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry::device {

/// 1 for formats that are not multi-planar, else 2 or 3.
std::uint32_t plane_count(VkFormat format);

/// VK_IMAGE_ASPECT_PLANE_0_BIT and on. Precondition: plane < 3.
inline VkImageAspectFlagBits plane_aspect(std::uint32_t plane) {
  return static_cast<VkImageAspectFlagBits>(VK_IMAGE_ASPECT_PLANE_0_BIT << plane);
}

}  // namespace quarry::device
