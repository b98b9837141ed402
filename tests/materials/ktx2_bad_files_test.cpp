// SPDX-License-Identifier: MIT
// KTX2 files that are cut off, of another kind, or garbage: an error that names the file, never a
// crash.
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "materials/ktx2.hpp"
#include "materials/ktx2_layout.hpp"
#include "materials/random_numbers.hpp"
#include "materials/temporary_folder.hpp"

namespace quarry::materials {
namespace {

using testing::read_file;
using testing::TemporaryFolder;
using testing::write_file;

class Ktx2BadFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::byte> level0(16 * 16 / 2);
    std::vector<std::byte> level1(8 * 8 / 2);
    std::vector<std::byte> tail(8);
    TextureContent content{
        VK_FORMAT_BC1_RGB_SRGB_BLOCK, 16, 16, {level0, level1, tail, tail, tail}, {}};
    ASSERT_TRUE(write_texture(path_, content));
    good_ = read_file(path_);
  }

  /// The reason why the good file, changed by `change`, is refused; empty when it is not.
  std::string reason_after(const std::function<void(std::span<std::byte>)>& change) {
    std::string bytes = good_;
    change(std::as_writable_bytes(std::span(bytes)));
    return reason_of(bytes);
  }
  std::string reason_of(const std::string& bytes) {
    write_file(path_, bytes);
    const auto file = TextureFile::open(path_);
    if (file) return {};
    EXPECT_EQ(file.error().file, path_);
    return file.error().reason;
  }
  std::string reason_with_word(std::size_t at, std::uint32_t value) {
    return reason_after([&](std::span<std::byte> bytes) { ktx2::store_u32(bytes, at, value); });
  }
  std::string reason_with_level(std::uint32_t level, std::size_t field, std::uint64_t value) {
    return reason_after([&](std::span<std::byte> bytes) {
      ktx2::store_u64(bytes, ktx2::kHeaderBytes + ktx2::kLevelEntryBytes * level + field, value);
    });
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "t.ktx2";
  std::string good_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Ktx2BadFile, TheFileItselfIsGood) {
  EXPECT_EQ(reason_of(good_), "");
}

TEST_F(Ktx2BadFile, EveryTruncationIsNoticed) {
  for (std::size_t length = 0; length < good_.size(); ++length)
    EXPECT_NE(reason_of(good_.substr(0, length)), "")
        << "cut to " << length << " of " << good_.size();
}

TEST_F(Ktx2BadFile, AFileThatShrinksAfterOpeningIsAReadError) {
  const auto file = TextureFile::open(path_);
  ASSERT_TRUE(file);
  std::filesystem::resize_file(path_, 200);
  std::vector<std::byte> level(static_cast<std::size_t>(file->info().mip_bytes[0]));
  const Status status = file->read_mip(0, level);
  ASSERT_FALSE(status);
  EXPECT_TRUE(contains(status.error().reason, "truncated"));
}

TEST_F(Ktx2BadFile, OtherKindsAreRefusedByName) {
  EXPECT_TRUE(contains(
      reason_of(
          "not a texture, but long enough to hold a header of eighty bytes, and more than that"),
      "not a KTX2"));
  EXPECT_TRUE(contains(reason_with_word(ktx2::kSupercompression, 2), "supercompressed"));
  EXPECT_TRUE(contains(reason_with_word(ktx2::kDepth, 4), "3D"));
  EXPECT_TRUE(contains(reason_with_word(ktx2::kLayers, 1), "array"));
  EXPECT_TRUE(contains(reason_with_word(ktx2::kFaces, 6), "cube"));
  EXPECT_TRUE(contains(reason_with_word(ktx2::kHeight, 0), "1D"));
  EXPECT_TRUE(
      contains(reason_with_word(ktx2::kVkFormat, VK_FORMAT_ASTC_4x4_SRGB_BLOCK), "VkFormat 158"));
  EXPECT_TRUE(contains(reason_with_word(ktx2::kVkFormat, 0xffffffffu), "VkFormat"));
  EXPECT_TRUE(contains(reason_with_word(ktx2::kVkFormat, 0), "VkFormat 0"));
}

TEST_F(Ktx2BadFile, SizesThatDoNotMatchAreRefused) {
  EXPECT_NE(reason_with_word(ktx2::kWidth, 32), "");
  EXPECT_NE(reason_with_word(ktx2::kWidth, 0), "");
  EXPECT_NE(reason_with_word(ktx2::kWidth, 0x80000000u), "");
  EXPECT_NE(reason_with_word(ktx2::kLevels, 0), "");
  EXPECT_NE(reason_with_word(ktx2::kLevels, 6), "");
  EXPECT_NE(reason_with_word(ktx2::kLevels, 0xffffffffu), "");
  EXPECT_NE(reason_with_word(ktx2::kTypeSize, 4), "");
  EXPECT_NE(reason_with_word(ktx2::kVkFormat, VK_FORMAT_BC7_SRGB_BLOCK), "");
}

TEST_F(Ktx2BadFile, LevelsOutsideTheFileAreRefused) {
  for (std::uint32_t level = 0; level < 5; ++level) {
    EXPECT_NE(reason_with_level(level, 0, good_.size()), "");
    EXPECT_NE(reason_with_level(level, 0, ~std::uint64_t{7}), "") << "offset + length wraps";
    EXPECT_NE(reason_with_level(level, 0, 0), "") << "in the header";
    EXPECT_NE(reason_with_level(level, 0, 257), "") << "not aligned";
    EXPECT_NE(reason_with_level(level, 8, ~std::uint64_t{0}), "");
    EXPECT_NE(reason_with_level(level, 8, 0), "");
    EXPECT_NE(reason_with_level(level, 16, 1), "");
  }
}

TEST_F(Ktx2BadFile, DescriptorAndMetadataOutsideTheFileAreRefused) {
  EXPECT_NE(reason_with_word(ktx2::kDescriptorOffset, 0xfffffff0u), "");
  EXPECT_NE(reason_with_word(ktx2::kDescriptorOffset, 0), "");
  EXPECT_NE(reason_with_word(ktx2::kDescriptorLength, 0), "");
  EXPECT_NE(reason_with_word(ktx2::kDescriptorLength, 0xffffffffu), "");
  EXPECT_NE(reason_with_word(ktx2::kMetadataOffset, 0xfffffff0u), "");
  EXPECT_NE(reason_with_word(ktx2::kMetadataLength, 0xffffffffu), "");
  EXPECT_NE(reason_with_word(ktx2::kMetadataOffset, 4), "");
}

TEST_F(Ktx2BadFile, MalformedMetadataIsRefused) {
  const std::uint32_t at = ktx2::load_u32(std::as_bytes(std::span(good_)), ktx2::kMetadataOffset);
  EXPECT_NE(reason_with_word(at, 0xffffffffu), "") << "an entry longer than the data";
  EXPECT_NE(reason_with_word(at, 3), "") << "a key without its end";
}

TEST_F(Ktx2BadFile, AMissingFileAFolderAndADeviceAreErrors) {
  EXPECT_TRUE(
      contains(TextureFile::open(folder_ / "none.ktx2").error().reason, "cannot be opened"));
  EXPECT_FALSE(TextureFile::open(folder_.path()));
  EXPECT_FALSE(TextureFile::open("/dev/zero"));
}

/// Thousands of files with a few changed bytes in everything that is not pixels. Whatever opens
/// must be readable within the sizes that it states.
TEST_F(Ktx2BadFile, MutatedHeadersNeverCrash) {
  std::mt19937 random = testing::seeded_random();
  const std::size_t front = good_.size() - 16 * 16 / 2 - 8 * 8 / 2 - 3 * 8;
  const std::uint32_t tempting[] = {0, 1, 4, 0x7fffffffu, 0x80000000u, 0xfffffff8u, 0xffffffffu};
  int opened = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = good_;
    const auto span = std::as_writable_bytes(std::span(bytes));
    const unsigned changes = 1 + random() % 4;
    for (unsigned i = 0; i < changes; ++i) {
      const std::size_t at = random() % (front - 4);
      if (random() % 2 == 0)
        span[at] = static_cast<std::byte>(random());
      else
        ktx2::store_u32(span, at / 4 * 4, tempting[random() % std::size(tempting)]);
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    write_file(path_, bytes);
    const auto file = TextureFile::open(path_);
    if (!file) continue;
    ++opened;
    for (std::uint32_t level = 0; level < file->info().mips; ++level) {
      ASSERT_LE(file->info().mip_bytes[level], bytes.size());
      std::vector<std::byte> read(static_cast<std::size_t>(file->info().mip_bytes[level]));
      EXPECT_TRUE(file->read_mip(level, read));
    }
  }
  EXPECT_GT(opened, 0) << "some changes (a metadata letter, say) are harmless";
}

}  // namespace
}  // namespace quarry::materials
