// SPDX-License-Identifier: MIT
// Anti-aliasing of pictures without memory on the GPU: several drawings, each moved by less than a
// pixel, averaged as light. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace quarry::viewer {

/// Averages sRGB pictures as light.
class PictureAverage {
 public:
  void add(std::span<const std::byte> rgba);
  std::vector<std::uint8_t> result() const;

 private:
  std::vector<float> light_;
  std::uint32_t count_ = 0;
};

/// Sub-pixel position `index` of `count`, in pixels from the centre: low-discrepancy points.
std::pair<float, float> sample_position(std::uint32_t index, std::uint32_t count);

}  // namespace quarry::viewer
