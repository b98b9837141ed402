// SPDX-License-Identifier: MIT
// Metal-roughness shading: GGX (Walter et al. 2007) with height-correlated Smith visibility (Heitz
// 2014) for the sun, the analytic sky for the rest (Karis 2013 for its reflectance integral).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shared.glsl"

layout(set = 0, binding = 1) uniform sampler material_sampler;
layout(set = 0, binding = 2) uniform sampler2DShadow shadow_map;
layout(set = 1, binding = 0) uniform texture2D albedo_map;
layout(set = 1, binding = 1) uniform texture2D normal_map;   // R, G: tangent-space X, Y
layout(set = 1, binding = 2) uniform texture2D surface_map;  // occlusion, roughness, metalness

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec4 in_tangent;
layout(location = 3) in vec2 in_uv;
layout(location = 0) out vec4 out_colour;

// Along one side of the square of samples that softens shadows: 1 where fragments are dear, else 2.
layout(constant_id = 0) const int kShadowSamples = 2;

vec3 mapped_normal(vec3 n) {
  vec2 xy = texture(sampler2D(normal_map, material_sampler), in_uv).rg * 2.0 - 1.0;
  vec3 t = normalize(in_tangent.xyz - n * dot(in_tangent.xyz, n));
  vec3 b = cross(n, t) * in_tangent.w;
  return normalize(t * xy.x + b * xy.y + n * sqrt(max(1.0 - dot(xy, xy), 0.02)));
}

float sun_visibility(vec3 n) {
  // A normal offset of about two texels of the map instead of a depth bias that detaches shadows.
  vec4 p = frame.world_to_sun * vec4(in_position + n * 0.06, 1.0);
  vec2 uv = p.xy * 0.5 + 0.5;
  if (any(lessThan(uv, vec2(0.0))) || any(greaterThan(uv, vec2(1.0)))) return 1.0;
  float lit = 0.0;
  for (int y = 0; y < kShadowSamples; ++y) {
    for (int x = 0; x < kShadowSamples; ++x) {
      vec2 offset = (vec2(x, y) - 0.5 * float(kShadowSamples - 1)) * 1.5 * frame.eye.w;
      lit += texture(shadow_map, vec3(uv + offset, p.z));
    }
  }
  return lit / float(kShadowSamples * kShadowSamples);
}

// Share of the hemisphere around n that the neighbouring sphere leaves open.
float sphere_occlusion(vec3 n) {
  if (object.occluder.w == 0.0) return 1.0;
  vec3 to = object.occluder.xyz - in_position;
  float d2 = max(dot(to, to), object.occluder.w * object.occluder.w);
  float facing = max(dot(n, to) * inversesqrt(d2), 0.0);
  return 1.0 - facing * object.occluder.w * object.occluder.w / d2;
}

void main() {
  vec3 geometric = normalize(in_normal);
  vec3 n = geometric;
  vec3 albedo = vec3(0.30, 0.29, 0.27);
  vec3 surface = vec3(1.0, 0.9, 0.0);
  if (object.flags.x == 0.0) {
    n = mapped_normal(geometric);
    albedo = texture(sampler2D(albedo_map, material_sampler), in_uv).rgb;
    surface = texture(sampler2D(surface_map, material_sampler), in_uv).rgb;
  }
  vec3 to_eye = frame.eye.xyz - in_position;
  float eye_distance = length(to_eye);
  vec3 v = to_eye / eye_distance;
  float nv = max(abs(dot(n, v)), 1e-3);
  float roughness = clamp(surface.g, 0.06, 1.0);
  vec3 f0 = mix(vec3(0.04), albedo, surface.b);
  vec3 diffuse = albedo * (1.0 - surface.b);

  vec3 l = frame.sun_direction.xyz;
  vec3 h = normalize(v + l);
  float nl = max(dot(n, l), 0.0);
  float nh = max(dot(n, h), 0.0);
  float a2 = roughness * roughness * roughness * roughness;
  float q = nh * nh * (a2 - 1.0) + 1.0;
  float distribution = a2 / (kPi * q * q);
  float visibility = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) +
                            nv * sqrt(nl * nl * (1.0 - a2) + a2) + 1e-5);
  float grazing = 1.0 - max(dot(v, h), 0.0);
  float grazing2 = grazing * grazing;
  vec3 fresnel = f0 + (1.0 - f0) * (grazing2 * grazing2 * grazing);
  vec3 sun = (diffuse / kPi * (1.0 - fresnel) + fresnel * distribution * visibility) * nl;
  if (nl > 0.0) sun *= sun_visibility(geometric);

  float open = surface.r * sphere_occlusion(geometric);
  vec4 c = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
  float a004 = min(c.x * c.x, exp2(-9.28 * nv)) * c.x + c.y;
  vec2 ab = vec2(-1.04, 1.04) * a004 + c.zw;
  vec3 reflected = sky(reflect(-v, n), roughness);
  vec3 ambient = diffuse * sky(n, 1.0) * open + reflected * (f0 * ab.x + ab.y) * mix(open, 1.0, 0.2);

  vec3 colour = sun * frame.sun_radiance.rgb + ambient;
  float haze = 1.0 - exp(-max(eye_distance - 20.0, 0.0) * 0.012);
  colour = mix(colour, kHorizon, haze);
  out_colour = vec4(tone_map(colour), 1.0);
}
