// SPDX-License-Identifier: MIT
// Where the texels of an image lie in a buffer: mip after mip, the layers of each after one
// another, tightly packed but for each mip's beginning. For the few formats that the functional
// tests use.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace quarry::functional {

struct Texels {
  struct Mip {
    VkBufferImageCopy region{};
    VkDeviceSize bytes = 0;  ///< of all layers
  };
  std::vector<Mip> mips;
  VkDeviceSize bytes = 0;  ///< of the buffer

  std::vector<VkBufferImageCopy> regions() const;
  /// Whether two buffers hold the same texels; what lies between mips does not count.
  bool same(std::span<const std::byte> one, std::span<const std::byte> other) const;
};

/// RGBA8, BC7 and D16 of any extent, mips and layers; throws std::invalid_argument for others.
Texels texels_of(const VkImageCreateInfo& info);

}  // namespace quarry::functional
