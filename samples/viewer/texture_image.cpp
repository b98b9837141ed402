// SPDX-License-Identifier: MIT
// Create-infos of textures, and what a file means for the device.
#include "viewer/texture_image.hpp"

#include <algorithm>

#include "materials/texture_format.hpp"
#include "viewer/memory.hpp"

namespace quarry::viewer {

namespace {

/// Streaming starts with mips of this many texels along the longer side.
constexpr std::uint32_t kCoarsestEdge = 128;

bool can_sample(VkPhysicalDevice device, VkFormat format) {
  VkFormatProperties properties{};
  vkGetPhysicalDeviceFormatProperties(device, format, &properties);
  constexpr VkFormatFeatureFlags kNeeded = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
                                           VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
                                           VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
  return (properties.optimalTilingFeatures & kNeeded) == kNeeded;
}

}  // namespace

VkImageCreateInfo texture_image_info(VkFormat format, std::uint32_t width, std::uint32_t height,
                                     std::uint32_t mips) {
  auto info = structure<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {width, height, 1};
  info.mipLevels = mips;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  return info;
}

VkImageViewCreateInfo texture_view_info(VkImage image, VkFormat format) {
  auto info = structure<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  info.image = image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = format;
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
  return info;
}

std::uint32_t TextureSource::width(std::uint32_t level) const {
  return materials::mip_extent(shape.width, level);
}

std::uint32_t TextureSource::height(std::uint32_t level) const {
  return materials::mip_extent(shape.height, level);
}

VkImageCreateInfo TextureSource::image_info(std::uint32_t level) const {
  const std::uint32_t file_level = finest + level;
  return texture_image_info(format(), width(file_level), height(file_level), last - file_level + 1);
}

Outcome<TextureSource> make_texture_source(std::string name, MapRole role,
                                           materials::TextureFile file, VkPhysicalDevice device,
                                           Memory& memory) {
  const materials::TextureInfo& info = file.info();
  const materials::FormatInfo* format = materials::find_format(info.format);
  const std::string path = file.path().string();
  if (format == nullptr || !can_sample(device, info.format)) {
    return failure(path + ": this device cannot sample " +
                   (format != nullptr ? format->name : "this format"));
  }
  const std::uint32_t limit = memory.allocator().facts().properties.limits.maxImageDimension2D;
  TextureSource source{std::move(name), role, std::move(file), {}, 0, 0, {}};
  const materials::TextureInfo& held = source.file.info();
  source.shape = {held.width, held.height, format->block_edge, format->block_bytes};
  source.last = held.mips - 1;
  const auto edge = [&](std::uint32_t level) {
    return std::max(source.width(level), source.height(level));
  };
  while (source.finest < source.last && edge(source.finest) > limit)
    ++source.finest;
  if (edge(source.finest) > limit) {
    return failure(path + ": " + std::to_string(edge(source.finest)) +
                   " texels along a side, this device takes " + std::to_string(limit));
  }
  for (std::uint32_t level = source.finest; level <= source.last; ++level) {
    const auto explained =
        memory.allocator().explain(source.image_info(level - source.finest), memory.texture_desc());
    if (!explained) return failure(path + ": " + describe(explained.error()));
    // Padding can make two levels cost the same; the finer one must never look cheaper.
    if (!source.level_bytes.empty() && explained->size >= source.level_bytes.back()) break;
    source.level_bytes.push_back(explained->size);
    if (edge(level) <= kCoarsestEdge) break;
  }
  return source;
}

}  // namespace quarry::viewer
