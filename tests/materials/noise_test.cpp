// SPDX-License-Identifier: MIT
// Noise repeats, does not depend on the window it is made in, and stays in its range.
#include "materials/procedural/noise.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "materials/procedural/sampled_noise.hpp"
#include "materials/random_numbers.hpp"

namespace quarry::materials {
namespace {

constexpr std::uint32_t kSize = 128;
constexpr Window kWhole = {kSize, 0, 0, kSize, kSize};

Octaves octaves(std::uint32_t columns, std::uint32_t rows, Shape shape = Shape::smooth) {
  return {{columns, rows, 7}, 4, 0.6f, shape};
}

TEST(Noise, AnyWindowShowsTheSameTexture) {
  std::mt19937 random = testing::seeded_random();
  const Field whole = fractal_noise(kWhole, octaves(4, 8));
  const Cells cells = cellular_noise(kWhole, {8, 4, 3}, 1.0f);
  for (int round = 0; round < 40; ++round) {
    const Window window = {kSize, static_cast<std::int32_t>(random() % kSize) - 1,
                           static_cast<std::int32_t>(random() % kSize) - 1,
                           1 + static_cast<std::uint32_t>(random() % 60),
                           1 + static_cast<std::uint32_t>(random() % 60)};
    const Field part = fractal_noise(window, octaves(4, 8));
    const Cells part_cells = cellular_noise(window, {8, 4, 3}, 1.0f);
    for (std::uint32_t y = 0; y < window.height; ++y)
      for (std::uint32_t x = 0; x < window.width; ++x) {
        const std::uint32_t column = (static_cast<std::uint32_t>(window.left) + x) % kSize;
        const std::uint32_t row = (static_cast<std::uint32_t>(window.top) + y) % kSize;
        const std::size_t here = std::size_t{y} * window.width + x;
        const std::size_t there = std::size_t{row} * kSize + column;
        ASSERT_FLOAT_EQ(part[here], whole[there]);
        ASSERT_FLOAT_EQ(part_cells.nearest[here], cells.nearest[there]);
        ASSERT_FLOAT_EQ(part_cells.id[here], cells.id[there]);
      }
  }
}

TEST(Noise, NeighboursAcrossTheSeamAreClose) {
  const Field noise = fractal_noise(kWhole, {{2, 2, 5}, 1});
  float inside = 0.0f;
  float seam = 0.0f;
  for (std::size_t y = 0; y < kSize; ++y) {
    seam = std::max(seam, std::abs(noise[y * kSize] - noise[y * kSize + kSize - 1]));
    for (std::size_t x = 1; x < kSize; ++x)
      inside = std::max(inside, std::abs(noise[y * kSize + x] - noise[y * kSize + x - 1]));
  }
  EXPECT_LE(seam, inside);
}

TEST(Noise, StaysInItsRangeAndUsesIt) {
  for (const Shape shape : {Shape::smooth, Shape::ridged}) {
    const Field noise = fractal_noise(kWhole, octaves(4, 4, shape));
    const auto [low, high] = std::minmax_element(noise.begin(), noise.end());
    EXPECT_LT(*low, -0.2f);
    EXPECT_GT(*high, 0.4f);
    EXPECT_GT(*low, -2.5f);
    EXPECT_LT(*high, 2.5f);
  }
}

TEST(Noise, SeedsDiffer) {
  Octaves other = octaves(4, 4);
  other.first.seed = 8;
  EXPECT_NE(fractal_noise(kWhole, octaves(4, 4)), fractal_noise(kWhole, other));
}

TEST(Noise, CellsBelowTwoPixelsAreLeftOut) {
  const Field none = fractal_noise(kWhole, {{kSize, kSize, 1}, 3});
  EXPECT_EQ(std::count(none.begin(), none.end(), 0.0f), static_cast<std::ptrdiff_t>(none.size()));
}

TEST(CellularNoise, NearestIsTheSmallestDistance) {
  const Cells cells = cellular_noise(kWhole, {8, 8, 4}, 1.0f);
  for (std::size_t i = 0; i < cells.nearest.size(); ++i) {
    EXPECT_GE(cells.nearest[i], 0.0f);
    EXPECT_LE(cells.nearest[i], 1.5f);
    EXPECT_GE(cells.border[i], 0.0f);
  }
  // Without jitter the points are a grid: the distance is known.
  const Cells grid = cellular_noise(kWhole, {8, 8, 4}, 0.0f);
  EXPECT_NEAR(grid.nearest[0], std::sqrt(2.0f) * (0.5f - 0.5f / 16.0f), 1e-5f);
}

TEST(CellularNoise, CellsAreAtLeastTwoPixelsWide) {
  const Cells dense = cellular_noise(kWhole, {8 * kSize, kSize, 4}, 1.0f);
  EXPECT_EQ(dense.nearest, cellular_noise(kWhole, {kSize / 2, kSize / 2, 4}, 1.0f).nearest);
}

TEST(SampledNoise, RepeatsAndAgreesWithItself) {
  const SampledNoise noise(octaves(8, 8));
  for (const float u : {0.0f, 0.123f, 0.999f})
    for (const float v : {0.0f, 0.456f, 0.9999f}) {
      EXPECT_NEAR(noise.at(u, v), noise.at(u + 3.0f, v - 2.0f), 2e-3f);
      EXPECT_NEAR(noise.at(u, v), noise.at(u + 1e-5f, v), 1e-2f) << "continuous";
    }
}

}  // namespace
}  // namespace quarry::materials
