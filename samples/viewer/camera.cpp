// SPDX-License-Identifier: MIT
// Camera paths: Catmull-Rom splines through poses derived from the scene.
#include "viewer/camera.hpp"

#include <algorithm>
#include <cmath>

namespace quarry::viewer {

namespace {

constexpr float kFieldOfView = 55.0f / 180.0f * kPi;

Vec3 spline(Vec3 a, Vec3 b, Vec3 c, Vec3 d, float t) {
  return (b * 2.0f + (c - a) * t + (a * 2.0f - b * 5.0f + c * 4.0f - d) * (t * t) +
          (b * 3.0f - a - c * 3.0f + d) * (t * t * t)) *
         0.5f;
}

/// Beside the sphere at `centre`, `gap` metres off its surface, looking past it over the field: the
/// sphere is large on one side of the picture, its slab lies below.
Pose beside(Vec3 centre, float gap) {
  const Vec3 flat{-centre.x, 0.0f, -centre.z};
  const Vec3 inwards = length(flat) > 1.0f ? normalize(flat) : Vec3{0.8f, 0.0f, -0.6f};
  const Vec3 aside{-inwards.z, 0.0f, inwards.x};
  const Vec3 eye = centre + aside * (kSphereRadius + gap) - inwards * 0.9f + Vec3{0, -0.55f, 0};
  return {eye, eye + inwards * 5.0f - aside * 1.3f + Vec3{0, -0.7f, 0}};
}

/// The spheres nearest to the four corners of the field, in the order of a walk around it.
std::vector<Vec3> corners(const std::vector<Vec3>& centres) {
  std::vector<Vec3> found;
  for (const Vec3 corner : {Vec3{1, 0, 1}, Vec3{1, 0, -1}, Vec3{-1, 0, -1}, Vec3{-1, 0, 1}}) {
    found.push_back(*std::max_element(centres.begin(), centres.end(), [corner](Vec3 a, Vec3 b) {
      return dot(a, corner) < dot(b, corner);
    }));
  }
  return found;
}

std::vector<Vec3> sphere_centres(const Scene& scene) {
  std::vector<Vec3> centres;
  for (const Object& object : scene.objects) {
    if (object.shape == Shape::sphere) centres.push_back(object.position);
  }
  return centres;
}

/// The eye, moved out of every sphere that it comes too close to.
Vec3 outside(Vec3 eye, const std::vector<Vec3>& centres) {
  constexpr float kClearance = kSphereRadius + 0.5f;
  for (const Vec3 centre : centres) {
    const Vec3 to = eye - centre;
    if (length(to) < kClearance) eye = centre + normalize(to) * kClearance;
  }
  return eye;
}

std::vector<Pose> fly_way(const Scene& scene, const std::vector<Vec3>& centres) {
  std::vector<Pose> way;
  way.push_back({{scene.radius * 0.9f, scene.radius * 0.45f + 3.0f, scene.radius * 0.9f},
                 {0, kSphereRadius, 0}});
  for (const Vec3 centre : corners(centres)) {
    const Pose close = beside(centre, 0.8f);
    // Up and over, so that the way does not lead through spheres.
    const Pose& before = way.back();
    const Vec3 between = mix(before.eye, close.eye, 0.6f);
    way.push_back(
        {{between.x * 1.15f, std::max(between.y, 3.0f * kSphereRadius), between.z * 1.15f},
         mix(before.target, close.target, 0.5f)});
    way.push_back(close);
  }
  return way;
}

std::vector<Pose> orbit_way(const Scene& scene) {
  constexpr int kSteps = 16;
  std::vector<Pose> way;
  for (int step = 0; step <= kSteps; ++step) {
    const float angle = static_cast<float>(step) / kSteps * 2.0f * kPi + 0.7f;
    const float distance = scene.radius + 4.0f;
    way.push_back(
        {{std::cos(angle) * distance, scene.radius * 0.35f + 2.5f, std::sin(angle) * distance},
         {0, 1.0f, 0}});
  }
  return way;
}

}  // namespace

std::optional<CameraMode> camera_mode(std::string_view name) {
  if (name == "fly") return CameraMode::fly;
  if (name == "orbit") return CameraMode::orbit;
  if (name == "fixed") return CameraMode::fixed;
  return std::nullopt;
}

float focal_length() {
  return 1.0f / std::tan(kFieldOfView * 0.5f);
}

CameraPath::CameraPath(const Scene& scene, CameraMode mode) : spheres_(sphere_centres(scene)) {
  way_ = mode == CameraMode::orbit ? orbit_way(scene) : fly_way(scene, spheres_);
  if (mode == CameraMode::fixed) way_.assign(2, way_.back());
}

Pose CameraPath::at(float progress) const {
  if (progress >= 1.0f) return way_.back();
  const float t = std::max(progress, 0.0f);
  const float eased = t * t * (3.0f - 2.0f * t);
  const auto last = static_cast<std::ptrdiff_t>(way_.size()) - 1;
  const float along = eased * static_cast<float>(last);
  const auto segment = std::min(static_cast<std::ptrdiff_t>(along), last - 1);
  const auto pose = [&](std::ptrdiff_t i) {
    return way_[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, last))];
  };
  const Pose a = pose(segment - 1);
  const Pose b = pose(segment);
  const Pose c = pose(segment + 1);
  const Pose d = pose(segment + 2);
  const float local = along - static_cast<float>(segment);
  return {outside(spline(a.eye, b.eye, c.eye, d.eye, local), spheres_),
          spline(a.target, b.target, c.target, d.target, local)};
}

std::uint32_t moving_frames(std::uint32_t total) {
  constexpr std::uint32_t kRest = 190;
  return total >= 300 ? total - kRest : total / 2;
}

}  // namespace quarry::viewer
