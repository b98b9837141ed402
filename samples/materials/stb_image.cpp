// SPDX-License-Identifier: MIT
// The one place where stb_image and stb_image_write are compiled; warnings are off for it.
// Everything of theirs is static, so that a program may link another copy beside this one.
#define STB_IMAGE_STATIC
#ifndef __clang_analyzer__  // its findings inside stb are not ours to mend
#define STB_IMAGE_IMPLEMENTATION
#endif
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_TGA
#define STBI_NO_LINEAR
#define STBI_NO_HDR
// Zeroed: its JPEG decoder reads tables that a broken file never defines, and indexes with what is
// in them.
#include <cstdlib>
#define STBI_MALLOC(size) std::calloc(1, size)
#define STBI_REALLOC(memory, size) std::realloc(memory, size)
#define STBI_FREE(memory) std::free(memory)
#include <stb/stb_image.h>

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#include "materials/stb_image.hpp"

namespace quarry::materials::stb {
namespace {

/// Bytes that stb_image asks for when it refills its own buffer, where a short answer is nothing
/// unusual.
constexpr int kRefillBytes = 128;

/// Hands a file to stb_image and notices when it wanted more than there is: its JPEG and TGA
/// decoders go on with zeros then, and report success.
struct Source {
  std::FILE* file;
  bool starved = false;

  static int read(void* user, char* into, int wanted) {
    auto* self = static_cast<Source*>(user);
    const int got = static_cast<int>(std::fread(into, 1, static_cast<size_t>(wanted), self->file));
    if (got == 0 || (got < wanted && wanted != kRefillBytes)) self->starved = true;
    return got;
  }
  static void skip(void* user, int bytes) {
    std::fseek(static_cast<Source*>(user)->file, bytes, SEEK_CUR);
  }
  static int at_end(void* user) {
    std::FILE* file = static_cast<Source*>(user)->file;
    const int next = std::fgetc(file);
    if (next == EOF) return 1;
    std::ungetc(next, file);
    return 0;
  }
};

constexpr stbi_io_callbacks kCallbacks = {Source::read, Source::skip, Source::at_end};

std::string failure() {
  const char* reason = stbi_failure_reason();
  return std::string("cannot be decoded") + (reason != nullptr ? std::string(": ") + reason : "");
}

}  // namespace

bool read_header(std::FILE* file, Header& header, std::string& reason) {
  int width = 0;
  int height = 0;
  int channels = 0;
  std::rewind(file);
  if (stbi_info_from_file(file, &width, &height, &channels) == 0) {
    reason = failure();
    return false;
  }
  header = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
            static_cast<std::uint32_t>(channels), false};
  std::rewind(file);
  header.sixteen_bit = stbi_is_16_bit_from_file(file) != 0;
  return true;
}

PixelMemory read_pixels(std::FILE* file, std::uint32_t channels, bool sixteen_bit,
                        std::string& reason) {
  int width = 0;
  int height = 0;
  int in_file = 0;
  const int wanted = static_cast<int>(channels);
  Source source{file};
  std::rewind(file);
  void* decoded = sixteen_bit ? static_cast<void*>(stbi_load_16_from_callbacks(
                                    &kCallbacks, &source, &width, &height, &in_file, wanted))
                              : static_cast<void*>(stbi_load_from_callbacks(
                                    &kCallbacks, &source, &width, &height, &in_file, wanted));
  PixelMemory pixels(static_cast<std::uint8_t*>(decoded));
  if (source.starved) {
    reason = "is truncated";
    pixels.reset();
  } else if (!pixels) {
    reason = failure();
  }
  return pixels;
}

bool write_png(std::uint32_t width, std::uint32_t height, const std::uint8_t* rgba,
               std::string& bytes) {
  const auto append = [](void* user, void* data, int size) {
    static_cast<std::string*>(user)->append(static_cast<const char*>(data),
                                            static_cast<size_t>(size));
  };
  return stbi_write_png_to_func(append, &bytes, static_cast<int>(width), static_cast<int>(height),
                                4, rgba, static_cast<int>(width * 4)) != 0;
}

}  // namespace quarry::materials::stb
