// SPDX-License-Identifier: MIT
// Image files to pixels: PNG, JPEG and TGA through stb_image, KTX2 through our own decoders. 16-bit
// files are rounded to 8 bits. Sizes are checked before anything is decoded.
#pragma once

#include <cstdint>
#include <filesystem>

#include "materials/pixels.hpp"
#include "materials/problem.hpp"

namespace quarry::materials {

struct ImageInfo {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 0;  ///< in the file, 1 to 4
  bool sixteen_bit = false;
  std::uint64_t peak_bytes =
      0;  ///< of memory while load_image() runs, its result included; an upper bound
};

/// Reads the header alone. Fails also for files whose pixels could not be decoded for their size:
/// an extent above kLargestExtent, or more bytes than stb_image handles (2^31 - 1, which
/// 16384x16384 RGBA at 16 bits exceeds).
Result<ImageInfo> inspect_image(const std::filesystem::path& path);

/// Grey is repeated in R, G and B; absent alpha is 255. A truncated file is an error.
Result<Image> load_image(const std::filesystem::path& path);

}  // namespace quarry::materials
