// SPDX-License-Identifier: MIT
#include "copy/image_regions.hpp"

#include <algorithm>

#include "device/planes.hpp"

namespace quarry::copy {

namespace {

struct Divisors {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
};

/// Of the second and third planes (specification, "Formats that require..." / plane compatibility).
Divisors chroma_divisors(VkFormat format) {
  switch (format) {
    case VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_420_UNORM:
    case VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM:
    case VK_FORMAT_G16_B16R16_2PLANE_420_UNORM:
      return {2, 2};
    case VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_422_UNORM:
    case VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM:
    case VK_FORMAT_G16_B16R16_2PLANE_422_UNORM:
      return {2, 1};
    default:
      return {1, 1};
  }
}

VkImageCopy region_of(const ImageShape& shape, VkImageAspectFlags aspects, std::uint32_t mip,
                      Divisors divisors) {
  const VkImageSubresourceLayers layers{aspects, mip, 0, shape.layers};
  VkImageCopy region{};
  region.srcSubresource = layers;
  region.dstSubresource = layers;
  region.extent = {std::max(1u, (shape.extent.width / divisors.x) >> mip),
                   std::max(1u, (shape.extent.height / divisors.y) >> mip),
                   std::max(1u, shape.extent.depth >> mip)};
  return region;
}

}  // namespace

ImageShape shape_of(const VkImageCreateInfo& info) {
  return {.format = info.format,
          .extent = info.extent,
          .mips = info.mipLevels,
          .layers = info.arrayLayers,
          .samples = info.samples,
          .concurrent = info.sharingMode == VK_SHARING_MODE_CONCURRENT};
}

VkImageAspectFlags aspects_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
      return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
      return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D16_UNORM_S8_UINT:
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
      return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
      return VK_IMAGE_ASPECT_COLOR_BIT;
  }
}

bool needs_graphics(const ImageShape& shape) {
  return aspects_of(shape.format) != VK_IMAGE_ASPECT_COLOR_BIT ||
         shape.samples != VK_SAMPLE_COUNT_1_BIT;
}

std::size_t region_count(const ImageShape& shape) {
  return std::size_t{shape.mips} * device::plane_count(shape.format);
}

bool whole_image_regions(const ImageShape& shape, base::HostArray<VkImageCopy>& regions) {
  regions.clear();
  const std::uint32_t planes = device::plane_count(shape.format);
  for (std::uint32_t mip = 0; mip < shape.mips; ++mip) {
    if (planes == 1) {
      if (!regions.push_back(region_of(shape, aspects_of(shape.format), mip, {}))) return false;
      continue;
    }
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      const Divisors divisors = plane == 0 ? Divisors{} : chroma_divisors(shape.format);
      const VkImageAspectFlags aspect = device::plane_aspect(plane);
      if (!regions.push_back(region_of(shape, aspect, mip, divisors))) return false;
    }
  }
  return true;
}

}  // namespace quarry::copy
