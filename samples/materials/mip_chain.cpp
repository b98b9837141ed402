// SPDX-License-Identifier: MIT
// The box filter. Even extents take a short way with four equal weights; odd ones the general one.
#include "materials/mip_chain.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "materials/srgb.hpp"

namespace quarry::materials {
namespace {

using Sum = std::array<float, 4>;

std::uint8_t to_byte(float value) {
  const float scaled = value * 255.0f + 0.5f;
  return static_cast<std::uint8_t>(scaled < 0.0f ? 0.0f : (scaled > 255.0f ? 255.0f : scaled));
}

/// Rounds 0 to 255 to the nearest, ties to even: averages of two or four bytes often end on a half,
/// and rounding all of those up would brighten a chain by a quarter of a code a level. Adding 2^23
/// leaves the whole number in the lowest bits of the mantissa.
std::uint8_t round_even(float value) {
  return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(value + 8388608.0f) & 0xffu);
}

struct ColorRule {
  const SrgbTables& tables = SrgbTables::instance();

  void add(const std::uint8_t* pixel, float weight, Sum& sum) const {
    for (std::size_t c = 0; c < 3; ++c)
      sum[c] += weight * tables.decode(pixel[c]);
    sum[3] += weight * static_cast<float>(pixel[3]);
  }
  void store(const Sum& sum, std::uint8_t* pixel) const {
    for (std::size_t c = 0; c < 3; ++c)
      pixel[c] = tables.encode(sum[c]);
    pixel[3] = round_even(sum[3]);
  }
};

struct NormalRule {
  static void add(const std::uint8_t* pixel, float weight, Sum& sum) {
    for (std::size_t c = 0; c < 3; ++c)
      sum[c] += weight * (static_cast<float>(pixel[c]) - 127.5f);
  }
  static void store(const Sum& sum, std::uint8_t* pixel) {
    const float square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
    // Opposite normals that cancel out (below 2 of 127.5 codes) say nothing: flat.
    const float scale = square > 4.0f ? 0.5f / std::sqrt(square) : 0.0f;
    for (std::size_t c = 0; c < 3; ++c)
      pixel[c] = to_byte(sum[c] * scale + 0.5f);
    if (scale == 0.0f) pixel[2] = 255;
    pixel[3] = 255;
  }
};

struct LinearRule {
  static void add(const std::uint8_t* pixel, float weight, Sum& sum) {
    for (std::size_t c = 0; c < 4; ++c)
      sum[c] += weight * static_cast<float>(pixel[c]);
  }
  static void store(const Sum& sum, std::uint8_t* pixel) {
    for (std::size_t c = 0; c < 4; ++c)
      pixel[c] = round_even(sum[c]);
  }
};

/// The texels of the larger level under one texel of the smaller, along one side, and their shares.
struct Taps {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::array<float, 3> weights = {1.0f, 0.0f, 0.0f};
};

Taps taps_of(std::uint32_t larger, std::uint32_t smaller, std::uint32_t index) {
  if (larger == 1) return {};
  if (larger % 2 == 0) return {2 * index, 2, {0.5f, 0.5f, 0.0f}};
  // larger = 2 * smaller + 1: each texel covers 2 + 1/smaller of them, shifted a little further
  // each time.
  const auto whole = static_cast<float>(larger);
  const auto share = static_cast<float>(smaller);
  const auto shift = static_cast<float>(index);
  return {2 * index, 3, {(share - shift) / whole, share / whole, (shift + 1.0f) / whole}};
}

template <class Rule>
void filter_even_row(const Rule& rule, const std::uint8_t* upper, const std::uint8_t* lower,
                     std::uint32_t width, std::uint8_t* out) {
  for (std::uint32_t x = 0; x < width; ++x) {
    Sum sum = {};
    rule.add(upper, 0.25f, sum);
    rule.add(upper + kPixelBytes, 0.25f, sum);
    rule.add(lower, 0.25f, sum);
    rule.add(lower + kPixelBytes, 0.25f, sum);
    rule.store(sum, out);
    upper += 2 * kPixelBytes;
    lower += 2 * kPixelBytes;
    out += kPixelBytes;
  }
}

template <class Rule>
void filter_row(const Rule& rule, PixelView larger, MutablePixelView smaller, std::uint32_t y) {
  const Taps rows = taps_of(larger.height, smaller.height, y);
  for (std::uint32_t x = 0; x < smaller.width; ++x) {
    const Taps columns = taps_of(larger.width, smaller.width, x);
    Sum sum = {};
    for (std::uint32_t j = 0; j < rows.count; ++j)
      for (std::uint32_t i = 0; i < columns.count; ++i)
        rule.add(larger.row(rows.first + j) + kPixelBytes * (columns.first + i),
                 rows.weights[j] * columns.weights[i], sum);
    rule.store(sum, smaller.row(y) + kPixelBytes * x);
  }
}

template <class Rule>
void filter_rows(const Rule& rule, PixelView larger, MutablePixelView smaller,
                 std::uint32_t first_row, std::uint32_t end_row) {
  const bool even = larger.width % 2 == 0 && larger.height % 2 == 0;
  for (std::uint32_t y = first_row; y < end_row; ++y) {
    if (even)
      filter_even_row(rule, larger.row(2 * y), larger.row(2 * y + 1), smaller.width,
                      smaller.row(y));
    else
      filter_row(rule, larger, smaller, y);
  }
}

}  // namespace

void downsample_rows(PixelView larger, MutablePixelView smaller, Meaning meaning,
                     std::uint32_t first_row, std::uint32_t end_row) {
  switch (meaning) {
    case Meaning::color:
      return filter_rows(ColorRule(), larger, smaller, first_row, end_row);
    case Meaning::normal:
      return filter_rows(NormalRule(), larger, smaller, first_row, end_row);
    case Meaning::linear:
      return filter_rows(LinearRule(), larger, smaller, first_row, end_row);
  }
}

}  // namespace quarry::materials
