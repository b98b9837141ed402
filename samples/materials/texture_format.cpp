// SPDX-License-Identifier: MIT
// The table of texel formats and mip arithmetic.
#include "materials/texture_format.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace quarry::materials {
namespace {

constexpr std::array kFormats = {
    FormatInfo{VK_FORMAT_BC1_RGB_UNORM_BLOCK, "BC1_RGB_UNORM_BLOCK", 4, 8, 3, false},
    FormatInfo{VK_FORMAT_BC1_RGB_SRGB_BLOCK, "BC1_RGB_SRGB_BLOCK", 4, 8, 3, true},
    FormatInfo{VK_FORMAT_BC1_RGBA_UNORM_BLOCK, "BC1_RGBA_UNORM_BLOCK", 4, 8, 4, false},
    FormatInfo{VK_FORMAT_BC1_RGBA_SRGB_BLOCK, "BC1_RGBA_SRGB_BLOCK", 4, 8, 4, true},
    FormatInfo{VK_FORMAT_BC3_UNORM_BLOCK, "BC3_UNORM_BLOCK", 4, 16, 4, false},
    FormatInfo{VK_FORMAT_BC3_SRGB_BLOCK, "BC3_SRGB_BLOCK", 4, 16, 4, true},
    FormatInfo{VK_FORMAT_BC4_UNORM_BLOCK, "BC4_UNORM_BLOCK", 4, 8, 1, false},
    FormatInfo{VK_FORMAT_BC5_UNORM_BLOCK, "BC5_UNORM_BLOCK", 4, 16, 2, false},
    FormatInfo{VK_FORMAT_BC7_UNORM_BLOCK, "BC7_UNORM_BLOCK", 4, 16, 4, false},
    FormatInfo{VK_FORMAT_BC7_SRGB_BLOCK, "BC7_SRGB_BLOCK", 4, 16, 4, true},
    FormatInfo{VK_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8_UNORM", 1, 4, 4, false},
    FormatInfo{VK_FORMAT_R8G8B8A8_SRGB, "R8G8B8A8_SRGB", 1, 4, 4, true},
};

}  // namespace

std::span<const FormatInfo> supported_formats() {
  return kFormats;
}

const FormatInfo* find_format(VkFormat format) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const FormatInfo& info) { return info.format == format; });
  return found == kFormats.end() ? nullptr : &*found;
}

std::uint32_t full_mip_count(std::uint32_t width, std::uint32_t height) {
  return static_cast<std::uint32_t>(std::bit_width(std::max(width, height)));
}

std::uint64_t image_bytes(const FormatInfo& format, std::uint32_t width, std::uint32_t height) {
  const std::uint64_t edge = format.block_edge;
  const std::uint64_t columns = (width + edge - 1) / edge;
  const std::uint64_t rows = (height + edge - 1) / edge;
  return columns * rows * format.block_bytes;
}

}  // namespace quarry::materials
