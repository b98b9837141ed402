// SPDX-License-Identifier: MIT
#include "viewer/free_camera.hpp"

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

const Pose kAhead{{0, 2, 0}, {0, 2, -1}};

TEST(FreeCamera, StaysWhereItIsWithoutInput) {
  const Pose pose = moved(kAhead, {}, 1.0f);
  EXPECT_LT(length(pose.eye - kAhead.eye), 1e-5f);
  EXPECT_LT(length(pose.target - kAhead.target), 1e-5f);
}

TEST(FreeCamera, WalksWhereItLooks) {
  EXPECT_LT(moved(kAhead, {0, 0, {0, 0, 1}}, 1.0f).eye.z, -1.0f);
  EXPECT_GT(moved(kAhead, {0, 0, {1, 0, 0}}, 1.0f).eye.x, 1.0f);
}

TEST(FreeCamera, DraggingRightTurnsRightAndDownTurnsDown) {
  const Pose pose = moved(kAhead, {50, 50, {}}, 1.0f);
  EXPECT_GT(pose.target.x, pose.eye.x);
  EXPECT_LT(pose.target.y, pose.eye.y);
}

TEST(FreeCamera, NeverTurnsOverNorEntersTheGround) {
  Pose pose = kAhead;
  for (int i = 0; i < 100; ++i)
    pose = moved(pose, {0, 100, {0, -1, 1}}, 1.0f);
  EXPECT_GT(pose.eye.y, kSlabHeight);
  EXPECT_GT(length(cross(pose.target - pose.eye, {0, 1, 0})), 0.01f);
}

}  // namespace
}  // namespace quarry::viewer
