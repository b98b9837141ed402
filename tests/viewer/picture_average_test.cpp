// SPDX-License-Identifier: MIT
#include "viewer/picture_average.hpp"

#include <set>

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

std::vector<std::byte> grey(unsigned value) {
  const auto v = static_cast<std::byte>(value);
  return {v, v, v, std::byte{255}};
}

TEST(PictureAverage, OnePictureComesBackAsItWas) {
  for (unsigned value = 0; value < 256; ++value) {
    PictureAverage average;
    average.add(grey(value));
    EXPECT_EQ(average.result(), (std::vector<std::uint8_t>{static_cast<std::uint8_t>(value),
                                                           static_cast<std::uint8_t>(value),
                                                           static_cast<std::uint8_t>(value), 255}));
  }
}

TEST(PictureAverage, BlackAndWhiteMixAsLight) {
  PictureAverage average;
  average.add(grey(0));
  average.add(grey(255));
  EXPECT_EQ(average.result()[0], 188);  // half the light, not half the number
}

TEST(PictureAverage, PositionsLieWithinThePixelAndDiffer) {
  std::set<std::pair<float, float>> positions;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const auto position = sample_position(i, 8);
    EXPECT_LT(std::abs(position.first), 0.5f);
    EXPECT_LT(std::abs(position.second), 0.5f);
    positions.insert(position);
  }
  EXPECT_EQ(positions.size(), 8u);
  EXPECT_EQ(sample_position(0, 1), (std::pair{0.0f, 0.0f}));
}

}  // namespace
}  // namespace quarry::viewer
