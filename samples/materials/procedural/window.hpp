// SPDX-License-Identifier: MIT
// A rectangle of a square, endlessly repeating texture, and a field of numbers over it. Windows may
// begin left of or above the texture: positions wrap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quarry::materials {

struct Window {
  std::uint32_t size = 0;  ///< edge of the whole texture in pixels, a power of two
  std::int32_t left = 0;
  std::int32_t top = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  std::size_t pixels() const { return std::size_t{width} * height; }

  /// Position of a pixel's centre across the texture, 0 to 1.
  float u(std::uint32_t x) const { return wrapped(left, x); }
  float v(std::uint32_t y) const { return wrapped(top, y); }

 private:
  float wrapped(std::int32_t origin, std::uint32_t offset) const {
    const std::uint32_t position = (static_cast<std::uint32_t>(origin) + offset) & (size - 1);
    return (static_cast<float>(position) + 0.5f) / static_cast<float>(size);
  }
};

/// One number a pixel of a window, row by row.
using Field = std::vector<float>;

}  // namespace quarry::materials
