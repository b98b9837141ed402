// SPDX-License-Identifier: MIT
// A texture in memory as it will stand in a file: a full chain of mips in one format. Filled from a
// whole image level by level, or from parts by whoever makes the texture in tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "materials/block_compress.hpp"
#include "materials/ktx2.hpp"
#include "materials/pixels.hpp"

namespace quarry::materials {

class TextureChain {
 public:
  /// `format` must be a supported one, the extents 1 to kLargestExtent.
  TextureChain(VkFormat format, std::uint32_t width, std::uint32_t height);

  std::uint32_t mips() const { return static_cast<std::uint32_t>(levels_.size()); }
  std::uint32_t width(std::uint32_t level) const { return mip_extent(width_, level); }
  std::uint32_t height(std::uint32_t level) const { return mip_extent(height_, level); }
  std::span<const std::byte> level(std::uint32_t level) const { return levels_[level]; }

  /// Compresses a part of a level whose upper left pixel is (left, top), both multiples of the
  /// block edge. Disjoint parts may be put by different threads at once.
  void put(std::uint32_t level, std::uint32_t left, std::uint32_t top, PixelView pixels,
           Effort effort);

  /// Puts `image` as level `first_level` and makes every level below it.
  void put_from(std::uint32_t first_level, Image image, Meaning meaning, Effort effort,
                unsigned threads);

  /// Writes the chain as a KTX2 file with the given key/value data.
  Status write(const std::filesystem::path& path,
               std::vector<std::pair<std::string, std::string>> metadata) const;

 private:
  const FormatInfo* format_;
  std::uint32_t width_;
  std::uint32_t height_;
  std::vector<std::vector<std::byte>> levels_;
};

}  // namespace quarry::materials
