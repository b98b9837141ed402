// SPDX-License-Identifier: MIT
// The box filter: averages in the right space, for every extent.
#include "materials/mip_chain.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "materials/random_numbers.hpp"
#include "materials/srgb.hpp"

namespace quarry::materials {
namespace {

Image filled(std::uint32_t width, std::uint32_t height, std::array<std::uint8_t, 4> texel) {
  Image image(width, height);
  for (std::size_t i = 0; i < kPixelBytes * width * height; ++i)
    image.view().pixels[i] = texel[i % 4];
  return image;
}

Image half_of(const Image& image, Meaning meaning) {
  Image smaller(std::max(1u, image.width() / 2), std::max(1u, image.height() / 2));
  downsample(image.view(), smaller.view(), meaning);
  return smaller;
}

TEST(Srgb, TablesInvertEachOther) {
  const SrgbTables& tables = SrgbTables::instance();
  for (unsigned code = 0; code < 256; ++code)
    EXPECT_EQ(tables.encode(tables.decode(static_cast<std::uint8_t>(code))), code);
  EXPECT_EQ(tables.encode(-1.0f), 0);
  EXPECT_EQ(tables.encode(2.0f), 255);
}

TEST(MipChain, ColorIsAveragedInLinearLight) {
  Image image = filled(2, 2, {0, 0, 0, 0});
  for (const std::size_t white : {std::size_t{0}, std::size_t{12}})
    for (std::size_t c = 0; c < 4; ++c)
      image.view().pixels[white + c] = 255;
  const Image color = half_of(image, Meaning::color);
  EXPECT_EQ(color.view().pixels[0], 188) << "half the light is code 188";
  EXPECT_EQ(color.view().pixels[3], 128) << "alpha is linear";
  const Image linear = half_of(image, Meaning::linear);
  EXPECT_EQ(linear.view().pixels[0], 128);
}

TEST(MipChain, NormalsKeepUnitLength) {
  std::mt19937 random = testing::seeded_random();
  std::normal_distribution<float> tilt(0.0f, 0.7f);
  Image image(16, 16);
  for (std::uint32_t i = 0; i < 256; ++i) {
    const float x = tilt(random);
    const float y = tilt(random);
    const float scale = 1.0f / std::sqrt(x * x + y * y + 1.0f);
    std::uint8_t* texel = image.view().pixels + 4 * i;
    texel[0] = static_cast<std::uint8_t>(127.5f + 127.5f * x * scale + 0.5f);
    texel[1] = static_cast<std::uint8_t>(127.5f + 127.5f * y * scale + 0.5f);
    texel[2] = static_cast<std::uint8_t>(127.5f + 127.5f * scale + 0.5f);
  }
  while (image.width() > 1) {
    image = half_of(image, Meaning::normal);
    for (std::size_t i = 0; i < std::size_t{image.width()} * image.height(); ++i) {
      const std::uint8_t* texel = image.view().pixels + 4 * i;
      float square = 0.0f;
      for (std::size_t c = 0; c < 3; ++c)
        square += std::pow(static_cast<float>(texel[c]) / 127.5f - 1.0f, 2.0f);
      EXPECT_NEAR(std::sqrt(square), 1.0f, 0.012f);
    }
  }
}

TEST(MipChain, OppositeNormalsBecomeFlat) {
  Image image = filled(2, 1, {255, 128, 128, 255});
  image.view().pixels[0] = 0;
  const Image flat = half_of(image, Meaning::normal);
  EXPECT_NEAR(flat.view().pixels[0], 128, 1);
  EXPECT_EQ(flat.view().pixels[2], 255);
}

TEST(MipChain, AConstantStaysItselfAtEveryExtent) {
  const std::array<std::uint8_t, 4> texel = {10, 128, 201, 77};
  for (std::uint32_t width : {1u, 2u, 3u, 5u, 8u, 13u, 64u, 127u})
    for (std::uint32_t height : {1u, 2u, 7u, 16u, 33u})
      for (const Meaning meaning : {Meaning::color, Meaning::linear}) {
        if (width == 1 && height == 1) continue;
        const Image smaller = half_of(filled(width, height, texel), meaning);
        for (std::size_t i = 0; i < kPixelBytes * smaller.width() * smaller.height(); ++i)
          ASSERT_EQ(smaller.view().pixels[i], texel[i % 4]) << width << "x" << height;
      }
}

/// An odd row of 5 over 2 texels: each takes 2.5 of them. By hand: (a + b + c/2) / 2.5 and (c/2 + d
/// + e) / 2.5.
TEST(MipChain, OddExtentsWeighTheSharedTexel) {
  Image image = filled(5, 1, {0, 0, 0, 0});
  const std::uint8_t values[] = {100, 50, 200, 10, 30};
  for (std::size_t i = 0; i < 5; ++i)
    image.view().pixels[4 * i] = values[i];
  const Image smaller = half_of(image, Meaning::linear);
  ASSERT_EQ(smaller.width(), 2u);
  EXPECT_NEAR(smaller.view().pixels[0], (100 + 50 + 100) / 2.5, 0.51);
  EXPECT_NEAR(smaller.view().pixels[4], (100 + 10 + 30) / 2.5, 0.51);
}

/// No texel may count more than another: the mean of a random image survives to 1x1.
TEST(MipChain, TheMeanSurvivesDownToOneTexel) {
  std::mt19937 random = testing::seeded_random();
  for (const auto& [width, height] : {std::pair{64u, 64u}, {37u, 53u}, {100u, 1u}, {3u, 81u}}) {
    Image image(width, height);
    double sum = 0.0;
    for (std::size_t i = 0; i < std::size_t{width} * height; ++i) {
      image.view().pixels[4 * i] = static_cast<std::uint8_t>(random() % 256);
      sum += image.view().pixels[4 * i];
    }
    const double mean = sum / (width * height);
    while (image.width() > 1 || image.height() > 1)
      image = half_of(image, Meaning::linear);
    EXPECT_NEAR(image.view().pixels[0], mean, 2.0) << width << "x" << height;
  }
}

/// Rounding halves up at every level would add a quarter of a code to each: 3 codes over 13 levels.
TEST(MipChain, RoundingDoesNotBrighten) {
  std::mt19937 random = testing::seeded_random();
  Image image(4096, 16);
  double before = 0.0;
  for (std::size_t i = 0; i < std::size_t{4096} * 16; ++i) {
    image.view().pixels[4 * i] = static_cast<std::uint8_t>(random() % 256);
    before += image.view().pixels[4 * i] / (4096.0 * 16.0);
  }
  image = half_of(image, Meaning::linear);
  double after = 0.0;
  for (std::size_t i = 0; i < std::size_t{2048} * 8; ++i)
    after += image.view().pixels[4 * i] / (2048.0 * 8.0);
  EXPECT_NEAR(after, before, 0.02) << "the old rule would be off by 0.125";
}

TEST(MipChain, RowsMayBeComputedApart) {
  std::mt19937 random = testing::seeded_random();
  Image image(31, 47);
  for (std::size_t i = 0; i < kPixelBytes * 31 * 47; ++i)
    image.view().pixels[i] = static_cast<std::uint8_t>(random());
  const Image whole = half_of(image, Meaning::color);
  Image parts(15, 23);
  for (std::uint32_t row = 0; row < 23; ++row)
    downsample_rows(std::as_const(image).view(), parts.view(), Meaning::color, row, row + 1);
  EXPECT_TRUE(std::equal(whole.view().pixels, whole.view().pixels + kPixelBytes * 15 * 23,
                         std::as_const(parts).view().pixels));
}

}  // namespace
}  // namespace quarry::materials
