// SPDX-License-Identifier: MIT
// Image files decoded to RGBA8, and those that cannot be.
#include "materials/image_file.hpp"

#include <random>

#include <gtest/gtest.h>

#include "materials/image_writers.hpp"
#include "materials/random_numbers.hpp"
#include "materials/stb_image.hpp"
#include "materials/temporary_folder.hpp"
#include "materials/texture_chain.hpp"

namespace quarry::materials {
namespace {

using testing::TemporaryFolder;
using testing::write_file;

std::vector<int> pixel(const Image& image, std::uint32_t x, std::uint32_t y) {
  const std::uint8_t* at = image.view().row(y) + kPixelBytes * x;
  return {at[0], at[1], at[2], at[3]};
}

std::string reason_of(const std::filesystem::path& path) {
  const auto image = load_image(path);
  if (image) return {};
  EXPECT_EQ(image.error().file, path);
  EXPECT_EQ(
      inspect_image(path).has_value() || image.error().reason == inspect_image(path).error().reason,
      true);
  return image.error().reason;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ImageFile, PngOfEveryChannelCountAndDepth) {
  const TemporaryFolder folder;
  for (const unsigned bits : {8u, 16u})
    for (std::uint32_t channels = 1; channels <= 4; ++channels) {
      // Two pixels; in 16 bits each value is one that rounds up to the wanted byte.
      std::vector<std::uint16_t> samples;
      for (std::uint32_t i = 0; i < 2 * channels; ++i) {
        const auto byte = static_cast<std::uint16_t>(20 + 30 * i);
        samples.push_back(bits == 8 ? byte : static_cast<std::uint16_t>(byte * 257 - 128));
      }
      write_file(folder / "i.png", testing::encode_png(2, 1, channels, bits, samples));
      const auto info = inspect_image(folder / "i.png");
      ASSERT_TRUE(info) << info.error().to_string();
      EXPECT_EQ(info->channels, channels);
      EXPECT_EQ(info->sixteen_bit, bits == 16);
      const auto image = load_image(folder / "i.png");
      ASSERT_TRUE(image) << image.error().to_string();
      const auto sample = [&](std::uint32_t x, std::uint32_t c) {
        return static_cast<int>(20 + 30 * (x * channels + c));
      };
      for (std::uint32_t x = 0; x < 2; ++x) {
        const bool grey = channels <= 2;
        const int alpha = channels % 2 == 0 ? sample(x, channels - 1) : 255;
        const std::vector<int> expected = {sample(x, 0), sample(x, grey ? 0 : 1),
                                           sample(x, grey ? 0 : 2), alpha};
        EXPECT_EQ(pixel(*image, x, 0), expected) << channels << " channels of " << bits << " bits";
      }
    }
}

TEST(ImageFile, SixteenBitsAreRoundedNotCut) {
  const TemporaryFolder folder;
  write_file(folder / "i.png", testing::encode_png(4, 1, 1, 16, {0, 128, 129, 65535}));
  const auto image = load_image(folder / "i.png");
  ASSERT_TRUE(image);
  EXPECT_EQ(pixel(*image, 0, 0)[0], 0);
  EXPECT_EQ(pixel(*image, 1, 0)[0], 0);
  EXPECT_EQ(pixel(*image, 2, 0)[0], 1);
  EXPECT_EQ(pixel(*image, 3, 0)[0], 255);
}

TEST(ImageFile, JpegAndTga) {
  const TemporaryFolder folder;
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < 32 * 16; ++i)
    rgb.insert(rgb.end(), {200, 100, 50});
  write_file(folder / "i.jpg", testing::encode_jpeg(32, 16, rgb));
  const auto jpeg = load_image(folder / "i.jpg");
  ASSERT_TRUE(jpeg) << jpeg.error().to_string();
  EXPECT_EQ(jpeg->width(), 32u);
  EXPECT_EQ(jpeg->height(), 16u);
  EXPECT_NEAR(pixel(*jpeg, 9, 9)[0], 200, 3);
  EXPECT_NEAR(pixel(*jpeg, 9, 9)[2], 50, 3);

