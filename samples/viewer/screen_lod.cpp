// SPDX-License-Identifier: MIT
// Projects a grid of surface points. Vulkan specification, "Scale Factor Operation, Level-of-Detail
// Operation and Image Level(s) Selection" has the formulas.
#include "viewer/screen_lod.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quarry::viewer {

namespace {

constexpr int kGridU = 32;
constexpr int kGridV = 16;
/// Clip-space margin: half a grid cell may stick into the picture while its centre is outside.
constexpr float kMargin = 1.05f;

struct Projector {
  Vec3 eye;
  ViewBasis basis;
  float scale_x;  ///< pixels per unit of x / distance
  float scale_y;
  float limit_x;  ///< |x / distance| at the picture's border
  float limit_y;
};

Projector make_projector(const View& view) {
  const float focal = focal_length();
  const float half_height = static_cast<float>(view.height) * 0.5f;
  return {view.pose.eye,         view_basis(view.pose.eye, view.pose.target),
          focal * half_height,   focal * half_height,
          view.aspect() / focal, 1.0f / focal};
}

/// log2 of texture units a pixel at one point, and pixels that a unit of texture area covers there.
struct PointNeed {
  bool visible = false;
  float detail = 0.0f;
  float pixels_per_texture = 0.0f;
};

PointNeed point_need(const SurfacePoint& point, const Projector& projector, float anisotropy) {
  const Vec3 to = point.position - projector.eye;
  if (dot(to, point.normal) >= 0.0f) return {};
  const float distance = -dot(to, projector.basis.back);
  if (distance < kNearPlane) return {};
  const float x = dot(to, projector.basis.right) / distance;
  const float y = dot(to, projector.basis.up) / distance;
  if (std::abs(x) > projector.limit_x * kMargin || std::abs(y) > projector.limit_y * kMargin) {
    return {};
  }
  // Pixels by texture unit: the derivative of x / distance along a tangent.
  const auto screen = [&](Vec3 tangent, float& sx, float& sy) {
    const float away = -dot(tangent, projector.basis.back);
    sx = projector.scale_x * (dot(tangent, projector.basis.right) - x * away) / distance;
    sy = projector.scale_y * (dot(tangent, projector.basis.up) - y * away) / distance;
  };
  float xu = 0.0f;
  float yu = 0.0f;
  float xv = 0.0f;
  float yv = 0.0f;
  screen(point.by_u, xu, yu);
  screen(point.by_v, xv, yv);
  const float determinant = std::abs(xu * yv - xv * yu);
  if (determinant < 1e-6f) return {};
  // The inverse: texture units by pixel along x and along y.
  const float along_x = std::hypot(yv, yu) / determinant;
  const float along_y = std::hypot(xv, xu) / determinant;
  const float major = std::max(along_x, along_y);
  const float minor = std::min(along_x, along_y);
  const float ratio = std::clamp(major / minor, 1.0f, anisotropy);
  return {true, std::log2(major / ratio), determinant};
}

bool out_of_sight(const Object& object, const Projector& projector) {
  const float radius = object.shape == Shape::sphere ? kSphereRadius : kSlabEdge * 0.71f;
  return -dot(object.position - projector.eye, projector.basis.back) < -radius;
}

float wrapped(float u) {
  return u - std::floor(u);
}

/// Texture coordinates of the point of the surface that is nearest to the eye: usually where the
/// texture is magnified most.
std::pair<float, float> nearest_coordinates(const Object& object, Vec3 eye) {
  const Vec3 to = eye - object.position;
  const float c = std::cos(object.yaw);
  const float s = std::sin(object.yaw);
  const Vec3 local{c * to.x - s * to.z, to.y, s * to.x + c * to.z};
  if (object.shape == Shape::sphere) {
    const Vec3 n = normalize(local);
    return {wrapped(std::atan2(-n.z, n.x) / (2.0f * kPi)), std::acos(n.y) / kPi * 0.5f};
  }
  return {std::clamp(local.x / kSlabEdge + 0.5f, 0.0f, 1.0f),
          std::clamp(local.z / kSlabEdge + 0.5f, 0.0f, 1.0f)};
}

}  // namespace

SurfaceNeed surface_need(const Object& object, const View& view, float anisotropy) {
  const Projector projector = make_projector(view);
  if (object.shape == Shape::ground || out_of_sight(object, projector)) return {};
  const bool sphere = object.shape == Shape::sphere;
  const float height = sphere ? 0.5f : 1.0f;
  SurfaceNeed need;
  need.detail = std::numeric_limits<float>::max();
  const auto look = [&](float u, float v, float area) {
    const PointNeed point = point_need(
        sphere ? sphere_point(object, u, v) : slab_point(object, u, v), projector, anisotropy);
    if (!point.visible) return;
    need.visible = true;
    need.detail = std::min(need.detail, point.detail);
    need.pixels += point.pixels_per_texture * area;
  };
  for (int j = 0; j < kGridV; ++j) {
    for (int i = 0; i < kGridU; ++i) {
      look((static_cast<float>(i) + 0.5f) / kGridU,
           (static_cast<float>(j) + 0.5f) / kGridV * height, height / (kGridU * kGridV));
    }
  }
  const auto [u, v] = nearest_coordinates(object, projector.eye);
  look(u, v, 0.0f);
  return need;
}

std::uint32_t wanted_mip(float detail, std::uint32_t texture_size, std::uint32_t coarsest,
                         std::uint32_t current) {
  constexpr float kMarginLevels = 0.3f;
  const float lod = detail + std::log2(static_cast<float>(texture_size));
  const auto level = [&](float l) {
    return static_cast<std::uint32_t>(
        std::clamp(std::floor(l), 0.0f, static_cast<float>(coarsest)));
  };
  const std::uint32_t finest = level(lod);
  if (finest <= current) return finest;
  return std::max(level(lod - kMarginLevels), std::min(current, coarsest));
}

}  // namespace quarry::viewer
