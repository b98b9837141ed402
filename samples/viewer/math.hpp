// SPDX-License-Identifier: MIT
// The few vectors and matrices of the viewer. Right-handed, +Y up; matrices are column-major, as
// shaders read them. Clip space is Vulkan's: Y down, depth 1 (near) to 0 (far).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace quarry::viewer {

inline constexpr float kPi = 3.14159265358979f;

struct Vec3 {
  float x = 0.0f, y = 0.0f, z = 0.0f;

  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

constexpr float dot(Vec3 a, Vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Vec3 a) {
  return std::sqrt(dot(a, a));
}
inline Vec3 normalize(Vec3 a) {
  return a * (1.0f / length(a));
}
constexpr Vec3 mix(Vec3 a, Vec3 b, float t) {
  return a + (b - a) * t;
}

struct Vec4 {
  float x = 0.0f, y = 0.0f, z = 0.0f, w = 0.0f;
};

struct Mat4 {
  std::array<float, 16> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

  float at(std::size_t row, std::size_t column) const { return m[column * 4 + row]; }
  float& at(std::size_t row, std::size_t column) { return m[column * 4 + row]; }

  friend Mat4 operator*(const Mat4& a, const Mat4& b) {
    Mat4 product;
    for (std::size_t r = 0; r < 4; ++r) {
      for (std::size_t c = 0; c < 4; ++c) {
        float sum = 0.0f;
        for (std::size_t k = 0; k < 4; ++k)
          sum += a.at(r, k) * b.at(k, c);
        product.at(r, c) = sum;
      }
    }
    return product;
  }
};

/// The axes of a viewer at `eye` who looks at `target`; `right`, `up` and `back` are unit vectors.
struct ViewBasis {
  Vec3 right, up, back;
};

inline ViewBasis view_basis(Vec3 eye, Vec3 target) {
  const Vec3 back = normalize(eye - target);
  const Vec3 right = normalize(cross({0, 1, 0}, back));
  return {right, cross(back, right), back};
}

inline Mat4 view_matrix(Vec3 eye, const ViewBasis& basis) {
  Mat4 view;
  const std::array<Vec3, 3> rows{basis.right, basis.up, basis.back};
  for (std::size_t r = 0; r < 3; ++r) {
    view.at(r, 0) = rows[r].x;
    view.at(r, 1) = rows[r].y;
    view.at(r, 2) = rows[r].z;
    view.at(r, 3) = -dot(rows[r], eye);
  }
  return view;
}

/// Perspective without a far plane. `focal` is 1 / tan(vertical field of view / 2); `shift_x` and
/// `shift_y` move the picture in clip space (sub-pixel jitter).
inline Mat4 perspective(float focal, float aspect, float near_plane, float shift_x, float shift_y) {
  Mat4 p;
  p.m.fill(0.0f);
  p.at(0, 0) = focal / aspect;
  p.at(1, 1) = -focal;
  p.at(0, 2) = -shift_x;
  p.at(1, 2) = -shift_y;
  p.at(2, 3) = near_plane;
  p.at(3, 2) = -1.0f;
  return p;
}

/// Box of half extents `half` (x, y) and depths 0 to `depth` in front of the viewer; depth 1 is
/// near.
inline Mat4 orthographic(float half, float depth) {
  Mat4 p;
  p.at(0, 0) = 1.0f / half;
  p.at(1, 1) = -1.0f / half;
  p.at(2, 2) = 1.0f / depth;
  p.at(2, 3) = 1.0f;
  return p;
}

/// Uniform scale, then a turn about +Y by `yaw` radians, then a move.
inline Mat4 placement(Vec3 position, float yaw, float scale) {
  Mat4 m;
  const float c = std::cos(yaw) * scale;
  const float s = std::sin(yaw) * scale;
  m.at(0, 0) = c;
  m.at(0, 2) = s;
  m.at(2, 0) = -s;
  m.at(2, 2) = c;
  m.at(1, 1) = scale;
  m.at(0, 3) = position.x;
  m.at(1, 3) = position.y;
  m.at(2, 3) = position.z;
  return m;
}

}  // namespace quarry::viewer
