// SPDX-License-Identifier: MIT
// sRGB to light and back (IEC 61966-2-1); Halton points for the positions.
#include "viewer/picture_average.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace quarry::viewer {

namespace {

float to_light(std::uint8_t value) {
  const float v = static_cast<float>(value) / 255.0f;
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

std::uint8_t from_light(float light) {
  const float v =
      light <= 0.0031308f ? light * 12.92f : 1.055f * std::pow(light, 1.0f / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::lround(std::clamp(v, 0.0f, 1.0f) * 255.0f));
}

const std::array<float, 256>& light_table() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = to_light(static_cast<std::uint8_t>(i));
    return made;
  }();
  return table;
}

float radical_inverse(std::uint32_t index, std::uint32_t base) {
  float value = 0.0f;
  float digit = 1.0f;
  for (; index > 0; index /= base) {
    digit /= static_cast<float>(base);
    value += digit * static_cast<float>(index % base);
  }
  return value;
}

}  // namespace

void PictureAverage::add(std::span<const std::byte> rgba) {
  light_.resize(rgba.size());
  const auto& table = light_table();
  for (std::size_t i = 0; i < rgba.size(); ++i)
    light_[i] += table[std::to_integer<std::size_t>(rgba[i])];
  ++count_;
}

std::vector<std::uint8_t> PictureAverage::result() const {
  std::vector<std::uint8_t> pixels(light_.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = i % 4 == 3 ? 255 : from_light(light_[i] / static_cast<float>(count_));
  }
  return pixels;
}

std::pair<float, float> sample_position(std::uint32_t index, std::uint32_t count) {
  if (count <= 1) return {0.0f, 0.0f};
  return {radical_inverse(index + 1, 2) - 0.5f, radical_inverse(index + 1, 3) - 0.5f};
}

}  // namespace quarry::viewer
