// SPDX-License-Identifier: MIT
// The implementation of stb_image_write lives here, built without warnings.
#include "viewer/png.hpp"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

namespace quarry::viewer {

bool write_png(const char* path, std::uint32_t width, std::uint32_t height,
               const std::uint8_t* rgba) {
  return stbi_write_png(path, static_cast<int>(width), static_cast<int>(height), 4, rgba,
                        static_cast<int>(width * 4)) != 0;
}

}  // namespace quarry::viewer
