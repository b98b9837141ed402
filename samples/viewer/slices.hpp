// SPDX-License-Identifier: MIT
// Cuts the mips of an image into copies that fit a staging span and that the queue can do. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace quarry::viewer {

struct SliceRules {
  std::uint64_t largest = 0;  ///< bytes of one slice at most
  /// Of the queue family: minImageTransferGranularity, in texel blocks. (0, 0, 0): whole mips only.
  VkExtent3D granularity{1, 1, 1};
};

struct ImageShape {
  std::uint32_t width = 0;  ///< texels of level 0 of the file
  std::uint32_t height = 0;
  std::uint32_t block_edge = 1;  ///< texels along a block's side
  std::uint32_t block_bytes = 4;
};

/// Whole rows of blocks of one mip: contiguous in the file, one region of vkCmdCopyBufferToImage.
struct Slice {
  std::uint32_t level = 0;        ///< of the file
  std::uint64_t file_offset = 0;  ///< bytes into the level
  std::uint64_t bytes = 0;
  std::uint32_t y = 0;       ///< texels
  std::uint32_t width = 0;   ///< texels, the level's whole width
  std::uint32_t height = 0;  ///< texels
};

/// Slices of levels `finest` to `last` (inclusive), coarsest first. Empty when a row, or a whole
/// mip where the rules ask for that, is larger than a slice may be.
std::optional<std::vector<Slice>> cut_into_slices(const ImageShape& shape, std::uint32_t finest,
                                                  std::uint32_t last, const SliceRules& rules);

/// Alignment of a slice's place in the staging buffer: a multiple of the block and of 4 bytes.
std::uint64_t slice_alignment(const ImageShape& shape);

}  // namespace quarry::viewer
