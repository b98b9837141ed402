// SPDX-License-Identifier: MIT
// Turns about the eye, walks along the view.
#include "viewer/free_camera.hpp"

#include <algorithm>
#include <cmath>

namespace quarry::viewer {

Pose moved(const Pose& pose, const CameraInput& input, float seconds) {
  constexpr float kTurn = 0.004f;    // radians a pixel
  constexpr float kSpeed = 4.0f;     // metres a second
  constexpr float kSteepest = 1.5f;  // radians from the horizon
  const Vec3 ahead = normalize(pose.target - pose.eye);
  const float yaw = std::atan2(ahead.x, ahead.z) - input.turn_x * kTurn;
  const float pitch = std::clamp(std::asin(std::clamp(ahead.y, -1.0f, 1.0f)) - input.turn_y * kTurn,
                                 -kSteepest, kSteepest);
  const Vec3 forward{std::cos(pitch) * std::sin(yaw), std::sin(pitch),
                     std::cos(pitch) * std::cos(yaw)};
  const Vec3 right = normalize(cross(forward, {0, 1, 0}));
  Vec3 eye =
      pose.eye + (right * input.move.x + Vec3{0, 1, 0} * input.move.y + forward * input.move.z) *
                     (kSpeed * seconds);
  eye.y = std::max(eye.y, kSlabHeight + 0.2f);
  return {eye, eye + forward};
}

}  // namespace quarry::viewer
