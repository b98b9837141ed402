// SPDX-License-Identifier: MIT
// Which files become which materials.
#include "materials/material_set.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "materials/temporary_folder.hpp"

namespace quarry::materials {
namespace {

using testing::TemporaryFolder;
using testing::write_file;

void touch(const TemporaryFolder& folder, std::initializer_list<const char*> names) {
  for (const char* name : names)
    write_file(folder / name, "x");
}

std::vector<std::string> names_of(const MaterialSet& set) {
  std::vector<std::string> names;
  for (const Material& material : set.materials)
    names.push_back(material.name);
  return names;
}

TEST(MaterialSet, AFolderIsAMaterial) {
  const TemporaryFolder folder;
  touch(folder, {"Bricks/Bricks_8K_Color.jpg", "Bricks/Bricks_8K_NormalGL.jpg",
                 "Bricks/Bricks_8K_Roughness.jpg", "wood/textures/oak_diff_4k.jpg",
                 "wood/textures/oak_arm_4k.jpg"});
  const auto set = scan_materials(folder.path());
  ASSERT_TRUE(set);
  EXPECT_EQ(names_of(*set), (std::vector<std::string>{"Bricks", "wood"}));
  const Material& bricks = set->materials[0];
  EXPECT_EQ(bricks.map(MapKind::albedo).main.filename(), "Bricks_8K_Color.jpg");
  EXPECT_EQ(bricks.map(MapKind::normal).main.filename(), "Bricks_8K_NormalGL.jpg");
  EXPECT_FALSE(bricks.map(MapKind::normal).flip_green);
  EXPECT_EQ(bricks.map(MapKind::surface).roughness.filename(), "Bricks_8K_Roughness.jpg");
  EXPECT_TRUE(bricks.map(MapKind::surface).metalness.empty());
  EXPECT_EQ(set->materials[1].map(MapKind::surface).main.filename(), "oak_arm_4k.jpg");
  EXPECT_TRUE(set->materials[1].map(MapKind::normal).empty());
  EXPECT_TRUE(set->problems.empty());
}

TEST(MaterialSet, ANamePrefixIsAMaterial) {
  const TemporaryFolder folder;
  touch(folder,
        {"oak_color.png", "oak_normal.png", "Pine_Color.png", "pine_roughness.png", "notes.txt"});
  const auto set = scan_materials(folder.path());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->materials.size(), 2u);
  EXPECT_EQ(set->materials[1].name, "oak");
  EXPECT_FALSE(set->materials[0].map(MapKind::albedo).empty());
  EXPECT_FALSE(set->materials[0].map(MapKind::surface).empty()) << "prefixes differ in case alone";
}

TEST(MaterialSet, AFolderWithSeveralPrefixesHoldsSeveralMaterials) {
  const TemporaryFolder folder;
  touch(folder, {"pack/oak_color.png", "pack/oak_normal.png", "pack/pine_color.png"});
  const auto set = scan_materials(folder.path());
  ASSERT_TRUE(set);
  EXPECT_EQ(names_of(*set), (std::vector<std::string>{"pack/oak", "pack/pine"}));
}

TEST(MaterialSet, AFolderOfBareMapNamesTakesTheFoldersName) {
  const TemporaryFolder folder;
  touch(folder, {"albedo.ktx2", "normal.ktx2", "arm.ktx2"});
  const auto set = scan_materials(folder.path());
  ASSERT_TRUE(set);
  EXPECT_EQ(names_of(*set), (std::vector<std::string>{folder.path().filename().string()}));
}

TEST(MaterialSet, TheBestFileOfAMapIsTaken) {
  const TemporaryFolder folder;
  touch(folder, {"a/x_1k_color.png", "a/x_8k_color.jpg", "a/x_4k_color.png",  // the largest
                 "b/x_color.jpg", "b/x_color.png", "b/x_color.ktx2",          // ready for upload
                 "c/x_color.exr", "c/x_color.jpg",                            // readable
                 "d/x_color.png", "d/x_NormalDX.png", "d/x_NormalGL.png",     // +Y up
                 "e/x_color.png", "e/x_NormalDX.png",                         // flipped, if need be
                 "f/x_color.png", "f/x_arm.png", "f/x_rough.png", "f/x_ao.png"});  // packed
  const auto set = scan_materials(folder.path());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->materials.size(), 6u);
  const auto main_of = [&](std::size_t material, MapKind kind) {
    return set->materials[material].map(kind).main.filename().string();
  };
  EXPECT_EQ(main_of(0, MapKind::albedo), "x_8k_color.jpg");
  EXPECT_EQ(main_of(1, MapKind::albedo), "x_color.ktx2");
  EXPECT_EQ(main_of(2, MapKind::albedo), "x_color.jpg");
  EXPECT_EQ(main_of(3, MapKind::normal), "x_NormalGL.png");
  EXPECT_FALSE(set->materials[3].map(MapKind::normal).flip_green);
  EXPECT_EQ(main_of(4, MapKind::normal), "x_NormalDX.png");
  EXPECT_TRUE(set->materials[4].map(MapKind::normal).flip_green);
  EXPECT_EQ(main_of(5, MapKind::surface), "x_arm.png");
  EXPECT_TRUE(set->materials[5].map(MapKind::surface).roughness.empty());
}

TEST(MaterialSet, AnUnreadableFormatStaysToBeReported) {
  const TemporaryFolder folder;
  touch(folder, {"a/x_color.png", "a/x_nor_gl_8k.exr"});
  const auto set = scan_materials(folder.path());
  ASSERT_TRUE(set);
  EXPECT_EQ(set->materials[0].map(MapKind::normal).main.filename(), "x_nor_gl_8k.exr");
}

TEST(MaterialSet, ImagesWithoutAMapWordAreNamed) {
  const TemporaryFolder folder;
  touch(folder, {"a/x_color.png", "a/x.png"});
  const auto set = scan_materials(folder.path());
  ASSERT_TRUE(set);
  ASSERT_EQ(set->problems.size(), 1u);
  EXPECT_EQ(set->problems[0].file.filename(), "x.png");
}

TEST(MaterialSet, FoldersWithoutMaterialsAreErrors) {
  const TemporaryFolder folder;
  const auto reason = [](const std::filesystem::path& path) {
    const auto set = scan_materials(path);
    EXPECT_FALSE(set);
    return set ? std::string() : set.error().reason;
  };
  EXPECT_NE(reason(folder.path()).find("holds no material"), std::string::npos);
  EXPECT_NE(reason(folder / "none").find("does not exist"), std::string::npos);
  touch(folder, {"x_displacement.png", "y.txt"});
  EXPECT_NE(reason(folder.path()).find("holds no material"), std::string::npos);
  EXPECT_NE(reason(folder / "y.txt").find("is not a folder"), std::string::npos);
}

TEST(MaterialSet, AnUnreadableSubFolderLeavesTheRest) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const TemporaryFolder folder;
  touch(folder, {"a/x_color.png", "b/x_color.png"});
  std::filesystem::permissions(folder / "b", std::filesystem::perms::none);
  const auto set = scan_materials(folder.path());
  std::filesystem::permissions(folder / "b", std::filesystem::perms::owner_all);
  ASSERT_TRUE(set);
  EXPECT_EQ(names_of(*set), (std::vector<std::string>{"a"}));
  ASSERT_EQ(set->problems.size(), 1u);
  EXPECT_EQ(set->problems[0].file, folder / "b");
}

}  // namespace
}  // namespace quarry::materials
