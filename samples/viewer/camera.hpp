// SPDX-License-Identifier: MIT
// Where the picture is taken from: a pose, and the path that leads to the resting pose.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "viewer/math.hpp"
#include "viewer/scene.hpp"

namespace quarry::viewer {

struct Pose {
  Vec3 eye;
  Vec3 target;
  friend bool operator==(const Pose&, const Pose&) = default;
};

enum class CameraMode : std::uint8_t {
  fly,    ///< low past several spheres, ending close to one
  orbit,  ///< once around the field, ending where it began
  fixed,  ///< at rest from the start, close to a sphere
};

std::optional<CameraMode> camera_mode(std::string_view name);

/// Field of view is fixed: 55 degrees vertically.
float focal_length();                       ///< 1 / tan(half the vertical field of view)
inline constexpr float kNearPlane = 0.05f;  ///< metres

/// A path through the scene, made once.
class CameraPath {
 public:
  CameraPath(const Scene& scene, CameraMode mode);
  /// `progress` 0 (start) to 1 (at rest); clamped. Speed is zero at both ends.
  Pose at(float progress) const;

 private:
  std::vector<Pose> way_;      ///< at least two poses, evenly spaced in time
  std::vector<Vec3> spheres_;  ///< centres; the way leads around them
};

/// Frames of a run of `total` that the camera moves; then it is at rest, in a run of 300 or more
/// for 190 frames: 90 for the last uploads, 100 in which nothing may happen any more.
std::uint32_t moving_frames(std::uint32_t total);

/// Size of the picture and the pose: what projection needs.
struct View {
  Pose pose;
  std::uint32_t width = 1;
  std::uint32_t height = 1;

  float aspect() const { return static_cast<float>(width) / static_cast<float>(height); }
};

}  // namespace quarry::viewer
