// SPDX-License-Identifier: MIT
// Compression and decoding: errors within bounds, odd extents, parts in place.
#include "materials/block_compress.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "materials/bc7.hpp"
#include "materials/block_decode.hpp"
#include "materials/format_printer.hpp"
#include "materials/random_numbers.hpp"
#include "materials/texture_chain.hpp"

namespace quarry::materials {
namespace {

/// A soft gradient with a little noise, as textures are.
Image smooth_image(std::uint32_t width, std::uint32_t height, std::mt19937& random, bool alpha) {
  Image image(width, height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      std::uint8_t* texel = image.view().row(y) + kPixelBytes * x;
      const int noise = static_cast<int>(random() % 7) - 3;
      texel[0] = static_cast<std::uint8_t>(60 + 2 * x + static_cast<unsigned>(3 + noise));
      texel[1] = static_cast<std::uint8_t>(90 + 2 * y + static_cast<unsigned>(3 + noise));
      texel[2] = static_cast<std::uint8_t>(200 - 2 * x);
      texel[3] = alpha ? static_cast<std::uint8_t>(250 - 3 * y) : 255;
    }
  return image;
}

std::vector<std::byte> compressed(const Image& image, const FormatInfo& format, Effort effort) {
  std::vector<std::byte> blocks(
      static_cast<std::size_t>(image_bytes(format, image.width(), image.height())));
  const std::uint32_t columns = (image.width() + format.block_edge - 1) / format.block_edge;
  compress(image.view(), format, effort, blocks.data(), std::size_t{columns} * format.block_bytes);
  return blocks;
}

/// Root of the mean squared error over the channels that the format carries.
double error_of(const Image& a, const Image& b, std::uint32_t channels) {
  double sum = 0.0;
  for (std::uint32_t y = 0; y < a.height(); ++y)
    for (std::uint32_t x = 0; x < a.width(); ++x)
      for (std::uint32_t c = 0; c < channels; ++c)
        sum += std::pow(a.view().row(y)[4 * x + c] - b.view().row(y)[4 * x + c], 2);
  return std::sqrt(sum / (a.width() * a.height() * channels));
}

class CompressEveryFormat : public ::testing::TestWithParam<FormatInfo> {};

TEST_P(CompressEveryFormat, StaysCloseToTheImage) {
  std::mt19937 random = testing::seeded_random();
  const FormatInfo& format = GetParam();
  const bool alpha = format.channels == 4 && format.format != VK_FORMAT_BC1_RGBA_UNORM_BLOCK &&
                     format.format != VK_FORMAT_BC1_RGBA_SRGB_BLOCK;
  for (const auto& [width, height] :
       {std::pair{64u, 64u}, {1u, 1u}, {2u, 2u}, {5u, 3u}, {30u, 17u}}) {
    const Image image = smooth_image(width, height, random, alpha);
    for (const Effort effort : {Effort::quick, Effort::thorough}) {
      const auto decoded = decode_blocks(format, width, height, compressed(image, format, effort));
      ASSERT_TRUE(decoded);
      const double bound = format.block_edge == 1 ? 0.0 : (format.channels <= 2 ? 1.5 : 4.5);
      EXPECT_LE(error_of(image, *decoded, format.channels), bound) << width << "x" << height;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, CompressEveryFormat, ::testing::ValuesIn(supported_formats()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(BlockCompress, APartIsPutWhereItBelongs) {
  std::mt19937 random = testing::seeded_random();
  const Image image = smooth_image(64, 48, random, false);
  for (const VkFormat format :
       {VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC5_UNORM_BLOCK, VK_FORMAT_R8G8B8A8_UNORM}) {
    TextureChain whole(format, 64, 48);
    whole.put(0, 0, 0, image.view(), Effort::quick);
    TextureChain parts(format, 64, 48);
    for (std::uint32_t top = 0; top < 48; top += 16)
      for (std::uint32_t left = 0; left < 64; left += 32)
        parts.put(0, left, top, {image.view().row(top) + 4 * left, 32, 16, image.view().row_bytes},
                  Effort::quick);
    EXPECT_TRUE(std::equal(whole.level(0).begin(), whole.level(0).end(), parts.level(0).begin()));
  }
}

TEST(TextureChain, EveryLevelIsFilledWhateverTheThreads) {
  std::mt19937 random = testing::seeded_random();
  const std::mt19937::result_type seed = random();
  const auto make = [&](unsigned threads) {
    std::mt19937 same(seed);
    TextureChain chain(VK_FORMAT_BC1_RGB_SRGB_BLOCK, 300, 170);
    chain.put_from(0, smooth_image(300, 170, same, false), Meaning::color, Effort::quick, threads);
    return chain;
  };
  const TextureChain one = make(1);
  const TextureChain four = make(4);
  ASSERT_EQ(one.mips(), 9u);
  for (std::uint32_t level = 0; level < one.mips(); ++level) {
    EXPECT_TRUE(
        std::equal(one.level(level).begin(), one.level(level).end(), four.level(level).begin()));
    const auto decoded = decode_blocks(*find_format(VK_FORMAT_BC1_RGB_SRGB_BLOCK), one.width(level),
                                       one.height(level), one.level(level));
    ASSERT_TRUE(decoded);
    EXPECT_GT(decoded->view().pixels[2], 60) << "no level is left black";
  }
}

/// Blocks written down by hand after the format's description.
TEST(BlockDecode, KnownBlocks) {
  const auto decode_one = [](VkFormat format, std::initializer_list<int> block) {
    std::vector<std::byte> bytes;
    for (const int byte : block)
      bytes.push_back(static_cast<std::byte>(byte));
    const auto image = decode_blocks(*find_format(format), 4, 4, bytes);
    EXPECT_TRUE(image);
    std::vector<int> first_row(image->view().pixels, image->view().pixels + 16);
    return first_row;
  };
  // Red and blue ends, steps 0 to 3 in the first row.
  EXPECT_EQ(decode_one(VK_FORMAT_BC1_RGB_UNORM_BLOCK, {0x00, 0xF8, 0x1F, 0x00, 0xE4, 0, 0, 0}),
            (std::vector<int>{255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170, 255}));
  // Ends the other way round: the middle, and a hole.
  EXPECT_EQ(decode_one(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {0x1F, 0x00, 0x00, 0xF8, 0xE4, 0, 0, 0}),
            (std::vector<int>{0, 0, 255, 255, 255, 0, 0, 255, 127, 0, 127, 255, 0, 0, 0, 0}));
  // BC4: 0 and 255 with five steps and the two extremes.
  const auto bc4 = decode_one(VK_FORMAT_BC4_UNORM_BLOCK, {100, 200, 0x88, 0x0E, 0, 0, 0, 0});
  EXPECT_EQ(bc4[0], 100);
  EXPECT_EQ(bc4[4], 200);
  EXPECT_EQ(bc4[8], 120);
  EXPECT_EQ(bc4[12], 255);
}

TEST(BlockDecode, AWrongByteCountIsRefused) {
  const std::vector<std::byte> bytes(15);
  EXPECT_FALSE(decode_blocks(*find_format(VK_FORMAT_BC5_UNORM_BLOCK), 4, 4, bytes));
}

TEST(Bc7, ConstantOpaqueBlocksAreNearlyExactAndOpaque) {
  std::mt19937 random = testing::seeded_random();
  for (int round = 0; round < 500; ++round) {
    std::array<std::uint8_t, 64> rgba{};
    for (std::size_t i = 0; i < 4; ++i)
      rgba[i] = i == 3 ? 255 : static_cast<std::uint8_t>(random());
    for (std::size_t i = 4; i < rgba.size(); ++i)
      rgba[i] = rgba[i - 4];
    std::array<std::byte, 16> block{};
    bc7::encode(rgba.data(), block.data());
    std::array<std::uint8_t, 64> decoded{};
    ASSERT_TRUE(bc7::decode(block.data(), decoded.data()));
    for (std::size_t i = 0; i < rgba.size(); ++i)
      ASSERT_NEAR(decoded[i], rgba[i], i % 4 == 3 ? 0 : 1);
  }
}

TEST(Bc7, ALineThroughColorSpaceIsKept) {
  std::array<std::uint8_t, 64> rgba{};
  for (std::size_t p = 0; p < 16; ++p) {
    rgba[4 * p] = static_cast<std::uint8_t>(20 + 14 * p);
    rgba[4 * p + 1] = static_cast<std::uint8_t>(240 - 10 * p);
    rgba[4 * p + 2] = static_cast<std::uint8_t>(100 + 3 * p);
    rgba[4 * p + 3] = static_cast<std::uint8_t>(255 - 16 * p);
  }
  std::array<std::byte, 16> block{};
  bc7::encode(rgba.data(), block.data());
  std::array<std::uint8_t, 64> decoded{};
  ASSERT_TRUE(bc7::decode(block.data(), decoded.data()));
  for (std::size_t i = 0; i < rgba.size(); ++i)
    EXPECT_NEAR(decoded[i], rgba[i], 4) << i;
}

TEST(Bc7, OtherModesAreRefused) {
  std::array<std::uint8_t, 64> decoded{};
  for (int mode = 0; mode < 8; ++mode) {
    std::array<std::byte, 16> block{};
    block[0] = static_cast<std::byte>(1 << mode);
    EXPECT_EQ(bc7::decode(block.data(), decoded.data()), mode == 6);
  }
}

}  // namespace
}  // namespace quarry::materials
