// SPDX-License-Identifier: MIT
// Views of RGBA8 pixels in memory, and an image that owns its pixels. Four bytes a pixel
// throughout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

class Image {
 public:
  Image() = default;
  Image(std::uint32_t width, std::uint32_t height)
      : width_(width), height_(height), bytes_(kPixelBytes * width * height) {}

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  PixelView view() const { return {bytes_.data(), width_, height_, kPixelBytes * width_}; }
  MutablePixelView view() { return {bytes_.data(), width_, height_, kPixelBytes * width_}; }

 private:
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace quarry::materials
