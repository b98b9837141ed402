// SPDX-License-Identifier: MIT
// KTX2 files written and read back in every format.
#include "materials/ktx2.hpp"

#include <csignal>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "materials/format_printer.hpp"
#include "materials/ktx2_layout.hpp"
#include "materials/random_numbers.hpp"
#include "materials/temporary_folder.hpp"

namespace quarry::materials {
namespace {

using testing::read_file;
using testing::TemporaryFolder;

/// A texture of random bytes with a full chain.
struct RandomTexture {
  RandomTexture(VkFormat format, std::uint32_t width, std::uint32_t height, std::mt19937& random) {
    content.format = format;
    content.width = width;
    content.height = height;
    for (std::uint32_t level = 0; level < full_mip_count(width, height); ++level) {
      bytes.emplace_back(static_cast<std::size_t>(
          image_bytes(*find_format(format), mip_extent(width, level), mip_extent(height, level))));
      for (std::byte& byte : bytes.back())
        byte = static_cast<std::byte>(random());
    }
    content.mips.assign(bytes.begin(), bytes.end());
  }

  std::vector<std::vector<std::byte>> bytes;
  TextureContent content;
};

class Ktx2EveryFormat : public ::testing::TestWithParam<FormatInfo> {};

TEST_P(Ktx2EveryFormat, RoundTripKeepsEveryByte) {
  std::mt19937 random = testing::seeded_random();
  const TemporaryFolder folder;
  const std::pair<std::uint32_t, std::uint32_t> extents[] = {
      {64, 64}, {1, 1}, {13, 7}, {5, 128}, {256, 4}};
  for (const auto& [width, height] : extents) {
    RandomTexture texture(GetParam().format, width, height, random);
    texture.content.metadata = {{"quarryRecipe", "a test"}};
    const auto path = folder / "texture.ktx2";
    ASSERT_TRUE(write_texture(path, texture.content));
    auto file = TextureFile::open(path);
    ASSERT_TRUE(file) << file.error().to_string();
    EXPECT_EQ(file->info().format, GetParam().format);
    EXPECT_EQ(file->info().width, width);
    EXPECT_EQ(file->info().height, height);
    ASSERT_EQ(file->info().mips, texture.bytes.size());
    EXPECT_EQ(file->metadata("quarryRecipe"), "a test");
    for (std::uint32_t level = 0; level < file->info().mips; ++level) {
      std::vector<std::byte> read(static_cast<std::size_t>(file->info().mip_bytes[level]));
      ASSERT_TRUE(file->read_mip(level, read));
      EXPECT_EQ(read, texture.bytes[level]) << "level " << level;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Ktx2EveryFormat, ::testing::ValuesIn(supported_formats()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(Ktx2, LevelsStandSmallestFirstAndAligned) {
  std::mt19937 random(1);
  const TemporaryFolder folder;
  for (const FormatInfo& format : supported_formats()) {
    const RandomTexture texture(format.format, 64, 32, random);
    ASSERT_TRUE(write_texture(folder / "t.ktx2", texture.content));
    const std::string bytes = read_file(folder / "t.ktx2");
    const auto span = std::as_bytes(std::span(bytes));
    std::uint64_t end = bytes.size();
    for (std::uint32_t level = 0; level < texture.bytes.size(); ++level) {
      const std::size_t entry = ktx2::kHeaderBytes + ktx2::kLevelEntryBytes * level;
      const std::uint64_t offset = ktx2::load_u64(span, entry);
      EXPECT_EQ(offset % format.block_bytes, 0u);
      EXPECT_EQ(offset + ktx2::load_u64(span, entry + 8), end)
          << "larger levels come later, without gaps";
      end = offset;
    }
  }
}

TEST(Ktx2, SlicesAreReadAtTheirOffset) {
  std::mt19937 random(2);
  const TemporaryFolder folder;
  const RandomTexture texture(VK_FORMAT_BC7_UNORM_BLOCK, 64, 64, random);
  ASSERT_TRUE(write_texture(folder / "t.ktx2", texture.content));
  const auto file = TextureFile::open(folder / "t.ktx2");
  ASSERT_TRUE(file);
  std::vector<std::byte> slice(100);
  ASSERT_TRUE(file->read_slice(0, 1000, slice));
  EXPECT_TRUE(std::equal(slice.begin(), slice.end(), texture.bytes[0].begin() + 1000));
  EXPECT_FALSE(file->read_slice(0, texture.bytes[0].size() - 99, slice)) << "one byte too far";
  EXPECT_FALSE(file->read_slice(0, ~std::uint64_t{0}, slice)) << "the sum wraps";
  EXPECT_FALSE(file->read_slice(7, 0, slice)) << "no such level";
  EXPECT_FALSE(file->read_mip(0, slice)) << "not the level's size";
}

TEST(Ktx2, ThreadsReadOneFileAtOnce) {
  std::mt19937 random(3);
  const TemporaryFolder folder;
  const RandomTexture texture(VK_FORMAT_BC1_RGB_SRGB_BLOCK, 256, 256, random);
  ASSERT_TRUE(write_texture(folder / "t.ktx2", texture.content));
  const auto file = TextureFile::open(folder / "t.ktx2");
  ASSERT_TRUE(file);
  std::array<int, 4> wrong{};
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong)
      threads.emplace_back([&] {
        for (std::uint32_t i = 0; i < 200; ++i) {
          const std::uint32_t level = i % file->info().mips;
          std::vector<std::byte> read(texture.bytes[level].size());
          count += file->read_mip(level, read) && read == texture.bytes[level] ? 0 : 1;
        }
      });
  }
  for (const int count : wrong)
    EXPECT_EQ(count, 0);
}

TEST(Ktx2, MovedFilesStayOpen) {
  std::mt19937 random(4);
  const TemporaryFolder folder;
  const RandomTexture texture(VK_FORMAT_R8G8B8A8_SRGB, 4, 4, random);
  ASSERT_TRUE(write_texture(folder / "a.ktx2", texture.content));
  ASSERT_TRUE(write_texture(folder / "b.ktx2", texture.content));
  auto first = TextureFile::open(folder / "a.ktx2");
  auto second = TextureFile::open(folder / "b.ktx2");
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  TextureFile file = std::move(*first);
  file = std::move(*second);
  std::vector<std::byte> read(64);
  EXPECT_TRUE(file.read_mip(0, read));
  EXPECT_EQ(read, texture.bytes[0]);
}

/// The words that Khronos' own tools write for these formats.
TEST(Ktx2, DataFormatDescriptorsNameChannelsAndTransfer) {
  std::mt19937 random(5);
  const TemporaryFolder folder;
  struct Case {
    VkFormat format;
    std::vector<std::uint32_t> words;
  };
  const Case cases[] = {
      {VK_FORMAT_BC1_RGB_SRGB_BLOCK,
       {44, 0, 0x280002, 0x020180, 0x0303, 8, 0, 0x003F0000, 0, 0, ~0u}},
      {VK_FORMAT_BC5_UNORM_BLOCK,
       {60, 0, 0x380002, 0x010184, 0x0303, 16, 0, 0x003F0000, 0, 0, ~0u, 0x013F0040, 0, 0, ~0u}},
      {VK_FORMAT_BC3_SRGB_BLOCK,
       {60, 0, 0x380002, 0x020182, 0x0303, 16, 0, 0x1F3F0000, 0, 0, ~0u, 0x003F0040, 0, 0, ~0u}},
      {VK_FORMAT_BC7_UNORM_BLOCK,
       {44, 0, 0x280002, 0x010186, 0x0303, 16, 0, 0x007F0000, 0, 0, ~0u}},
      {VK_FORMAT_R8G8B8A8_UNORM,
       {92, 0, 0x580002, 0x010101,   0, 4, 0,   0x00070000, 0, 0, 255, 0x01070008,
        0,  0, 255,      0x02070010, 0, 0, 255, 0x0F070018, 0, 0, 255}},
  };
  for (const Case& expected : cases) {
    const RandomTexture texture(expected.format, 4, 4, random);
    ASSERT_TRUE(write_texture(folder / "t.ktx2", texture.content));
    const std::string bytes = read_file(folder / "t.ktx2");
    const auto span = std::as_bytes(std::span(bytes));
    const std::uint32_t at = ktx2::load_u32(span, ktx2::kDescriptorOffset);
    ASSERT_EQ(ktx2::load_u32(span, ktx2::kDescriptorLength), 4 * expected.words.size());
    for (std::size_t i = 0; i < expected.words.size(); ++i)
      EXPECT_EQ(ktx2::load_u32(span, at + 4 * i), expected.words[i])
          << find_format(expected.format)->name << " word " << i;
  }
}

TEST(Ktx2, MetadataIsSortedAndNamesTheWriter) {
  std::mt19937 random(6);
  const TemporaryFolder folder;
  RandomTexture texture(VK_FORMAT_R8G8B8A8_SRGB, 2, 2, random);
  texture.content.metadata = {{"zeta", "last"}, {"Alpha", ""}};
  ASSERT_TRUE(write_texture(folder / "t.ktx2", texture.content));
  const auto file = TextureFile::open(folder / "t.ktx2");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->metadata("KTXwriter"), "quarry-materials");
  EXPECT_EQ(file->metadata("KTXorientation"), "rd");
  EXPECT_EQ(file->metadata("zeta"), "last");
  EXPECT_EQ(file->metadata("absent"), "");
  const std::string bytes = read_file(folder / "t.ktx2");
  EXPECT_LT(bytes.find("Alpha"), bytes.find("KTXorientation"));
  EXPECT_LT(bytes.find("KTXorientation"), bytes.find("KTXwriter"));
  EXPECT_LT(bytes.find("KTXwriter"), bytes.find("zeta"));
}

TEST(Ktx2, ContentThatIsNoTextureIsNotWritten) {
  std::mt19937 random(7);
  const TemporaryFolder folder;
  const RandomTexture good(VK_FORMAT_BC1_RGB_UNORM_BLOCK, 8, 8, random);
  const auto refuses = [&](auto change) {
    TextureContent content = good.content;
    change(content);
    return !write_texture(folder / "t.ktx2", content);
  };
  EXPECT_TRUE(refuses([](TextureContent& c) { c.format = VK_FORMAT_R16_SFLOAT; }));
  EXPECT_TRUE(refuses([](TextureContent& c) { c.width = 0; }));
  EXPECT_TRUE(refuses([](TextureContent& c) { c.height = kLargestExtent + 1; }));
  EXPECT_TRUE(refuses([](TextureContent& c) { c.mips.clear(); }));
  EXPECT_TRUE(refuses([](TextureContent& c) { c.mips.push_back(c.mips.back()); }));
  EXPECT_TRUE(refuses([](TextureContent& c) { c.mips[1] = c.mips[1].first(1); }));
  EXPECT_EQ(folder.file_count(), 0u);
}

/// A file-size limit stands in for a full disk: the same calls fail with another error number.
TEST(Ktx2, AFailedWriteLeavesTheOldFileAndNothingElse) {
  std::mt19937 random(8);
  const TemporaryFolder folder;
  const RandomTexture small(VK_FORMAT_R8G8B8A8_SRGB, 4, 4, random);
  const RandomTexture large(VK_FORMAT_R8G8B8A8_SRGB, 256, 256, random);
  const auto path = folder / "t.ktx2";
  ASSERT_TRUE(write_texture(path, small.content));
  const std::string before = read_file(path);

  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{65536, old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const Status status = write_texture(path, large.content);
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().file, path);
  EXPECT_NE(status.error().reason.find("cannot be written"), std::string::npos);
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(Ktx2, AMissingFolderIsAnErrorThatNamesTheFile) {
  std::mt19937 random(9);
  const TemporaryFolder folder;
  const RandomTexture texture(VK_FORMAT_R8G8B8A8_SRGB, 4, 4, random);
  const Status status = write_texture(folder.path() / "none" / "t.ktx2", texture.content);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().file, folder.path() / "none" / "t.ktx2");
}

}  // namespace
}  // namespace quarry::materials
