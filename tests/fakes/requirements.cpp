// SPDX-License-Identifier: MIT
#include "fakes/requirements.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "fakes/chain.hpp"
#include "fakes/commands.hpp"

namespace quarry::fakes {

namespace {

struct PlaneLayout {
  std::uint32_t block_bytes;
  std::uint32_t divide_x;  ///< of the image's width
  std::uint32_t divide_y;
};

struct FormatLayout {
  std::uint32_t block_side = 1;  ///< texels
  std::uint32_t planes = 1;
  std::array<PlaneLayout, 3> plane{};
};

FormatLayout texels(std::uint32_t bytes) {
  return {1, 1, {{{bytes, 1, 1}}}};
}
FormatLayout blocks(std::uint32_t bytes) {
  return {4, 1, {{{bytes, 1, 1}}}};
}

bool is_compressed_8(VkFormat f) {
  return (f >= VK_FORMAT_BC1_RGB_UNORM_BLOCK && f <= VK_FORMAT_BC1_RGBA_SRGB_BLOCK) ||
         f == VK_FORMAT_BC4_UNORM_BLOCK || f == VK_FORMAT_BC4_SNORM_BLOCK;
}

bool is_compressed_16(VkFormat f) {
  return f >= VK_FORMAT_BC1_RGB_UNORM_BLOCK && f <= VK_FORMAT_BC7_SRGB_BLOCK && !is_compressed_8(f);
}

/// Formats that the tests use; every other one counts four bytes a texel.
FormatLayout layout_of(VkFormat format) {
  if (is_compressed_8(format)) return blocks(8);
  if (is_compressed_16(format)) return blocks(16);
  switch (format) {
    case VK_FORMAT_R8_UNORM:
    case VK_FORMAT_S8_UINT:
      return texels(1);
    case VK_FORMAT_R8G8_UNORM:
    case VK_FORMAT_R16_SFLOAT:
    case VK_FORMAT_R5G6B5_UNORM_PACK16:
    case VK_FORMAT_D16_UNORM:
      return texels(2);
    case VK_FORMAT_R16G16B16A16_SFLOAT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
      return texels(8);
    case VK_FORMAT_R32G32B32A32_SFLOAT:
      return texels(16);
    case VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM:
      return {1, 3, {{{1, 1, 1}, {1, 2, 2}, {1, 2, 2}}}};
    case VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM:
      return {1, 3, {{{1, 1, 1}, {1, 2, 1}, {1, 2, 1}}}};
    case VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM:
      return {1, 3, {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}};
    case VK_FORMAT_G8_B8R8_2PLANE_420_UNORM:
      return {1, 2, {{{1, 1, 1}, {2, 2, 2}}}};
    default:
      return texels(4);
  }
}

VkDeviceSize align_up(VkDeviceSize value, VkDeviceSize alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

VkExtent3D extent_of(const VkImageCreateInfo& info, const PlaneLayout& plane, std::uint32_t mip) {
  return {std::max(1u, info.extent.width / plane.divide_x >> mip),
          std::max(1u, info.extent.height / plane.divide_y >> mip),
          std::max(1u, info.extent.depth >> mip)};
}

/// Nominal bytes of one mip of one layer of a plane, with all samples.
VkDeviceSize mip_bytes(const VkImageCreateInfo& info, const FormatLayout& format,
                       const PlaneLayout& plane, std::uint32_t mip) {
  const VkExtent3D extent = extent_of(info, plane, mip);
  const VkDeviceSize side = format.block_side;
  const VkDeviceSize blocks_in_slice =
      align_up(extent.width, side) / side * (align_up(extent.height, side) / side);
  return blocks_in_slice * extent.depth * plane.block_bytes *
         static_cast<VkDeviceSize>(info.samples);
}

/// Nominal bytes of all mips, layers and samples of one plane.
VkDeviceSize plane_bytes(const VkImageCreateInfo& info, const FormatLayout& format,
                         const PlaneLayout& plane) {
  VkDeviceSize bytes = 0;
  for (std::uint32_t mip = 0; mip < info.mipLevels && mip < 32; ++mip)
    bytes += mip_bytes(info, format, plane, mip);
  return bytes * info.arrayLayers;
}

std::uint32_t type_bits(const FakeProfile& profile, bool protected_resource, bool transient,
                        bool needs_device_local) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < profile.types.size(); ++i) {
    const VkMemoryPropertyFlags flags = profile.types[i].propertyFlags;
    const bool is_protected = (flags & VK_MEMORY_PROPERTY_PROTECTED_BIT) != 0;
    if (is_protected != protected_resource) continue;
    if ((flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0 && !transient) continue;
    if ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0 && needs_device_local) continue;
    if ((flags & VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD) != 0 &&
        !profile.device_coherent_reported && !profile.features.device_coherent_memory) {
      continue;
    }
    bits |= 1u << i;
  }
  return bits;
}

}  // namespace

