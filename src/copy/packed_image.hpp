// SPDX-License-Identifier: MIT
// An image as bytes in a buffer: every mip and aspect with all its layers, tightly packed one after
// another. No Vulkan call.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

namespace quarry::copy {

struct PackedImage {
  /// Mips of 2^31 texels and two aspects.
  static constexpr std::uint32_t kMostRegions = 64;

  VkBufferImageCopy regions[kMostRegions];
  std::uint32_t count = 0;  ///< 0: not known how; multisampled, multi-planar, of an unknown format
  VkDeviceSize bytes = 0;   ///< of the buffer

  std::span<const VkBufferImageCopy> span() const { return {regions, count}; }
};

PackedImage pack_image(const VkImageCreateInfo& info);

}  // namespace quarry::copy
