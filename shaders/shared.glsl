// SPDX-License-Identifier: MIT
// What every shader of the scene shares: the frame's constants, one object's constants, the sky.
#ifndef QUARRY_SHARED_GLSL
#define QUARRY_SHARED_GLSL

layout(set = 0, binding = 0) uniform Frame {
  mat4 view_projection;
  mat4 clip_to_direction;    // from (x, y, 0, 1) in clip space to a world direction
  mat4 world_to_sun;         // to the shadow map's clip space
  vec4 eye;                  // w: 1 / texels along the shadow map's side
  vec4 sun_direction;        // towards the sun, unit length
  vec4 sun_radiance;
} frame;

layout(push_constant) uniform Object {
  mat4 model;       // rotation, translation and uniform scale only
  vec4 occluder;    // sphere that stands on or near this object: centre, radius (0: none)
  vec4 flags;       // x: 1 for the bare ground, y: object number
} object;

const float kPi = 3.14159265;

const vec3 kHorizon = vec3(0.62, 0.66, 0.72);

// Radiance from direction d, blurred as a lobe of this roughness would see it. One gradient for the
// ambient term, the reflections and the background, so that all three agree. Cheap on purpose: it is
// evaluated twice a fragment.
vec3 sky(vec3 d, float roughness) {
  const vec3 zenith = vec3(0.13, 0.26, 0.55);
  const vec3 ground = vec3(0.16, 0.15, 0.14);
  float width = mix(0.02, 0.9, roughness);
  float up = clamp(d.y, 0.0, 1.0);
  // A wide lobe never sees the zenith alone.
  vec3 upper = mix(kHorizon, zenith, mix(sqrt(up), 0.5 * up, roughness));
  vec3 lower = mix(kHorizon * 0.5, ground, sqrt(clamp(-d.y, 0.0, 1.0)));
  return mix(lower, upper, smoothstep(-width, width, d.y));
}

// Narkowicz's fit of the ACES filmic curve (2015): linear scene light to linear display light.
vec3 tone_map(vec3 x) {
  return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

#endif
