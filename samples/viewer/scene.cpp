// SPDX-License-Identifier: MIT
// Layout of the field, and the surfaces of its objects.
#include "viewer/scene.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace quarry::viewer {

namespace {

constexpr float kTurn = 2.0f * kPi;
/// Texture heights from pole to pole: half the circumference, which is one texture width.
constexpr float kSphereTextureHeight = 0.5f;

Vec3 turned(Vec3 p, float yaw) {
  const float c = std::cos(yaw);
  const float s = std::sin(yaw);
  return {c * p.x + s * p.z, p.y, -s * p.x + c * p.z};
}

SurfacePoint placed(const Object& object, const SurfacePoint& local) {
  return {object.position + turned(local.position, object.yaw), turned(local.normal, object.yaw),
          turned(local.by_u, object.yaw), turned(local.by_v, object.yaw)};
}

SurfacePoint unit_sphere_point(float u, float v) {
  const float longitude = u * kTurn;
  const float latitude = v / kSphereTextureHeight * kPi;  // from the upper pole
  const Vec3 normal{std::sin(latitude) * std::cos(longitude), std::cos(latitude),
                    -std::sin(latitude) * std::sin(longitude)};
  const Vec3 by_u{-std::sin(latitude) * std::sin(longitude), 0.0f,
                  -std::sin(latitude) * std::cos(longitude)};
  const Vec3 by_v{std::cos(latitude) * std::cos(longitude), -std::sin(latitude),
                  -std::cos(latitude) * std::sin(longitude)};
  return {normal * kSphereRadius, normal, by_u * (kSphereRadius * kTurn),
          by_v * (kSphereRadius * kPi / kSphereTextureHeight)};
}

Vec3 face_normal(const Face& face) {
  return cross(face.along_v, face.along_u);
}

void add_face(Mesh& mesh, const Face& face) {
  const auto base = static_cast<std::uint32_t>(mesh.vertices.size());
  const Vec3 u = face.along_u;
  for (int i = 0; i < 4; ++i) {
    const float s = (i & 1) != 0 ? face.u_metres : 0.0f;
    const float t = (i & 2) != 0 ? face.v_metres : 0.0f;
    // A map's +Y points against V; with these axes that is the positive bitangent.
    mesh.vertices.push_back({face.corner + u * s + face.along_v * t,
                             face_normal(face),
                             {u.x, u.y, u.z, 1.0f},
                             s / kSlabEdge,
                             t / kSlabEdge});
  }
  for (const std::uint32_t i : {0u, 2u, 1u, 1u, 2u, 3u})
    mesh.indices.push_back(base + i);
}

}  // namespace

Scene make_scene(std::uint32_t material_count, std::uint64_t seed) {
  const std::uint32_t cells = std::max(material_count, 1u);
  Scene scene;
  scene.columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(cells))));
  scene.rows = (cells + scene.columns - 1) / scene.columns;
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> on_slab(cells);
  std::iota(on_slab.begin(), on_slab.end(), 0u);
  std::shuffle(on_slab.begin(), on_slab.end(), random);
  std::uniform_real_distribution<float> angle(0.0f, kTurn);
  // Places along a side, in cells, lie around the middle.
  const auto coordinate = [](std::uint32_t place, std::uint32_t count) {
    return (static_cast<float>(place) - static_cast<float>(count - 1) * 0.5f) * kCellSpacing;
  };
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    const float x = coordinate(cell % scene.columns, scene.columns);
    const float z = coordinate(cell / scene.columns, scene.rows);
    const Vec3 centre{x, kSlabHeight + kSphereRadius, z};
    const float quarter_turns = std::floor(angle(random) / (kTurn / 4.0f)) * (kTurn / 4.0f);
    scene.objects.push_back(
        {Shape::slab, {x, kSlabHeight, z}, quarter_turns, on_slab[cell], centre, kSphereRadius});
    // The neighbour in the shuffled order: never the slab's own material, unless there is but one.
    scene.objects.push_back(
        {Shape::sphere, centre, angle(random), on_slab[(cell + 1) % cells], {}, 0.0f});
  }
  const float half_x = static_cast<float>(scene.columns) * kCellSpacing * 0.5f;
  const float half_z = static_cast<float>(scene.rows) * kCellSpacing * 0.5f;
  scene.radius = std::sqrt(half_x * half_x + half_z * half_z);
  scene.objects.push_back({Shape::ground, {}, 0.0f, 0, {}, 0.0f});
  return scene;
}

SurfacePoint sphere_point(const Object& object, float u, float v) {
  return placed(object, unit_sphere_point(u, v));
}

std::array<Face, 5> slab_faces() {
  constexpr float kHalf = kSlabEdge * 0.5f;
  constexpr Vec3 kDown{0, -1, 0};
  return {{{{-kHalf, 0, -kHalf}, {1, 0, 0}, {0, 0, 1}, kSlabEdge, kSlabEdge},
           {{-kHalf, 0, kHalf}, {1, 0, 0}, kDown, kSlabEdge, kSlabHeight},
           {{kHalf, 0, kHalf}, {0, 0, -1}, kDown, kSlabEdge, kSlabHeight},
           {{kHalf, 0, -kHalf}, {-1, 0, 0}, kDown, kSlabEdge, kSlabHeight},
           {{-kHalf, 0, -kHalf}, {0, 0, 1}, kDown, kSlabEdge, kSlabHeight}}};
}

SurfacePoint face_point(const Object& object, const Face& face, float s, float t) {
  return placed(object, {face.corner + face.along_u * (s * face.u_metres) +
                             face.along_v * (t * face.v_metres),
                         face_normal(face), face.along_u * kSlabEdge, face.along_v * kSlabEdge});
}

Vec3 to_local(const Object& object, Vec3 position) {
  return turned(position - object.position, -object.yaw);
}

Mesh sphere_mesh() {
  constexpr std::uint32_t kSegments = 96;
  constexpr std::uint32_t kRings = 48;
  Mesh mesh;
  for (std::uint32_t ring = 0; ring <= kRings; ++ring) {
    for (std::uint32_t segment = 0; segment <= kSegments; ++segment) {
      const float u = static_cast<float>(segment) / kSegments;
      const float v = static_cast<float>(ring) / kRings * kSphereTextureHeight;
      const SurfacePoint p = unit_sphere_point(u, v);
      // At the poles the derivative vanishes; the direction along the parallel does not.
      const Vec3 tangent{-std::sin(u * kTurn), 0.0f, -std::cos(u * kTurn)};
      mesh.vertices.push_back(
          {p.position, p.normal, {tangent.x, tangent.y, tangent.z, 1.0f}, u, v});
    }
  }
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    for (std::uint32_t segment = 0; segment < kSegments; ++segment) {
      const std::uint32_t a = ring * (kSegments + 1) + segment;
      const std::uint32_t b = a + kSegments + 1;
      for (const std::uint32_t i : {a, b, a + 1, a + 1, b, b + 1})
        mesh.indices.push_back(i);
    }
  }
  return mesh;
}

Mesh slab_mesh() {
  Mesh mesh;
  for (const Face& face : slab_faces())
    add_face(mesh, face);
  return mesh;
}

Mesh ground_mesh(float radius) {
  Mesh mesh;
  add_face(mesh, {{-radius, 0, -radius}, {1, 0, 0}, {0, 0, 1}, 2.0f * radius, 2.0f * radius});
  return mesh;
}

}  // namespace quarry::viewer
