// SPDX-License-Identifier: MIT
// Image files become cached KTX2 files once; a bad file spoils its own map alone.
#include "materials/prepared_material.hpp"

#include <gtest/gtest.h>

#include "materials/block_decode.hpp"
#include "materials/image_writers.hpp"
#include "materials/ktx2.hpp"
#include "materials/temporary_folder.hpp"
#include "materials/texture_chain.hpp"

namespace quarry::materials {
namespace {

using testing::TemporaryFolder;
using testing::write_file;

std::string png(std::uint32_t size, std::initializer_list<std::uint16_t> texel) {
  std::vector<std::uint16_t> samples;
  for (std::uint32_t i = 0; i < size * size; ++i)
    samples.insert(samples.end(), texel.begin(), texel.end());
  return testing::encode_png(size, size, static_cast<std::uint32_t>(texel.size()), 8, samples);
}

std::string ktx2(const TemporaryFolder& folder, VkFormat format, std::uint32_t size) {
  TextureChain chain(format, size, size);
  Image image(size, size);
  std::fill_n(image.view().pixels, kPixelBytes * size * size, std::uint8_t{128});
  chain.put_from(0, std::move(image), Meaning::linear, Effort::quick, 1);
  EXPECT_TRUE(chain.write(folder / "made.ktx2", {}));
  return testing::read_file(folder / "made.ktx2");
}

class Prepare : public ::testing::Test {
 protected:
  std::vector<PreparedMaterial> prepare() {
    auto set = scan_materials(folder_.path());
    EXPECT_TRUE(set);
    PrepareOptions options;
    options.cache_folder = cache_.path() / "deeper";
    options.threads = 3;
    calls_ = 0;
    last_total_ = 0;
    options.progress = [this](std::size_t done, std::size_t total, const std::string&) {
      EXPECT_EQ(done, ++calls_);
      last_total_ = total;
    };
    return prepare_materials(set->materials, options);
  }

  /// The first texel of the coarsest mip.
  static std::vector<int> average(const std::filesystem::path& path) {
    const auto file = TextureFile::open(path);
    EXPECT_TRUE(file);
    const std::uint32_t last = file->info().mips - 1;
    std::vector<std::byte> blocks(static_cast<std::size_t>(file->info().mip_bytes[last]));
    EXPECT_TRUE(file->read_mip(last, blocks));
    const auto image = decode_blocks(*find_format(file->info().format), 1, 1, blocks);
    EXPECT_TRUE(image);
    return {image->view().pixels, image->view().pixels + 4};
  }
  static VkFormat format_of(const PreparedMap& map) {
    return TextureFile::open(*map.file)->info().format;
  }

