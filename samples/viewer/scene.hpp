// SPDX-License-Identifier: MIT
// What is shown: a field of slabs with a sphere on each, one material per object. Geometry as
// parametric surfaces (for the estimate of mips) and as meshes (for the GPU). No Vulkan here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "viewer/math.hpp"

namespace quarry::viewer {

enum class Shape : std::uint8_t { sphere, slab, ground };

/// Metres.
inline constexpr float kSphereRadius = 2.4f;
inline constexpr float kSlabEdge = 8.0f;
inline constexpr float kSlabHeight = 0.35f;
inline constexpr float kCellSpacing = 8.5f;

struct Object {
  Shape shape = Shape::sphere;
  Vec3 position;     ///< centre of a sphere, centre of a slab's top
  float yaw = 0.0f;  ///< radians about +Y
  std::uint32_t material = 0;
  Vec3 occluder;  ///< centre of the sphere that darkens this object
  float occluder_radius = 0.0f;
};

struct Scene {
  std::vector<Object> objects;  ///< slabs and spheres; the bare ground comes last
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  float radius = 0.0f;  ///< metres from the origin to the farthest corner of the field
};

/// At least one cell; every material is on one slab and on one sphere. `seed` turns the objects and
/// pairs slabs with spheres.
Scene make_scene(std::uint32_t material_count, std::uint64_t seed);

/// A point on an object's textured surface with its derivatives by the texture coordinates, for the
/// whole texture = 1: world metres.
struct SurfacePoint {
  Vec3 position;
  Vec3 normal;
  Vec3 by_u;
  Vec3 by_v;
};

/// The sphere's texture goes once around and half the texture from pole to pole, so that texels are
/// square at the equator.
SurfacePoint sphere_point(const Object& object, float u, float v);

/// A flat face of the slab, in the slab's own frame; a texture spans kSlabEdge metres on all of
/// them.
struct Face {
  Vec3 corner;   ///< where u = v = 0
  Vec3 along_u;  ///< unit vectors; the face looks along cross(along_v, along_u)
  Vec3 along_v;
  float u_metres = 0.0f;
  float v_metres = 0.0f;
};
/// The top, then the four sides; nobody sees the bottom.
std::array<Face, 5> slab_faces();
/// `s` and `t` run from 0 to 1 over the face.
SurfacePoint face_point(const Object& object, const Face& face, float s, float t);
/// A world position in the object's own frame.
Vec3 to_local(const Object& object, Vec3 position);

struct Vertex {
  Vec3 position;
  Vec3 normal;
  Vec4 tangent;
  float u = 0.0f;
  float v = 0.0f;
};

struct Mesh {
  std::vector<Vertex> vertices;
  std::vector<std::uint32_t> indices;  ///< triangles, counter-clockwise seen from outside
};

Mesh sphere_mesh();  ///< of radius kSphereRadius around the origin
Mesh slab_mesh();    ///< its top's centre at the origin
Mesh ground_mesh(float radius);

}  // namespace quarry::viewer
