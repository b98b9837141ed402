// SPDX-License-Identifier: MIT
// Encodes small image files for tests: PNG of any depth by hand (uncompressed), JPEG and TGA
// through stb.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::materials::testing {

/// `samples` are width * height * channels values, rows from the top; 16-bit ones are used as they
/// are, 8-bit ones by their low byte.
std::string encode_png(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       unsigned bits, const std::vector<std::uint16_t>& samples);

/// The signature and header of a PNG of any claimed size, and no pixels.
std::string png_header(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       unsigned bits);

std::string encode_jpeg(std::uint32_t width, std::uint32_t height,
                        const std::vector<std::uint8_t>& rgb);
std::string encode_tga(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       const std::vector<std::uint8_t>& pixels);

}  // namespace quarry::materials::testing