  write_file(folder / "i.TGA", testing::encode_tga(2, 1, 4, {1, 2, 3, 4, 5, 6, 7, 8}));
  const auto tga = load_image(folder / "i.TGA");
  ASSERT_TRUE(tga) << tga.error().to_string();
  EXPECT_EQ(pixel(*tga, 1, 0), (std::vector<int>{5, 6, 7, 8}));
}

TEST(ImageFile, Ktx2IsDecodedAndGreyIsSpread) {
  const TemporaryFolder folder;
  Image grey(8, 8);
  for (std::uint32_t i = 0; i < 64; ++i)
    grey.view().pixels[4 * i] = 77;
  TextureChain chain(VK_FORMAT_BC4_UNORM_BLOCK, 8, 8);
  chain.put_from(0, std::move(grey), Meaning::linear, Effort::thorough, 1);
  ASSERT_TRUE(chain.write(folder / "i.ktx2", {}));
  const auto image = load_image(folder / "i.ktx2");
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(pixel(*image, 5, 5), (std::vector<int>{77, 77, 77, 255}));
}

TEST(ImageFile, ASignatureCountsMoreThanTheName) {
  const TemporaryFolder folder;
  write_file(folder / "i.jpg", testing::encode_png(1, 1, 1, 8, {9}));
  EXPECT_EQ(reason_of(folder / "i.jpg"), "");
  write_file(folder / "j.png", "GIF89a and so on");
  EXPECT_TRUE(contains(reason_of(folder / "j.png"), "not that of a png file"));
  write_file(folder / "k.exr", std::string("v/1\x01", 4) + std::string(100, 'x'));
  EXPECT_TRUE(contains(reason_of(folder / "k.exr"), "unknown format"));
  write_file(folder / "empty.png", "");
  EXPECT_TRUE(contains(reason_of(folder / "empty.png"), "empty"));
  EXPECT_TRUE(contains(reason_of(folder / "none.png"), "cannot be opened"));
  EXPECT_FALSE(load_image(folder.path()));
}

TEST(ImageFile, TruncatedFilesAreErrors) {
  const TemporaryFolder folder;
  std::mt19937 random = testing::seeded_random();
  std::vector<std::uint16_t> samples(40 * 30 * 3);
  std::vector<std::uint8_t> bytes;
  for (std::uint16_t& sample : samples) {
    sample = static_cast<std::uint16_t>(random());
    bytes.push_back(static_cast<std::uint8_t>(sample));
  }
  const std::pair<const char*, std::string> files[] = {
      {"8.png", testing::encode_png(40, 30, 3, 8, samples)},
      {"16.png", testing::encode_png(40, 30, 3, 16, samples)},
      {"i.jpg", testing::encode_jpeg(40, 30, bytes)},
      {"i.tga", testing::encode_tga(40, 30, 3, bytes)},
  };
  for (const auto& [name, content] : files) {
    write_file(folder / name, content);
    ASSERT_EQ(reason_of(folder / name), "") << name;
    for (std::size_t percent = 0; percent < 100; percent += 3) {
      write_file(folder / name, content.substr(0, content.size() * percent / 100));
      EXPECT_NE(reason_of(folder / name), "") << name << " cut to " << percent << " %";
    }
  }
}

/// Headers alone, so that only a check before decoding can be what speaks.
TEST(ImageFile, WhatStbCannotHoldIsRefusedBeforeDecoding) {
  const TemporaryFolder folder;
  const auto reason = [&](std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                          unsigned bits) {
    write_file(folder / "i.png", testing::png_header(width, height, channels, bits));
    return reason_of(folder / "i.png");
  };
  EXPECT_TRUE(contains(reason(16384, 16384, 4, 16), "beyond 2 GiB"));
  EXPECT_TRUE(contains(reason(16384, 16384, 4, 16), "save it with 8 bits"));
  EXPECT_TRUE(contains(reason(16385, 16, 3, 8), "16385x16"));
  EXPECT_TRUE(contains(reason(16, 20000, 3, 8), "16x20000"));
  write_file(folder / "i.png", testing::png_header(16384, 16384, 3, 16));
  const auto fits = inspect_image(folder / "i.png");
  ASSERT_TRUE(fits) << "three channels of 16 bits are 1.5 GiB";
  EXPECT_GT(fits->peak_bytes, std::uint64_t{16384} * 16384 * 6);
}

/// stb_image 2.27 writes behind an array for such a table.
TEST(ImageFile, AJpegWithTooManyHuffmanCodesIsRefused) {
  const TemporaryFolder folder;
  std::string bytes = testing::encode_jpeg(8, 8, std::vector<std::uint8_t>(8 * 8 * 3, 50));
  const std::size_t tables = bytes.find("\xFF\xC4");
  ASSERT_NE(tables, std::string::npos);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(tables) + 5, 16, '\xFF');
  write_file(folder / "i.jpg", bytes);
  EXPECT_TRUE(contains(reason_of(folder / "i.jpg"), "Huffman"));
}

TEST(ImageFile, GarbageBehindASignatureNeverCrashes) {
  const TemporaryFolder folder;
  std::mt19937 random = testing::seeded_random();
  std::vector<std::uint8_t> rgb(24 * 24 * 3);
  for (std::uint8_t& byte : rgb)
    byte = static_cast<std::uint8_t>(random());
  const std::vector<std::uint16_t> samples(rgb.begin(), rgb.end());
  const std::pair<const char*, std::string> files[] = {
      {"i.png", testing::encode_png(24, 24, 3, 8, samples)},
      {"i.jpg", testing::encode_jpeg(24, 24, rgb)},
      {"i.tga", testing::encode_tga(24, 24, 3, rgb)},
  };
  int failed = 0;
  for (int round = 0; round < 500; ++round)
    for (const auto& [name, content] : files) {
      std::string bytes = content;
      for (unsigned i = 0; i < 1 + random() % 6; ++i)
        bytes[random() % std::min<std::size_t>(bytes.size(), 200)] = static_cast<char>(random());
      write_file(folder / name, bytes);
      // Claims of great extents are refused or cost memory alone; keep the test quick.
      const auto info = inspect_image(folder / name);
      if (!info || info->peak_bytes > (64u << 20) || !load_image(folder / name)) ++failed;
    }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace quarry::materials
