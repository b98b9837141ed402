// SPDX-License-Identifier: MIT
// Projects a grid of surface points. Vulkan specification, "Scale Factor Operation, Level-of-Detail
// Operation and Image Level(s) Selection" has the formulas.
#include "viewer/screen_lod.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quarry::viewer {

namespace {

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

/// Gathers the points of one object.
class NeedSum {
 public:
  NeedSum(const Projector& projector, float anisotropy)
      : projector_(projector), anisotropy_(anisotropy) {
    need_.detail = std::numeric_limits<float>::max();
  }

  /// `area`: of the texture, that the point stands for.
  void add(const SurfacePoint& surface, float area) {
    const PointNeed point = point_need(surface, projector_, anisotropy_);
    if (!point.visible) return;
    need_.visible = true;
    need_.detail = std::min(need_.detail, point.detail);
    need_.pixels += point.pixels_per_texture * area;
  }
  SurfaceNeed need() const { return need_; }

 private:
  const Projector& projector_;
  float anisotropy_;
  SurfaceNeed need_;
};

// Beside the grid the point nearest to the eye is looked at: usually the texture is magnified most
// there, and the grid may miss it.

void add_sphere(NeedSum& sum, const Object& object, Vec3 eye) {
  constexpr int kGridU = 40;
  constexpr int kGridV = 20;
  constexpr float kHeight = 0.5f;
  for (int j = 0; j < kGridV; ++j) {
    for (int i = 0; i < kGridU; ++i) {
      sum.add(sphere_point(object, (static_cast<float>(i) + 0.5f) / kGridU,
                           (static_cast<float>(j) + 0.5f) / kGridV * kHeight),
              kHeight / (kGridU * kGridV));
    }
  }
  const Vec3 n = normalize(to_local(object, eye));
  sum.add(sphere_point(object, wrapped(std::atan2(-n.z, n.x) / (2.0f * kPi)),
                       std::acos(n.y) / kPi * kHeight),
          0.0f);
}

void add_face(NeedSum& sum, const Object& object, const Face& face, Vec3 eye) {
  constexpr int kGridU = 16;
  const int grid_v = face.v_metres < kSlabEdge ? 2 : kGridU;
  const float area = face.u_metres * face.v_metres / (kSlabEdge * kSlabEdge);
  for (int j = 0; j < grid_v; ++j) {
    for (int i = 0; i < kGridU; ++i) {
      // From border to border: the nearest visible part of a slab often is its edge.
      sum.add(face_point(object, face, static_cast<float>(i) / (kGridU - 1),
                         static_cast<float>(j) / static_cast<float>(grid_v - 1)),
              area / static_cast<float>(kGridU * grid_v));
    }
  }
  const Vec3 to = to_local(object, eye) - face.corner;
  sum.add(face_point(object, face, std::clamp(dot(to, face.along_u) / face.u_metres, 0.0f, 1.0f),
                     std::clamp(dot(to, face.along_v) / face.v_metres, 0.0f, 1.0f)),
          0.0f);
}

}  // namespace

SurfaceNeed surface_need(const Object& object, const View& view, float anisotropy) {
  const Projector projector = make_projector(view);
  if (object.shape == Shape::ground || out_of_sight(object, projector)) return {};
  NeedSum sum(projector, anisotropy);
  if (object.shape == Shape::sphere) {
    add_sphere(sum, object, projector.eye);
  } else {
    for (const Face& face : slab_faces())
      add_face(sum, object, face, projector.eye);
  }
  return sum.need();
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
