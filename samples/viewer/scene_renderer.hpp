// SPDX-License-Identifier: MIT
// Records the scene: shadow map (once), then objects and sky into a picture.
#pragma once

#include <array>
#include <cstdint>

#include "viewer/attachment.hpp"
#include "viewer/camera.hpp"
#include "viewer/material_bindings.hpp"
#include "viewer/pipelines.hpp"
#include "viewer/scene_buffers.hpp"

namespace quarry::viewer {

struct ScenePicture {
  View view;
  float shift_x = 0.0f;  ///< sub-pixel jitter, in clip space
  float shift_y = 0.0f;
  bool anisotropic = false;
  std::uint32_t slot = 0;  ///< frame in flight whose material sets are used
};

class SceneRenderer {
 public:
  struct Desc {
    const Scene* scene = nullptr;
    std::vector<MaterialSlots> materials;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
    float anisotropy = 1.0f;  ///< of anisotropic pictures
    std::uint32_t shadow_edge = 2048;
  };
  static Outcome<std::unique_ptr<SceneRenderer>> create(Gpu& gpu, Memory& memory,
                                                        SetupCommands& setup, Desc desc);

  MaterialBindings& bindings() { return bindings_; }
  /// Draws the scene into targets.colour and leaves it in COLOR_ATTACHMENT_OPTIMAL.
  Outcome<void> record(VkCommandBuffer commands, UploadRing& ring, const FrameTargets& targets,
                       const ScenePicture& picture);
  /// Draws object numbers and levels of detail into `colour` (kLodFormat), likewise.
  Outcome<void> record_lod(VkCommandBuffer commands, UploadRing& ring, const Attachment& colour,
                           const Attachment& depth, const ScenePicture& picture);

 private:
  struct FrameBinding {
    VkDescriptorSet set = VK_NULL_HANDLE;
    std::uint32_t offset = 0;
  };

  Outcome<void> make_sets(Gpu& gpu, UploadRing& ring);
  Outcome<void> draw_shadows(SetupCommands& setup, std::uint32_t edge);
  Outcome<FrameBinding> put_constants(UploadRing& ring, const ScenePicture& picture) const;
  void draw_objects(VkCommandBuffer commands, const FrameBinding& frame, std::uint32_t slot,
                    bool ground) const;

  VkDevice device_ = VK_NULL_HANDLE;
  VkDeviceSize constants_alignment_ = 1;
  const Scene* scene_ = nullptr;
  Mat4 world_to_sun_;
  float shadow_texel_ = 0.0f;
  SceneBuffers buffers_;
  PlaceholderTextures placeholders_;
  Pipelines pipelines_;
  MaterialBindings bindings_;
  Attachment shadow_map_;
  DeviceObject<VkSampler> shadow_sampler_;
  std::array<DeviceObject<VkSampler>, 2> samplers_;  ///< isotropic, anisotropic
  DeviceObject<VkDescriptorPool> pool_;
  std::array<VkDescriptorSet, 2> frame_sets_{};  ///< one a sampler
};

}  // namespace quarry::viewer
