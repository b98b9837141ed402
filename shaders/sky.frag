// SPDX-License-Identifier: MIT
// The background: the same sky that lights the scene, and the sun's disc.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shared.glsl"

layout(location = 0) in vec3 in_direction;
layout(location = 0) out vec4 out_colour;

void main() {
  vec3 d = normalize(in_direction);
  float glow = max(dot(d, frame.sun_direction.xyz), 0.0);
  vec3 colour = sky(vec3(d.x, max(d.y, 0.02), d.z), 0.0) + frame.sun_radiance.rgb * (pow(glow, 2000.0) + 0.04 * pow(glow, 64.0));
  out_colour = vec4(tone_map(colour), 1.0);
}
