// SPDX-License-Identifier: MIT
// Debug picture for --check-lod: which object, and the level of detail that the sampler would use on
// the finest level of its albedo map (before clamping to the levels that are resident).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shared.glsl"

layout(set = 0, binding = 1) uniform sampler material_sampler;
layout(set = 1, binding = 0) uniform texture2D albedo_map;

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec4 in_tangent;
layout(location = 3) in vec2 in_uv;
layout(location = 0) out vec2 out_value;

void main() {
  out_value = vec2(object.flags.y + 1.0,
                   textureQueryLod(sampler2D(albedo_map, material_sampler), in_uv).y);
}
