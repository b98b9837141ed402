// SPDX-License-Identifier: MIT
// Bytes of images as drivers state them: whole mip chains, rounded up to the alignment.
#pragma once

#include <algorithm>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include "bench/traces/trace.hpp"

namespace quarry::bench {

enum class TexelFormat : std::uint8_t { bc7, bc5, rgba8 };

constexpr VkDeviceSize kSmallImageAlignment = VkDeviceSize{4} << 10;
constexpr VkDeviceSize kLargeImageAlignment = VkDeviceSize{64} << 10;
constexpr VkDeviceSize kLargeImageBytes = VkDeviceSize{512} << 10;

constexpr VkDeviceSize mip_bytes(TexelFormat format, VkDeviceSize width, VkDeviceSize height) {
  if (format == TexelFormat::rgba8) return width * height * 4;
  return ((width + 3) / 4) * ((height + 3) / 4) * 16;
}

constexpr VkDeviceSize chain_bytes(TexelFormat format, VkDeviceSize width, VkDeviceSize height) {
  VkDeviceSize bytes = mip_bytes(format, width, height);
  while (width > 1 || height > 1) {
    width = std::max<VkDeviceSize>(width / 2, 1);
    height = std::max<VkDeviceSize>(height / 2, 1);
    bytes += mip_bytes(format, width, height);
  }
  return bytes;
}

/// An optimal image of so many bytes.
constexpr Wanted image_wanted(VkDeviceSize bytes, Tag tag = {}) {
  Wanted wanted;
  wanted.alignment = bytes < kLargeImageBytes ? kSmallImageAlignment : kLargeImageAlignment;
  wanted.size = (bytes + wanted.alignment - 1) / wanted.alignment * wanted.alignment;
  wanted.resource = ResourceKind::optimal;
  wanted.tag = tag;
  return wanted;
}

}  // namespace quarry::bench
