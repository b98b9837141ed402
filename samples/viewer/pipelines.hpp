// SPDX-License-Identifier: MIT
// Descriptor layouts and pipelines of the scene, for dynamic rendering.
#pragma once

#include <cstdint>

#include <volk.h>

#include "viewer/device_object.hpp"
#include "viewer/math.hpp"

namespace quarry::viewer {

inline constexpr VkFormat kColourFormat = VK_FORMAT_R8G8B8A8_SRGB;
inline constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
inline constexpr VkFormat kShadowFormat = VK_FORMAT_D16_UNORM;
inline constexpr VkFormat kLodFormat = VK_FORMAT_R32G32_SFLOAT;

/// The constants of a frame, as shaders/shared.glsl declares them (std140).
struct FrameConstants {
  Mat4 view_projection;
  Mat4 clip_to_direction;
  Mat4 world_to_sun;
  Vec4 eye;
  Vec4 sun_direction;
  Vec4 sun_radiance;
};

/// The push constants of an object, likewise.
struct ObjectConstants {
  Mat4 model;
  Vec4 occluder;
  Vec4 flags;
};

struct Pipelines {
  DeviceObject<VkDescriptorSetLayout> frame_layout;     ///< set 0: constants, sampler, shadow map
  DeviceObject<VkDescriptorSetLayout> material_layout;  ///< set 1: three images
  DeviceObject<VkPipelineLayout> layout;
  DeviceObject<VkPipeline> forward;
  DeviceObject<VkPipeline> sky;
  DeviceObject<VkPipeline> shadow;  ///< depth alone, into kShadowFormat
  DeviceObject<VkPipeline> lod;     ///< into kLodFormat, one sample

  /// `shadow_samples`: along one side, see shaders/forward.frag.
  static Outcome<Pipelines> create(VkDevice device, VkSampleCountFlagBits samples,
                                   std::int32_t shadow_samples);
};

}  // namespace quarry::viewer
