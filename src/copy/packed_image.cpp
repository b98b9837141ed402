// SPDX-License-Identifier: MIT
#include "copy/packed_image.hpp"

#include <algorithm>

#include "copy/image_regions.hpp"

namespace quarry::copy {

namespace {

struct TexelBlock {
  std::uint32_t bytes = 0;
  std::uint32_t width = 1;
  std::uint32_t height = 1;
};

/// All formats from the one before up to this one (specification, "Format Definition"). Depth
/// alone of those with stencil.
struct FormatRun {
  VkFormat last;
  std::uint8_t bytes;
  std::uint8_t width = 1;
  std::uint8_t height = 1;
};

constexpr FormatRun kRuns[] = {
    {VK_FORMAT_UNDEFINED, 0},
    {VK_FORMAT_R4G4_UNORM_PACK8, 1},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2},
    {VK_FORMAT_R8_SRGB, 1},
    {VK_FORMAT_R8G8_SRGB, 2},
    {VK_FORMAT_B8G8R8_SRGB, 3},
    {VK_FORMAT_A2B10G10R10_SINT_PACK32, 4},
    {VK_FORMAT_R16_SFLOAT, 2},
    {VK_FORMAT_R16G16_SFLOAT, 4},
    {VK_FORMAT_R16G16B16_SFLOAT, 6},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
    {VK_FORMAT_R32_SFLOAT, 4},
    {VK_FORMAT_R32G32_SFLOAT, 8},
    {VK_FORMAT_R32G32B32_SFLOAT, 12},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 16},
    {VK_FORMAT_R64_SFLOAT, 8},
    {VK_FORMAT_R64G64_SFLOAT, 16},
    {VK_FORMAT_R64G64B64_SFLOAT, 24},
    {VK_FORMAT_R64G64B64A64_SFLOAT, 32},
    {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4},
    {VK_FORMAT_D16_UNORM, 2},
    {VK_FORMAT_D32_SFLOAT, 4},
    {VK_FORMAT_S8_UINT, 1},
    {VK_FORMAT_D16_UNORM_S8_UINT, 2},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, 4},
    {VK_FORMAT_BC1_RGBA_SRGB_BLOCK, 8, 4, 4},
    {VK_FORMAT_BC3_SRGB_BLOCK, 16, 4, 4},
    {VK_FORMAT_BC4_SNORM_BLOCK, 8, 4, 4},
    {VK_FORMAT_BC7_SRGB_BLOCK, 16, 4, 4},
    {VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK, 8, 4, 4},
    {VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, 16, 4, 4},
    {VK_FORMAT_EAC_R11_SNORM_BLOCK, 8, 4, 4},
    {VK_FORMAT_EAC_R11G11_SNORM_BLOCK, 16, 4, 4},
    {VK_FORMAT_ASTC_4x4_SRGB_BLOCK, 16, 4, 4},
    {VK_FORMAT_ASTC_5x4_SRGB_BLOCK, 16, 5, 4},
    {VK_FORMAT_ASTC_5x5_SRGB_BLOCK, 16, 5, 5},
    {VK_FORMAT_ASTC_6x5_SRGB_BLOCK, 16, 6, 5},
    {VK_FORMAT_ASTC_6x6_SRGB_BLOCK, 16, 6, 6},
    {VK_FORMAT_ASTC_8x5_SRGB_BLOCK, 16, 8, 5},
    {VK_FORMAT_ASTC_8x6_SRGB_BLOCK, 16, 8, 6},
    {VK_FORMAT_ASTC_8x8_SRGB_BLOCK, 16, 8, 8},
    {VK_FORMAT_ASTC_10x5_SRGB_BLOCK, 16, 10, 5},
    {VK_FORMAT_ASTC_10x6_SRGB_BLOCK, 16, 10, 6},
    {VK_FORMAT_ASTC_10x8_SRGB_BLOCK, 16, 10, 8},
    {VK_FORMAT_ASTC_10x10_SRGB_BLOCK, 16, 10, 10},
    {VK_FORMAT_ASTC_12x10_SRGB_BLOCK, 16, 12, 10},
    {VK_FORMAT_ASTC_12x12_SRGB_BLOCK, 16, 12, 12},
};

TexelBlock block_of(VkFormat format) {
  const auto* run =
      std::lower_bound(std::begin(kRuns), std::end(kRuns), format,
                       [](const FormatRun& each, VkFormat wanted) { return each.last < wanted; });
  if (run == std::end(kRuns)) return {};
  return {run->bytes, run->width, run->height};
}

std::uint32_t mip_size(std::uint32_t size, std::uint32_t mip) {
  return std::max(1u, size >> mip);
}

std::uint32_t blocks(std::uint32_t texels, std::uint32_t block) {
  return (texels + block - 1) / block;
}

}  // namespace

PackedImage pack_image(const VkImageCreateInfo& info) {
  PackedImage packed;
  const TexelBlock whole = block_of(info.format);
  if (whole.bytes == 0 || info.samples != VK_SAMPLE_COUNT_1_BIT ||
      info.mipLevels > PackedImage::kMostRegions / 2)
    return packed;
  const VkImageAspectFlags aspects = aspects_of(info.format);
  for (std::uint32_t mip = 0; mip < info.mipLevels; ++mip) {
    for (const VkImageAspectFlags aspect :
         {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT}) {
      if ((aspects & aspect) == 0) continue;
      const TexelBlock block =
          aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? TexelBlock{.bytes = 1} : whole;
      const VkExtent3D extent{mip_size(info.extent.width, mip), mip_size(info.extent.height, mip),
                              mip_size(info.extent.depth, mip)};
      // Offsets are to be multiples of the block and of 4; sixteen blocks are both.
      const VkDeviceSize alignment = VkDeviceSize{16} * block.bytes;
      const VkDeviceSize offset = (packed.bytes + alignment - 1) / alignment * alignment;
      packed.regions[packed.count++] = {.bufferOffset = offset,
                                        .bufferRowLength = 0,
                                        .bufferImageHeight = 0,
                                        .imageSubresource = {aspect, mip, 0, info.arrayLayers},
                                        .imageOffset = {},
                                        .imageExtent = extent};
      packed.bytes = offset + VkDeviceSize{blocks(extent.width, block.width)} *
                                  blocks(extent.height, block.height) * extent.depth *
                                  info.arrayLayers * block.bytes;
    }
  }
  return packed;
}

}  // namespace quarry::copy
