// SPDX-License-Identifier: MIT
// A camera that mouse and keys move. Pure.
#pragma once

#include <optional>

#include "viewer/camera.hpp"

namespace quarry::viewer {

struct CameraInput {
  float turn_x = 0.0f;  ///< pixels the mouse was dragged
  float turn_y = 0.0f;
  Vec3 move;  ///< right, up, forward; -1 to 1
  bool any() const { return turn_x != 0.0f || turn_y != 0.0f || move != Vec3{}; }
};

/// The pose after `seconds` of this input. Stays above the ground.
Pose moved(const Pose& pose, const CameraInput& input, float seconds);

}  // namespace quarry::viewer
