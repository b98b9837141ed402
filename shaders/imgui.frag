// SPDX-License-Identifier: MIT
// ImGui's colours, meant to be blended as sRGB numbers, onto a target that blends sRGB numbers or light.
#version 450

layout(constant_id = 0) const bool kTargetIsLinear = false;

layout(set = 0, binding = 0) uniform sampler2D font;

layout(location = 0) in vec2 in_uv;
layout(location = 1) in vec4 in_color;

layout(location = 0) out vec4 out_color;

vec3 to_linear(vec3 color) {
  return mix(pow((color + 0.055) / 1.055, vec3(2.4)), color / 12.92, lessThanEqual(color, vec3(0.04045)));
}

void main() {
  vec4 color = in_color * texture(font, in_uv);
  if (kTargetIsLinear) {
    // Blending light with the same alpha makes dark windows pale and bright text bold. These two
    // exponents give what sRGB blending gives for black over anything and for white over black;
    // colours between take a share of each.
    float brightness = max(color.r, max(color.g, color.b));
    float of_dark = 1.0 - pow(1.0 - color.a, 2.2);
    float of_bright = pow(color.a, 2.2);
    color = vec4(to_linear(color.rgb), mix(of_dark, of_bright, brightness));
  }
  out_color = color;
}
