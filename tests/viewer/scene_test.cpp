// SPDX-License-Identifier: MIT
#include "viewer/scene.hpp"

#include <set>

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

void expect_sound(const Mesh& mesh) {
  ASSERT_EQ(mesh.indices.size() % 3, 0u);
  for (const Vertex& vertex : mesh.vertices) {
    EXPECT_NEAR(length(vertex.normal), 1.0f, 1e-4f);
    const Vec3 tangent{vertex.tangent.x, vertex.tangent.y, vertex.tangent.z};
    EXPECT_NEAR(length(tangent), 1.0f, 1e-4f);
    EXPECT_NEAR(dot(tangent, vertex.normal), 0.0f, 1e-4f);
  }
  for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
    const Vertex& a = mesh.vertices[mesh.indices[i]];
    const Vertex& b = mesh.vertices[mesh.indices[i + 1]];
    const Vertex& c = mesh.vertices[mesh.indices[i + 2]];
    const Vec3 out = cross(b.position - a.position, c.position - a.position);
    if (length(out) < 1e-6f) continue;  // at a pole
    EXPECT_GT(dot(out, a.normal), 0.0f) << "triangle " << i / 3 << " faces inwards";
  }
}

TEST(Scene, EveryMaterialIsOnOneSlabAndOneSphere) {
  for (const std::uint32_t count : {1u, 2u, 8u, 9u, 64u, 100u}) {
    std::multiset<std::uint32_t> slabs;
    std::multiset<std::uint32_t> spheres;
    for (const Object& object : make_scene(count, 7).objects) {
      if (object.shape == Shape::slab) slabs.insert(object.material);
      if (object.shape == Shape::sphere) spheres.insert(object.material);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(slabs.count(i), 1u);
      EXPECT_EQ(spheres.count(i), 1u);
    }
  }
}

TEST(Scene, IsTheSameForTheSameSeed) {
  const Scene a = make_scene(8, 3);
  const Scene b = make_scene(8, 3);
  ASSERT_EQ(a.objects.size(), b.objects.size());
  for (std::size_t i = 0; i < a.objects.size(); ++i) {
    EXPECT_EQ(a.objects[i].material, b.objects[i].material);
    EXPECT_EQ(a.objects[i].yaw, b.objects[i].yaw);
  }
}

TEST(Scene, MeshesFaceOutwards) {
  expect_sound(sphere_mesh());
  expect_sound(slab_mesh());
  expect_sound(ground_mesh(10.0f));
}

TEST(Scene, ParametricSurfacesHaveTheDerivativesOfTheirPositions) {
  const Object sphere{Shape::sphere, {1, 2, 3}, 0.4f, 0, {}, 0.0f};
  constexpr float kStep = 1e-3f;
  for (const float u : {0.1f, 0.37f, 0.8f}) {
    for (const float v : {0.1f, 0.25f, 0.42f}) {
      const SurfacePoint p = sphere_point(sphere, u, v);
      const Vec3 by_u = (sphere_point(sphere, u + kStep, v).position - p.position) * (1.0f / kStep);
      const Vec3 by_v = (sphere_point(sphere, u, v + kStep).position - p.position) * (1.0f / kStep);
      EXPECT_LT(length(by_u - p.by_u), 0.02f * length(p.by_u));
      EXPECT_LT(length(by_v - p.by_v), 0.02f * length(p.by_v));
      EXPECT_NEAR(length(p.normal), 1.0f, 1e-4f);
      EXPECT_NEAR(dot(p.normal, normalize(p.by_u)), 0.0f, 1e-3f);
    }
  }
}

TEST(Scene, FacesOfASlabPointOutwardsAndFollowItsTurn) {
  const Object slab{Shape::slab, {-4, 0.3f, 2}, 1.2f, 0, {}, 0.0f};
  const Vec3 centre = slab.position - Vec3{0, kSlabHeight / 2, 0};
  for (const Face& face : slab_faces()) {
    const SurfacePoint middle = face_point(slab, face, 0.5f, 0.5f);
    EXPECT_GT(dot(middle.normal, middle.position - centre), 0.0f);
    const Vec3 across =
        face_point(slab, face, 1, 0).position - face_point(slab, face, 0, 0).position;
    EXPECT_NEAR(length(across), face.u_metres, 1e-3f);
    EXPECT_LT(length(across - middle.by_u * (face.u_metres / kSlabEdge)), 1e-3f);
    const Vec3 local = to_local(slab, face_point(slab, face, 0, 0).position);
    EXPECT_LT(length(local - face.corner), 1e-3f);
  }
}

TEST(Scene, MeshAndParametricSurfaceAgreeOnTextureCoordinates) {
  const Object at_origin;
  for (const Vertex& vertex : sphere_mesh().vertices) {
    EXPECT_LT(length(sphere_point(at_origin, vertex.u, vertex.v).position - vertex.position),
              1e-3f);
  }
}

}  // namespace
}  // namespace quarry::viewer
