// SPDX-License-Identifier: MIT
// Writes PNG files through stb_image_write.
#pragma once

#include <cstdint>

namespace quarry::viewer {

/// `rgba`: width * height pixels of 4 bytes, rows from the top. False when the file cannot be
/// written.
bool write_png(const char* path, std::uint32_t width, std::uint32_t height,
               const std::uint8_t* rgba);

}  // namespace quarry::viewer
