// SPDX-License-Identifier: MIT
// Views of RGBA8 pixels in memory, and an image that owns its pixels. Four bytes a pixel
// throughout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace quarry::materials {

/// What the numbers in a texture mean: it decides how they are averaged.
enum class Meaning : std::uint8_t {
  color,   ///< sRGB in R, G, B; linear alpha
  normal,  ///< a unit vector in R, G, B
  linear,  ///< four independent quantities
};

inline constexpr std::size_t kPixelBytes = 4;

struct PixelView {
  const std::uint8_t* pixels = nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::size_t row_bytes = 0;  ///< from one row to the next

  const std::uint8_t* row(std::uint32_t y) const { return pixels + y * row_bytes; }
};

struct MutablePixelView {
  std::uint8_t* pixels = nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::size_t row_bytes = 0;

  std::uint8_t* row(std::uint32_t y) const { return pixels + y * row_bytes; }
  operator PixelView() const {  // NOLINT(google-explicit-constructor)
    return {pixels, width, height, row_bytes};
  }
};

struct FreePixels {
  void operator()(std::uint8_t* pixels) const { std::free(pixels); }
};
/// Memory of malloc, which is also what stb_image hands out.
using PixelMemory = std::unique_ptr<std::uint8_t[], FreePixels>;

class Image {
 public:
  Image() = default;
  /// Pixels are not initialised. Throws std::bad_alloc.
  Image(std::uint32_t width, std::uint32_t height)
      : Image(width, height,
              PixelMemory(static_cast<std::uint8_t*>(std::malloc(kPixelBytes * width * height)))) {
    if (!pixels_) throw std::bad_alloc();
  }
  /// Takes over width * height pixels.
  Image(std::uint32_t width, std::uint32_t height, PixelMemory pixels)
      : width_(width), height_(height), pixels_(std::move(pixels)) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  PixelView view() const { return {pixels_.get(), width_, height_, kPixelBytes * width_}; }
  MutablePixelView view() { return {pixels_.get(), width_, height_, kPixelBytes * width_}; }

 private:
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  PixelMemory pixels_;
};

}  // namespace quarry::materials
