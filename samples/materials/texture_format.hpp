// SPDX-License-Identifier: MIT
// The texel formats that material files come in, and the arithmetic of their mip chains.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

namespace quarry::materials {

/// The largest width and height that is read, made or written.
inline constexpr std::uint32_t kLargestExtent = 16384;

struct FormatInfo {
  VkFormat format;
  const char* name;           ///< as Vulkan spells it, without VK_FORMAT_
  std::uint32_t block_edge;   ///< texels along one side of a block: 4, or 1 for RGBA8
  std::uint32_t block_bytes;  ///< bytes of one block
  std::uint32_t channels;     ///< channels that carry data: 1 (BC4), 2 (BC5), 3 or 4
  bool srgb;
};

/// Every supported format: BC1, BC3, BC4, BC5, BC7 and RGBA8, in UNORM and (where there is one)
/// SRGB.
std::span<const FormatInfo> supported_formats();

/// Null when the format is not supported.
const FormatInfo* find_format(VkFormat format);

/// Extent of a mip level along one side; never below 1. `level` < 32.
constexpr std::uint32_t mip_extent(std::uint32_t base, std::uint32_t level) {
  const std::uint32_t extent = base >> level;
  return extent == 0 ? 1 : extent;
}

/// Levels of a full chain, down to 1x1. Both extents at least 1.
std::uint32_t full_mip_count(std::uint32_t width, std::uint32_t height);

/// Bytes of one tightly packed image of this extent.
std::uint64_t image_bytes(const FormatInfo& format, std::uint32_t width, std::uint32_t height);

}  // namespace quarry::materials
