// SPDX-License-Identifier: MIT
// Procedural materials: reproducible, complete, plausible, and each unlike the others.
#include "materials/procedural/generator.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "materials/block_decode.hpp"
#include "materials/ktx2.hpp"
#include "materials/procedural/recipe.hpp"
#include "materials/procedural/set_writer.hpp"
#include "materials/temporary_folder.hpp"

namespace quarry::materials {
namespace {

using testing::TemporaryFolder;

RenderOptions small(unsigned threads = 2, std::uint32_t size = 128) {
  RenderOptions options;
  options.size = size;
  options.threads = threads;
  return options;
}

Image decoded(const std::vector<TextureChain>& maps, MapKind kind, std::uint32_t level) {
  const TextureChain& chain = maps[static_cast<std::size_t>(kind)];
  auto image = decode_blocks(*find_format(procedural_format(kind, false)), chain.width(level),
                             chain.height(level), chain.level(level));
  EXPECT_TRUE(image);
  return std::move(*image);
}

double mean(const Image& image, std::size_t channel) {
  double sum = 0.0;
  const std::size_t count = std::size_t{image.width()} * image.height();
  for (std::size_t i = 0; i < count; ++i)
    sum += image.view().pixels[4 * i + channel];
  return sum / static_cast<double>(count);
}

class EveryRecipe : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryRecipe, IsReproducibleWhateverTheThreads) {
  const ProceduralMaterial material{"m", GetParam(), 11, 0};
  const auto one = render_material(material, small(1, 256));
  const auto many = render_material(material, small(5, 256));
  ASSERT_EQ(one.size(), kMapKinds);
  for (std::size_t kind = 0; kind < kMapKinds; ++kind)
    for (std::uint32_t level = 0; level < one[kind].mips(); ++level)
      ASSERT_TRUE(std::equal(one[kind].level(level).begin(), one[kind].level(level).end(),
                             many[kind].level(level).begin()))
          << "map " << kind << " level " << level;
}

TEST_P(EveryRecipe, MipsAreTheAveragesOfTheirLevel) {
  const auto maps = render_material({"m", GetParam(), 3, 1}, small());
  for (const MapKind kind : {MapKind::normal, MapKind::surface})
    for (std::uint32_t level = 1; level < 6; ++level)
      for (std::size_t channel = 0; channel < 2; ++channel)
        EXPECT_NEAR(mean(decoded(maps, kind, level), channel),
                    mean(decoded(maps, kind, 0), channel), 8.0)
            << to_string(kind) << " level " << level << " channel " << channel;
}

TEST_P(EveryRecipe, IsPlausible) {
  for (const std::uint32_t seed : {1u, 2u}) {
    const auto maps = render_material({"m", GetParam(), seed, seed}, small());
    const Image albedo = decoded(maps, MapKind::albedo, 0);
    const Image normal = decoded(maps, MapKind::normal, 0);
    const Image surface = decoded(maps, MapKind::surface, 0);
    const double brightness = (mean(albedo, 0) + mean(albedo, 1) + mean(albedo, 2)) / 3.0;
    EXPECT_GT(brightness, 20.0) << "coal is at about 30";
    EXPECT_LT(brightness, 250.0);
    EXPECT_NEAR(mean(normal, 0), 128.0, 6.0) << "a texture leans to no side";
    EXPECT_NEAR(mean(normal, 1), 128.0, 6.0);
    EXPECT_GT(mean(surface, 0), 100.0) << "not wholly in the shade";
    EXPECT_GT(mean(surface, 1), 10.0);
  }
}

/// Across the texture's border the first and last columns must match like any neighbours.
TEST_P(EveryRecipe, RepeatsWithoutASeam) {
  const auto maps = render_material({"m", GetParam(), 5, 0}, small());
  const Image albedo = decoded(maps, MapKind::albedo, 1);
  const std::uint32_t edge = albedo.width();
  const auto difference = [&](std::uint32_t a, std::uint32_t b, bool rows) {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < edge; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint8_t* first =
            rows ? albedo.view().row(a) + 4 * i : albedo.view().row(i) + 4 * a;
        const std::uint8_t* second =
            rows ? albedo.view().row(b) + 4 * i : albedo.view().row(i) + 4 * b;
        sum += std::abs(first[c] - second[c]);
      }
    return sum / (3.0 * edge);
  };
  for (const bool rows : {false, true}) {
    double largest = 0.0;
    for (std::uint32_t i = 1; i < edge; ++i)
      largest = std::max(largest, difference(i - 1, i, rows));
    EXPECT_LE(difference(edge - 1, 0, rows), 1.5 * largest + 1.0) << (rows ? "rows" : "columns");
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, EveryRecipe, ::testing::Range(std::size_t{0}, recipes().size()),
                         [](const auto& instance) {
                           std::string name = recipes()[instance.param].name;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Generator, SixtyFourMaterialsAreAllDifferent) {
  const auto materials = procedural_materials(64, 1);
  RenderOptions options = small();
  options.size = 64;
  std::set<std::string> names;
  std::set<std::vector<std::byte>> textures;
  for (const ProceduralMaterial& material : materials) {
    names.insert(material.name);
    if (material.variant % 2 != 0) continue;  // half of them are enough to tell, and half the time
    const auto maps = render_material(material, options);
    textures.insert({maps[0].level(0).begin(), maps[0].level(0).end()});
  }
  EXPECT_EQ(names.size(), 64u);
  EXPECT_EQ(textures.size(), 32u);
}

TEST(Generator, AnotherSeedIsAnotherSet) {
  EXPECT_NE(procedural_materials(1, 1)[0].seed, procedural_materials(1, 2)[0].seed);
  EXPECT_EQ(procedural_materials(3, 9)[2].seed, procedural_materials(5, 9)[2].seed)
      << "a longer set begins the same";
}

TEST(Generator, DefaultSetIs8KOf1400Megabytes) {
  EXPECT_EQ(8 * material_bytes(RenderOptions{}), 8u * 178957024u);
  RenderOptions bc7;
  bc7.bc7 = true;
  EXPECT_EQ(material_bytes(bc7), 268435536u);
}

TEST(Generator, Bc7SetsAreBc7) {
  RenderOptions options = small();
  options.size = 64;
  options.bc7 = true;
  const auto maps = render_material({"m", 0, 1, 0}, options);
  const auto image =
      decode_blocks(*find_format(VK_FORMAT_BC7_SRGB_BLOCK), 64, 64, maps[0].level(0));
  const auto plain = render_material({"m", 0, 1, 0}, [] {
    RenderOptions same = small();
    same.size = 64;
    return same;
  }());
  ASSERT_TRUE(image);
  EXPECT_NEAR(mean(*image, 0), mean(decoded(plain, MapKind::albedo, 0), 0), 2.0);
}

TEST(Generator, ProgressEndsAtOne) {
  RenderOptions options = small();
  double last = 0.0;
  options.progress = [&](double done) {
    EXPECT_GT(done, last);
    last = done;
  };
  render_material({"m", 0, 1, 0}, options);
  EXPECT_DOUBLE_EQ(last, 1.0);
}

TEST(SetWriter, KnowsWhatItWrote) {
  const TemporaryFolder folder;
  const ProceduralMaterial material = procedural_materials(1, 4)[0];
  RenderOptions options = small();
  options.size = 64;
  EXPECT_FALSE(is_written(folder.path(), material, options));
  ASSERT_TRUE(write_material(folder.path(), material, render_material(material, options)));
  EXPECT_TRUE(is_written(folder.path(), material, options));
  EXPECT_EQ(folder.file_count(), 3u);

  RenderOptions larger = options;
  larger.size = 128;
  EXPECT_FALSE(is_written(folder.path(), material, larger));
  RenderOptions bc7 = options;
  bc7.bc7 = true;
  EXPECT_FALSE(is_written(folder.path(), material, bc7));
  ProceduralMaterial other = material;
  other.seed ^= 1;
  EXPECT_FALSE(is_written(folder.path(), other, options));
  std::filesystem::resize_file(material_files(folder.path(), material)[1], 500);
  EXPECT_FALSE(is_written(folder.path(), material, options)) << "a truncated file is not there";
}

TEST(SetWriter, SetsAreFoundByTheScan) {
  const TemporaryFolder folder;
  RenderOptions options = small();
  options.size = 64;
  for (const ProceduralMaterial& material : procedural_materials(2, 4))
    ASSERT_TRUE(write_material(folder.path(), material, render_material(material, options)));
  const auto set = scan_materials(folder.path());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->materials.size(), 2u);
  for (const Material& material : set->materials)
    for (const MapSource& map : material.maps)
      EXPECT_FALSE(map.main.empty());
  EXPECT_TRUE(set->problems.empty());
}

}  // namespace
}  // namespace quarry::materials