  TemporaryFolder folder_;
  TemporaryFolder cache_;
  std::size_t calls_ = 0;
  std::size_t last_total_ = 0;
};

TEST_F(Prepare, ImagesBecomeTexturesOfTheRightFormats) {
  write_file(folder_ / "m/x_color.png", png(20, {200, 100, 40}));
  write_file(folder_ / "m/x_normal.png", png(20, {200, 90, 220}));
  write_file(folder_ / "m/x_rough.png", png(20, {60}));
  write_file(folder_ / "m/x_metal.png", png(10, {250}));
  write_file(folder_ / "m/x_ao.png", png(40, {180}));
  const auto prepared = prepare();
  ASSERT_EQ(prepared.size(), 1u);
  EXPECT_EQ(prepared[0].name, "m");
  EXPECT_EQ(calls_, 3u);
  EXPECT_EQ(last_total_, 3u);
  const PreparedMap& albedo = prepared[0].map(MapKind::albedo);
  const PreparedMap& normal = prepared[0].map(MapKind::normal);
  const PreparedMap& surface = prepared[0].map(MapKind::surface);
  ASSERT_TRUE(albedo.file && normal.file && surface.file);
  EXPECT_EQ(format_of(albedo), VK_FORMAT_BC1_RGB_SRGB_BLOCK);
  EXPECT_EQ(format_of(normal), VK_FORMAT_BC5_UNORM_BLOCK);
  EXPECT_EQ(format_of(surface), VK_FORMAT_BC1_RGB_UNORM_BLOCK);
  EXPECT_EQ(TextureFile::open(*surface.file)->info().width, 40u)
      << "the largest of the combined files";
  EXPECT_EQ(TextureFile::open(*albedo.file)->info().mips, 5u);
  const auto packed = average(*surface.file);
  EXPECT_NEAR(packed[0], 180, 5) << "occlusion";
  EXPECT_NEAR(packed[1], 60, 5) << "roughness";
  EXPECT_NEAR(packed[2], 250, 5) << "metalness";
}

TEST_F(Prepare, AlphaIsKept) {
  write_file(folder_ / "m/x_color.png", png(8, {200, 100, 40, 90}));
  const auto prepared = prepare();
  ASSERT_TRUE(prepared[0].map(MapKind::albedo).file);
  EXPECT_EQ(format_of(prepared[0].map(MapKind::albedo)), VK_FORMAT_BC3_SRGB_BLOCK);
  EXPECT_NEAR(average(*prepared[0].map(MapKind::albedo).file)[3], 90, 2);
}

TEST_F(Prepare, GreenOfDirectXNormalsIsFlipped) {
  write_file(folder_ / "gl/x_NormalGL.png", png(8, {128, 200, 220}));
  write_file(folder_ / "dx/x_NormalDX.png", png(8, {128, 55, 220}));
  const auto prepared = prepare();
  ASSERT_EQ(prepared.size(), 2u);
  EXPECT_EQ(average(*prepared[0].map(MapKind::normal).file),
            average(*prepared[1].map(MapKind::normal).file));
}

TEST_F(Prepare, MissingMapsAreNeitherFilesNorProblems) {
  write_file(folder_ / "m/x_color.png", png(8, {1, 2, 3}));
  const auto prepared = prepare();
  EXPECT_FALSE(prepared[0].map(MapKind::normal).file);
  EXPECT_FALSE(prepared[0].map(MapKind::normal).problem);
}

TEST_F(Prepare, WithoutMetalnessASurfaceIsNotMetal) {
  write_file(folder_ / "m/x_rough.png", png(8, {77}));
  const auto surface = average(*prepare()[0].map(MapKind::surface).file);
  EXPECT_NEAR(surface[0], 255, 5);
  EXPECT_NEAR(surface[1], 77, 5);
  EXPECT_NEAR(surface[2], 0, 5);
}

TEST_F(Prepare, Ktx2IsUsedInPlace) {
  write_file(folder_ / "m/x_color.ktx2", ktx2(cache_, VK_FORMAT_BC7_SRGB_BLOCK, 16));
  const auto prepared = prepare();
  ASSERT_TRUE(prepared[0].map(MapKind::albedo).file);
  EXPECT_EQ(*prepared[0].map(MapKind::albedo).file, folder_ / "m/x_color.ktx2");
}

TEST_F(Prepare, Ktx2ThatCannotBeUsedInPlaceIsConverted) {
  const std::string one_channel = ktx2(cache_, VK_FORMAT_BC4_UNORM_BLOCK, 16);
  write_file(folder_ / "m/x_roughness.ktx2", one_channel);
  write_file(folder_ / "m/x_NormalDX.ktx2", ktx2(cache_, VK_FORMAT_BC5_UNORM_BLOCK, 16));
  const auto prepared = prepare();
  ASSERT_TRUE(prepared[0].map(MapKind::surface).file);
  EXPECT_NEAR(average(*prepared[0].map(MapKind::surface).file)[1], 128, 5);
  ASSERT_TRUE(prepared[0].map(MapKind::normal).file);
  EXPECT_NE(*prepared[0].map(MapKind::normal).file, folder_ / "m/x_NormalDX.ktx2");
}

TEST_F(Prepare, Ktx2OfAnUnsuitableFormatIsAProblem) {
  write_file(folder_ / "m/x_color.ktx2", ktx2(cache_, VK_FORMAT_BC4_UNORM_BLOCK, 16));
  const auto prepared = prepare();
  ASSERT_TRUE(prepared[0].map(MapKind::albedo).problem);
  EXPECT_NE(prepared[0].map(MapKind::albedo).problem->reason.find("BC4_UNORM_BLOCK"),
            std::string::npos);
}

TEST_F(Prepare, OneBadMapLeavesTheRest) {
  write_file(folder_ / "m/x_color.png", png(8, {1, 2, 3}).substr(0, 60));
  write_file(folder_ / "m/x_normal.png", png(8, {128, 128, 255}));
  write_file(folder_ / "m/x_arm.exr", "v/1.and more");
  const auto prepared = prepare();
  const auto& albedo = prepared[0].map(MapKind::albedo);
  EXPECT_FALSE(albedo.file);
  ASSERT_TRUE(albedo.problem);
  EXPECT_EQ(albedo.problem->file, folder_ / "m/x_color.png");
  EXPECT_TRUE(prepared[0].map(MapKind::normal).file);
  ASSERT_TRUE(prepared[0].map(MapKind::surface).problem);
  EXPECT_NE(prepared[0].map(MapKind::surface).problem->reason.find("unknown format"),
            std::string::npos);
}

TEST_F(Prepare, ConversionsAreFoundAgain) {
  write_file(folder_ / "m/x_color.png", png(8, {1, 2, 3}));
  const auto file = *prepare()[0].map(MapKind::albedo).file;
  const auto first_time = std::filesystem::last_write_time(file);
  const auto old = first_time - std::chrono::hours(1);
  std::filesystem::last_write_time(file, old);
  EXPECT_EQ(*prepare()[0].map(MapKind::albedo).file, file);
  EXPECT_EQ(std::filesystem::last_write_time(file), old) << "not written again";
}

TEST_F(Prepare, AChangedSourceReplacesItsConversion) {
  write_file(folder_ / "m/x_color.png", png(8, {10, 10, 10}));
  const auto file = *prepare()[0].map(MapKind::albedo).file;
  write_file(folder_ / "m/x_color.png", png(8, {240, 240, 240}));
  std::filesystem::last_write_time(
      folder_ / "m/x_color.png",
      std::filesystem::last_write_time(folder_ / "m/x_color.png") + std::chrono::seconds(2));
  EXPECT_EQ(*prepare()[0].map(MapKind::albedo).file, file);
  EXPECT_GT(average(file)[0], 200);
  EXPECT_EQ(cache_.file_count(), 1u);
}

TEST_F(Prepare, ADamagedConversionIsMadeAgain) {
  write_file(folder_ / "m/x_color.png", png(8, {10, 10, 10}));
  const auto file = *prepare()[0].map(MapKind::albedo).file;
  std::filesystem::resize_file(file, 100);
  prepare();
  EXPECT_TRUE(TextureFile::open(file));
}

TEST_F(Prepare, AnUnusableCacheFolderIsAProblemOfEachMap) {
  write_file(folder_ / "m/x_color.png", png(8, {10, 10, 10}));
  write_file(cache_ / "deeper", "a file where the folder should be");
  const auto prepared = prepare();
  ASSERT_TRUE(prepared[0].map(MapKind::albedo).problem);
  EXPECT_NE(prepared[0].map(MapKind::albedo).problem->reason.find("cannot be written"),
            std::string::npos);
}

TEST_F(Prepare, CancellingLeavesProblemsThatSaySo) {
  write_file(folder_ / "m/x_color.png", png(8, {10, 10, 10}));
  auto set = scan_materials(folder_.path());
  PrepareOptions options;
  options.cache_folder = cache_.path();
  options.cancelled = [] { return true; };
  const auto prepared = prepare_materials(set->materials, options);
  EXPECT_TRUE(prepared[0].map(MapKind::albedo).problem);
}

}  // namespace
}  // namespace quarry::materials
