// SPDX-License-Identifier: MIT
// Solid blocks: BC1 with both endpoints alike, BC5 with constant channels, RGBA8 as it is.
#include "viewer/placeholder.hpp"

#include <algorithm>

namespace quarry::viewer {

namespace {

using Texel = std::array<std::uint8_t, 4>;

/// The block that shows one colour, or one RGBA8 texel.
std::vector<std::byte> solid(VkFormat format, Texel texel) {
  const auto byte = [](unsigned value) { return static_cast<std::byte>(value); };
  switch (format) {
    case VK_FORMAT_BC1_RGB_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGB_SRGB_BLOCK: {
      const unsigned colour = (texel[0] / 8u) << 11 | (texel[1] / 4u) << 5 | texel[2] / 8u;
      const std::byte low = byte(colour & 0xffu);
      const std::byte high = byte(colour >> 8);
      return {low, high, low, high, {}, {}, {}, {}};
    }
    case VK_FORMAT_BC5_UNORM_BLOCK: {
      const std::byte r = byte(texel[0]);
      const std::byte g = byte(texel[1]);
      return {r, r, {}, {}, {}, {}, {}, {}, g, g, {}, {}, {}, {}, {}, {}};
    }
    default:
      return {byte(texel[0]), byte(texel[1]), byte(texel[2]), byte(texel[3])};
  }
}

bool is_compressed(VkFormat format) {
  return format != VK_FORMAT_R8G8B8A8_SRGB && format != VK_FORMAT_R8G8B8A8_UNORM;
}

/// `even` and `odd` alternate over fields of `field` texels at level 0, a multiple of 4; levels too
/// coarse to show fields get `blend`.
PlaceholderImage fields(VkFormat format, std::uint32_t edge, std::uint32_t field, Texel even,
                        Texel odd, Texel blend) {
  PlaceholderImage image{format, edge, {}};
  const std::uint32_t block = is_compressed(format) ? 4 : 1;
  for (std::uint32_t size = edge, step = field; size > 0; size /= 2, step /= 2) {
    std::vector<std::byte> level;
    for (std::uint32_t y = 0; y < size; y += block) {
      for (std::uint32_t x = 0; x < size; x += block) {
        const bool is_odd = step >= block && (x / step + y / step) % 2 != 0;
        const std::vector<std::byte> texel = solid(format, step < block ? blend
                                                           : is_odd     ? odd
                                                                        : even);
        level.insert(level.end(), texel.begin(), texel.end());
      }
    }
    image.levels.push_back(std::move(level));
  }
  return image;
}

}  // namespace

VkFormat placeholder_format(MapRole role, bool block_compression) {
  switch (role) {
    case MapRole::albedo:
      return block_compression ? VK_FORMAT_BC1_RGB_SRGB_BLOCK : VK_FORMAT_R8G8B8A8_SRGB;
    case MapRole::normal:
      return block_compression ? VK_FORMAT_BC5_UNORM_BLOCK : VK_FORMAT_R8G8B8A8_UNORM;
    case MapRole::surface:
      break;
  }
  return block_compression ? VK_FORMAT_BC1_RGB_UNORM_BLOCK : VK_FORMAT_R8G8B8A8_UNORM;
}

PlaceholderImage neutral_placeholder(VkFormat format, std::array<std::uint8_t, 4> texel) {
  return fields(format, 16, 16, texel, texel, texel);
}

PlaceholderImage checker_placeholder(MapRole role, VkFormat format) {
  constexpr std::uint32_t kEdge = 256;
  constexpr std::uint32_t kField = 16;
  switch (role) {
    case MapRole::albedo:
      break;
    case MapRole::normal:
      return fields(format, kEdge, kField, {178, 128, 236, 255}, {78, 128, 236, 255},
                    {128, 128, 255, 255});
    case MapRole::surface:
      return fields(format, kEdge, kField, {255, 230, 0, 255}, {255, 20, 255, 255},
                    {255, 125, 127, 255});
  }
  return fields(format, kEdge, kField, {255, 0, 200, 255}, {12, 12, 12, 255}, {150, 4, 120, 255});
}

}  // namespace quarry::viewer
