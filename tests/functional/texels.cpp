// SPDX-License-Identifier: MIT
#include "functional/texels.hpp"

#include <algorithm>
#include <stdexcept>

namespace quarry::functional {

namespace {

struct Format {
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  VkDeviceSize block_bytes = 0;
  std::uint32_t side = 1;  ///< of a block, in texels
};

Format format_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_R8G8B8A8_UNORM:
      return {.block_bytes = 4};
    case VK_FORMAT_BC7_UNORM_BLOCK:
      return {.block_bytes = 16, .side = 4};
    case VK_FORMAT_D16_UNORM:
      return {.aspect = VK_IMAGE_ASPECT_DEPTH_BIT, .block_bytes = 2};
    default:
      throw std::invalid_argument("texels_of: another format");
  }
}

}  // namespace

std::vector<VkBufferImageCopy> Texels::regions() const {
  std::vector<VkBufferImageCopy> all;
  for (const Mip& mip : mips)
    all.push_back(mip.region);
  return all;
}

bool Texels::same(std::span<const std::byte> one, std::span<const std::byte> other) const {
  return std::all_of(mips.begin(), mips.end(), [&](const Mip& mip) {
    return std::ranges::equal(one.subspan(mip.region.bufferOffset, mip.bytes),
                              other.subspan(mip.region.bufferOffset, mip.bytes));
  });
}

Texels texels_of(const VkImageCreateInfo& info) {
  // Specification, VkBufferImageCopy: offsets are multiples of a block, and of 4 for depth.
  constexpr VkDeviceSize kAlignment = 16;
  const Format format = format_of(info.format);
  const auto blocks = [&](std::uint32_t texels) {
    return VkDeviceSize{(texels + format.side - 1) / format.side};
  };
  Texels texels;
  for (std::uint32_t mip = 0; mip < info.mipLevels; ++mip) {
    VkBufferImageCopy region{};
    region.bufferOffset = texels.bytes;
    region.imageSubresource = {format.aspect, mip, 0, info.arrayLayers};
    region.imageExtent = {std::max(1u, info.extent.width >> mip),
                          std::max(1u, info.extent.height >> mip), 1};
    const VkDeviceSize bytes = blocks(region.imageExtent.width) *
                               blocks(region.imageExtent.height) * info.arrayLayers *
                               format.block_bytes;
    texels.mips.push_back({region, bytes});
    texels.bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return texels;
}

}  // namespace quarry::functional