VkFlags64 usage_of(const VkBufferCreateInfo& info) {
  const auto* usage = find_in_chain<BufferUsageFlags2>(info.pNext, kBufferUsageFlags2);
  return usage != nullptr ? usage->usage : info.usage;
}

std::uint32_t plane_count(VkFormat format) {
  return layout_of(format).planes;
}

std::uint32_t plane_of(VkFormat format, VkImageAspectFlagBits aspect) {
  const std::uint32_t count = plane_count(format);
  switch (aspect) {
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
      return 0;
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
      return std::min(1u, count);
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      return std::min(2u, count);
    default:
      return count;
  }
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
      break;
  }
  constexpr VkImageAspectFlags kTwo = VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT;
  const std::uint32_t planes = plane_count(format);
  if (planes == 1) return VK_IMAGE_ASPECT_COLOR_BIT;
  return planes == 2 ? kTwo : kTwo | VK_IMAGE_ASPECT_PLANE_2_BIT;
}

VkExtent3D subresource_extent(const VkImageCreateInfo& info, VkImageAspectFlagBits aspect,
                              std::uint32_t mip) {
  const FormatLayout format = layout_of(info.format);
  const std::uint32_t plane = plane_of(info.format, aspect);
  return extent_of(info, format.plane[plane < format.planes ? plane : 0], mip);
}

SubresourceBytes subresource_bytes(const VkImageCreateInfo& info, VkImageAspectFlagBits aspect,
                                   std::uint32_t mip, std::uint32_t layer) {
  const FormatLayout format = layout_of(info.format);
  std::uint32_t plane = plane_of(info.format, aspect);
  if (plane >= format.planes) plane = 0;
  SubresourceBytes bytes;
  for (std::uint32_t p = 0; p < plane; ++p)
    bytes.offset += plane_bytes(info, format, format.plane[p]);
  for (std::uint32_t m = 0; m < mip; ++m)
    bytes.offset += mip_bytes(info, format, format.plane[plane], m) * info.arrayLayers;
  bytes.size = mip_bytes(info, format, format.plane[plane], mip);
  bytes.offset += bytes.size * layer;
  constexpr VkImageAspectFlags kBoth = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  if (aspects_of(info.format) != kBoth) return bytes;
  // Of each texel's bytes the stencil takes one.
  const VkDeviceSize stencil = bytes.size / format.plane[0].block_bytes;
  if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return {bytes.offset + bytes.size - stencil, stencil};
  return {bytes.offset, bytes.size - stencil};
}

FakeRequirements buffer_requirements(const FakeProfile& profile, const VkBufferCreateInfo& info) {
  constexpr VkFlags64 kUniform = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                 VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                 VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                 VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR;
  FakeRequirements result;
  VkMemoryRequirements& memory = result.memory;
  memory.alignment = profile.buffer_alignment;
  if ((usage_of(info) & kUniform) != 0) {
    memory.alignment = std::max(memory.alignment, profile.uniform_alignment);
  }
  memory.size = align_up(info.size + profile.buffer_padding, memory.alignment);
  memory.memoryTypeBits =
      type_bits(profile, (info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0, false, false) &
      profile.buffer_type_bits;
  result.requires_dedicated = memory.size >= profile.requires_dedicated_bytes;
  result.prefers_dedicated = result.requires_dedicated;
  if (profile.adjust_buffer) profile.adjust_buffer(info, result);
  return result;
}

FakeRequirements image_requirements(const FakeProfile& profile, const VkImageCreateInfo& info,
                                    std::uint32_t plane) {
  const FormatLayout format = layout_of(info.format);
  const bool optimal = info.tiling == VK_IMAGE_TILING_OPTIMAL;
  const bool disjoint = (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  VkDeviceSize bytes = 0;
  for (std::uint32_t p = 0; p < format.planes; ++p) {
    if (!disjoint || p == plane) bytes += plane_bytes(info, format, format.plane[p]);
  }

  FakeRequirements result;
  VkMemoryRequirements& memory = result.memory;
  if (optimal) {
    memory.alignment = bytes >= profile.large_image_bytes ? profile.large_image_alignment
                                                          : profile.small_image_alignment;
  } else {
    memory.alignment = profile.linear_image_alignment;
  }
  memory.size = align_up(bytes, memory.alignment);
  memory.memoryTypeBits = type_bits(profile, (info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0,
                                    (info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0,
                                    optimal && profile.optimal_needs_device_local) &
                          profile.image_type_bits;
  constexpr VkImageUsageFlags kAttachment =
      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
  result.requires_dedicated = !disjoint && memory.size >= profile.requires_dedicated_bytes;
  result.prefers_dedicated =
      result.requires_dedicated || (!disjoint && (info.usage & kAttachment) != 0 &&
                                    memory.size >= profile.prefers_dedicated_bytes);
  if (profile.adjust_image) profile.adjust_image(info, plane, result);
  return result;
}

}  // namespace quarry::fakes
