// SPDX-License-Identifier: MIT
// What file names of texture downloads say.
#include <gtest/gtest.h>

#include "materials/material_set.hpp"

namespace quarry::materials {
namespace {

struct NameCase {
  const char* file;
  const char* material;
  FileRole role;
};

constexpr NameCase kCases[] = {

    // ambientCG
    NameCase{"Bricks076_8K-JPG_Color.jpg", "Bricks076", FileRole::albedo},
    NameCase{"Bricks076_8K-JPG_NormalGL.jpg", "Bricks076", FileRole::normal},
    NameCase{"Bricks076_8K-JPG_NormalDX.jpg", "Bricks076", FileRole::normal_flipped},
    NameCase{"Bricks076_8K-JPG_Roughness.jpg", "Bricks076", FileRole::roughness},
    NameCase{"Bricks076_8K-JPG_AmbientOcclusion.jpg", "Bricks076", FileRole::occlusion},
    NameCase{"Bricks076_8K-JPG_Displacement.jpg", "Bricks076", FileRole::ignored},
    NameCase{"Metal032_4K-PNG_Metalness.png", "Metal032", FileRole::metalness},
    NameCase{"Leaf001_1K_Opacity.png", "Leaf001", FileRole::ignored},
    // Poly Haven
    NameCase{"brick_wall_003_diff_8k.jpg", "brick_wall_003", FileRole::albedo},
    NameCase{"brick_wall_003_diffuse_8k.jpg", "brick_wall_003", FileRole::albedo},
    NameCase{"brick_wall_003_nor_gl_8k.png", "brick_wall_003", FileRole::normal},
    NameCase{"brick_wall_003_nor_dx_8k.png", "brick_wall_003", FileRole::normal_flipped},
    NameCase{"brick_wall_003_rough_4k.jpg", "brick_wall_003", FileRole::roughness},
    NameCase{"brick_wall_003_ao_4k.jpg", "brick_wall_003", FileRole::occlusion},
    NameCase{"brick_wall_003_arm_4k.jpg", "brick_wall_003", FileRole::surface},
    NameCase{"green_metal_rust_metal_8k.jpg", "green_metal_rust", FileRole::metalness},
    NameCase{"green_metal_rust_disp_8k.png", "green_metal_rust", FileRole::ignored},
    NameCase{"leafy_grass_col_01_8k.png", "leafy_grass", FileRole::albedo},
    // others
    NameCase{"T_Wood-BaseColor.TGA", "T_Wood", FileRole::albedo},
    NameCase{"wood floor base color.png", "wood floor", FileRole::albedo},
    NameCase{"WOOD_ALBEDO.PNG", "WOOD", FileRole::albedo},
    NameCase{"wood_metallic.png", "wood", FileRole::metalness},
    NameCase{"wood_normal-opengl.png", "wood", FileRole::normal},
    NameCase{"wood_ORM.ktx2", "wood", FileRole::surface},
    NameCase{"wood.v2_normal.png", "wood.v2", FileRole::normal},
    NameCase{"albedo.ktx2", "", FileRole::albedo},
    NameCase{"8k_color.png", "", FileRole::albedo},
};

TEST(FileNames, TellMaterialAndMap) {
  for (const NameCase& expected : kCases) {
    const auto parts = parse_file_name(expected.file);
    ASSERT_TRUE(parts) << expected.file;
    EXPECT_EQ(parts->material, expected.material) << expected.file;
    EXPECT_EQ(parts->role, expected.role) << expected.file;
  }
}

TEST(FileNames, WithoutAMapWordAreNothing) {
  for (const char* name : {"Bricks076.png", "readme.txt", "photo_2048.jpg", "8k.png", ".png", "",
                           "___", "normality.png", "colors.png", "coast_sand_02.jpg"})
    EXPECT_FALSE(parse_file_name(name)) << name;
}

}  // namespace
}  // namespace quarry::materials
