// SPDX-License-Identifier: MIT
// Noise that can be asked for at any place, for patterns that are bent by other patterns: a small
// repeating table, read with bilinear interpolation. About 5 ns a sample.
#pragma once

#include <cstdint>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/shading.hpp"

namespace quarry::materials {

class SampledNoise {
 public:
  /// `octaves` are cells across the table, which repeats with a period of 1 in u and v.
  explicit SampledNoise(Octaves octaves)
      : table_(fractal_noise({kSize, 0, 0, kSize, kSize}, octaves)) {}

  float at(float u, float v) const {
    const float x = fraction(u) * kSize;
    const float y = fraction(v) * kSize;
    const auto column = static_cast<std::uint32_t>(x);
    const auto row = static_cast<std::uint32_t>(y);
    const float s = x - static_cast<float>(column);
    const float t = y - static_cast<float>(row);
    const float* upper = &table_[std::size_t{row % kSize} * kSize];
    const float* lower = &table_[std::size_t{(row + 1) % kSize} * kSize];
    const std::uint32_t left = column % kSize;
    const std::uint32_t right = (column + 1) % kSize;
    const float above = upper[left] + s * (upper[right] - upper[left]);
    const float below = lower[left] + s * (lower[right] - lower[left]);
    return above + t * (below - above);
  }

 private:
  static constexpr std::uint32_t kSize = 1024;
  Field table_;
};

}  // namespace quarry::materials
