// SPDX-License-Identifier: MIT
// ImGui's triangles: positions in pixels of the display, colours as sRGB numbers.
#version 450

layout(push_constant) uniform Display {
  vec2 scale;      // pixels to clip space
  vec2 translate;
} display;

layout(location = 0) in vec2 in_position;
layout(location = 1) in vec2 in_uv;
layout(location = 2) in vec4 in_color;

layout(location = 0) out vec2 out_uv;
layout(location = 1) out vec4 out_color;

void main() {
  out_uv = in_uv;
  out_color = in_color;
  gl_Position = vec4(in_position * display.scale + display.translate, 0.0, 1.0);
}
