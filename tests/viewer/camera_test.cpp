// SPDX-License-Identifier: MIT
#include "viewer/camera.hpp"

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

TEST(Camera, PathsNeverEnterASphereNorTheGround) {
  for (const std::uint32_t materials : {1u, 3u, 8u, 64u}) {
    for (const CameraMode mode : {CameraMode::fly, CameraMode::orbit, CameraMode::fixed}) {
      const Scene scene = make_scene(materials, 1);
      const CameraPath path(scene, mode);
      for (int step = 0; step <= 1000; ++step) {
        const Vec3 eye = path.at(static_cast<float>(step) / 1000.0f).eye;
        EXPECT_GT(eye.y, kSlabHeight + 0.1f);
        for (const Object& object : scene.objects) {
          if (object.shape != Shape::sphere) continue;
          ASSERT_GT(length(eye - object.position), kSphereRadius + 0.2f)
              << materials << " materials, mode " << int(mode) << ", step " << step;
        }
      }
    }
  }
}

TEST(Camera, IsAtRestWhenThePathIsDone) {
  const CameraPath path(make_scene(8, 1), CameraMode::fly);
  EXPECT_EQ(path.at(1.0f), path.at(7.0f));
  EXPECT_EQ(CameraPath(make_scene(8, 1), CameraMode::fixed).at(0.0f), path.at(1.0f));
}

TEST(Camera, RestsForTheLastHundredFramesOfALongRun) {
  for (const std::uint32_t total : {300u, 301u, 1000u})
    EXPECT_LE(moving_frames(total), total - 150);
  EXPECT_EQ(moving_frames(1), 0u);
  EXPECT_EQ(moving_frames(100), 50u);
}

}  // namespace
}  // namespace quarry::viewer
