// SPDX-License-Identifier: MIT
// The part of stb_image that is used, and a PNG writer from stb_image_write. Errors are sentences
// about the file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "materials/pixels.hpp"

namespace quarry::materials::stb {

struct Header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t channels = 0;
  bool sixteen_bit = false;
};

/// Reads from the start of `file`. False when stb_image does not know the file; `reason` says why.
bool read_header(std::FILE* file, Header& header, std::string& reason);

/// Decodes from the start of `file`, `channels` a pixel, one or (sixteen_bit) two bytes each in the
/// machine's order. Null on failure or when the file ended before the decoder was satisfied;
/// `reason` says why.
PixelMemory read_pixels(std::FILE* file, std::uint32_t channels, bool sixteen_bit,
                        std::string& reason);

/// Writes RGBA8 pixels as PNG into memory and hands the bytes on. False when out of memory.
bool write_png(std::uint32_t width, std::uint32_t height, const std::uint8_t* rgba,
               std::string& bytes);

}  // namespace quarry::materials::stb
