// SPDX-License-Identifier: MIT
#include "viewer/screen_lod.hpp"

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

const Object kSlab{Shape::slab, {0, 0, 0}, 0.0f, 0, {}, 0.0f};
const Object kSphere{Shape::sphere, {0, 0, 0}, 0.0f, 0, {}, 0.0f};

View from(Vec3 eye, Vec3 target, std::uint32_t width = 960, std::uint32_t height = 540) {
  return {{eye, target}, width, height};
}

/// log2 of texture units a pixel at the centre of a picture that is taken straight on.
float straight_on(float metres_per_texture, float distance, float height) {
  return std::log2(2.0f * distance / (focal_length() * height) / metres_per_texture);
}

TEST(ScreenLod, LookingStraightAtASlabGivesTexelsAPixel) {
  const SurfaceNeed need = surface_need(kSlab, from({0, 3, 0.001f}, {0, 0, 0}), 1.0f);
  ASSERT_TRUE(need.visible);
  EXPECT_NEAR(need.detail, straight_on(kSlabEdge, 3.0f, 540.0f), 0.05f);
}

TEST(ScreenLod, ASphereIsMagnifiedMostWhereItIsNearest) {
  const SurfaceNeed need = surface_need(kSphere, from({kSphereRadius + 2, 0, 0}, {0, 0, 0}), 1.0f);
  ASSERT_TRUE(need.visible);
  EXPECT_NEAR(need.detail, straight_on(2 * kPi * kSphereRadius, 2.0f, 540.0f), 0.1f);
}

TEST(ScreenLod, TwiceThePixelsNeedOneMipMore) {
  const Vec3 eye{1, 2, 3};
  const float small = surface_need(kSlab, from(eye, {0, 0, 0}, 640, 360), 1.0f).detail;
  const float large = surface_need(kSlab, from(eye, {0, 0, 0}, 1280, 720), 1.0f).detail;
  EXPECT_NEAR(small - large, 1.0f, 1e-3f);
}

TEST(ScreenLod, AnisotropyNeedsFinerMipsAtGrazingAngles) {
  // From above its border over the whole top; the sides face away.
  const View grazing = from({0, 0.3f, 3.9f}, {0, 0.3f, -4});
  const float isotropic = surface_need(kSlab, grazing, 1.0f).detail;
  const float anisotropic = surface_need(kSlab, grazing, 16.0f).detail;
  EXPECT_LT(anisotropic, isotropic - 0.8f);
}

TEST(ScreenLod, WhatIsBehindBesideOrFacingAwayIsNotVisible) {
  EXPECT_FALSE(surface_need(kSphere, from({10, 0, 0}, {20, 0, 0}), 1.0f).visible);
  EXPECT_FALSE(surface_need(kSphere, from({10, 0, 0}, {10, 0, 10}), 1.0f).visible);
  EXPECT_FALSE(surface_need(kSlab, from({0, -5, 0.1f}, {0, 0, 0}), 1.0f).visible);
  EXPECT_TRUE(surface_need(kSphere, from({10, 0, 0}, {0, 0, 0}), 1.0f).visible);
}

TEST(ScreenLod, PixelsAreThoseThatTheObjectCovers) {
  // A sphere seen from afar covers the disc of its silhouette.
  const float distance = 60.0f;
  const SurfaceNeed need = surface_need(kSphere, from({distance, 0, 0}, {0, 0, 0}), 1.0f);
  const float radius = focal_length() * 270.0f * kSphereRadius / distance;
  EXPECT_NEAR(need.pixels, kPi * radius * radius, 0.1f * kPi * radius * radius);
}

TEST(ScreenLod, WantedMipIsClampedToTheChain) {
  EXPECT_EQ(wanted_mip(-20.0f, 8192, 6, 3), 0u);
  EXPECT_EQ(wanted_mip(20.0f, 8192, 6, 3), 6u);
  EXPECT_EQ(wanted_mip(-13.0f + 2.5f, 8192, 6, 6), 2u);
}

TEST(ScreenLod, ACameraOnTheBorderDoesNotMakeMipsComeAndGo) {
  const float border = -13.0f + 3.0f;
  EXPECT_EQ(wanted_mip(border - 0.01f, 8192, 6, 3), 2u);
  EXPECT_EQ(wanted_mip(border + 0.01f, 8192, 6, 2), 2u);
  EXPECT_EQ(wanted_mip(border + 0.5f, 8192, 6, 2), 3u);
}

}  // namespace
}  // namespace quarry::viewer
