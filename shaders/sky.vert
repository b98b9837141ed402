// SPDX-License-Identifier: MIT
// One triangle over the whole picture at the far plane (depth 0: depth runs backwards).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shared.glsl"

layout(location = 0) out vec3 out_direction;

void main() {
  vec2 corner = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2) * 2.0 - 1.0;
  out_direction = (frame.clip_to_direction * vec4(corner, 0.0, 1.0)).xyz;
  gl_Position = vec4(corner, 0.0, 1.0);
}
