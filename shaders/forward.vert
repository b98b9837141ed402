// SPDX-License-Identifier: MIT
// Spheres, slabs and ground: to world space for shading, to clip space for the rasteriser.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shared.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec4 in_tangent;  // w: sign of the bitangent
layout(location = 3) in vec2 in_uv;

layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out vec4 out_tangent;
layout(location = 3) out vec2 out_uv;

void main() {
  vec4 world = object.model * vec4(in_position, 1.0);
  out_position = world.xyz;
  out_normal = mat3(object.model) * in_normal;
  out_tangent = vec4(mat3(object.model) * in_tangent.xyz, in_tangent.w);
  out_uv = in_uv;
  gl_Position = frame.view_projection * world;
}
