// SPDX-License-Identifier: MIT
// The vocabulary of the recipes: small functions on numbers and linear colours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace quarry::materials {

struct Rgb {
  float r = 0.0f;
  float g = 0.0f;
  float b = 0.0f;
};

constexpr Rgb operator*(Rgb color, float scale) {
  return {color.r * scale, color.g * scale, color.b * scale};
}
constexpr Rgb operator+(Rgb a, Rgb b) {
  return {a.r + b.r, a.g + b.g, a.b + b.b};
}

constexpr float mix(float a, float b, float t) {
  return a + t * (b - a);
}
constexpr Rgb mix(Rgb a, Rgb b, float t) {
  return {mix(a.r, b.r, t), mix(a.g, b.g, t), mix(a.b, b.b, t)};
}

constexpr float saturate(float value) {
  return value < 0.0f ? 0.0f : (value > 1.0f ? 1.0f : value);
}

/// 0 below `from`, 1 above `to`, smooth between; `from` may be the larger one.
constexpr float smooth_step(float from, float to, float value) {
  const float t = saturate((value - from) / (to - from));
  return t * t * (3.0f - 2.0f * t);
}

/// Floor and the rest, for values within +-2^31 (std::floor is a call on plain x86-64).
inline float whole_part(float value) {
  const auto truncated = static_cast<float>(static_cast<std::int32_t>(value));
  return truncated > value ? truncated - 1.0f : truncated;
}
inline float fraction(float value) {
  return value - whole_part(value);
}

/// 0 at whole numbers, 1 half-way between.
inline float triangle(float value) {
  return 1.0f - std::abs(2.0f * fraction(value) - 1.0f);
}

/// An approximation of sin(2 pi value) that costs no call; off by less than 0.06.
inline float wave(float value) {
  const float t = 2.0f * fraction(value) - 1.0f;
  return -4.0f * t * (1.0f - std::abs(t));
}

/// A colour as palettes are written down, in sRGB codes.
inline Rgb srgb(int r, int g, int b) {
  const auto decode = [](int code) {
    const float value = static_cast<float>(code) / 255.0f;
    return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
  };
  return {decode(r), decode(g), decode(b)};
}

/// Numbers for one material, one after the other.
class Dice {
 public:
  /// `variant` counts the materials that one recipe makes in a set.
  Dice(std::uint32_t seed, std::uint32_t variant) : state_(seed), variant_(variant) {}
  std::uint32_t seed() {
    state_ = state_ * 1664525u + 1013904223u;
    std::uint32_t h = state_;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
  }
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(seed() >> 8) * (1.0f / 16777216.0f);
  }
  std::uint32_t below(std::uint32_t count) { return seed() % count; }

  /// Variants take the choices in turn, so that a set has them all before one comes again.
  template <class Choices>
  const auto& pick(const Choices& choices) const {
    return choices[variant_ % choices.size()];
  }

 private:
  std::uint32_t state_;
  std::uint32_t variant_;
};

}  // namespace quarry::materials
