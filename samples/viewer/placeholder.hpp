// SPDX-License-Identifier: MIT
// Textures that stand in: a neutral one until the first mips are there (or for a map that a
// material does not have), a checker in signal colours for a map that cannot be read. Made of solid
// 4x4 blocks, with full mip chains: a driver may compile another shader for textures without mips.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace quarry::viewer {

enum class MapRole : std::uint8_t { albedo, normal, surface };
inline constexpr std::size_t kMapRoles = 3;

struct PlaceholderImage {
  VkFormat format = VK_FORMAT_UNDEFINED;
  std::uint32_t edge = 0;  ///< texels, square
  std::vector<std::vector<std::byte>> levels;
};

/// The formats that placeholders come in: block-compressed where the device can sample that (BC1
/// for colour and surface, BC5 for normals), else RGBA8.
VkFormat placeholder_format(MapRole role, bool block_compression);

/// `texel`: 8-bit R, G, B, A; stored as it is (already sRGB-encoded for albedo).
PlaceholderImage neutral_placeholder(VkFormat format, std::array<std::uint8_t, 4> texel);
/// Fields of two values that show on any object: magenta and black, normals tilted two ways, rough
/// and mirror-like.
PlaceholderImage checker_placeholder(MapRole role, VkFormat format);

}  // namespace quarry::viewer
