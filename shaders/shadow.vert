// SPDX-License-Identifier: MIT
// Depth as the sun sees it; drawn once, because neither the sun nor the objects move.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shared.glsl"

layout(location = 0) in vec3 in_position;

void main() { gl_Position = frame.world_to_sun * (object.model * vec4(in_position, 1.0)); }
