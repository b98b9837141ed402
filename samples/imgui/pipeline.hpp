// SPDX-License-Identifier: MIT
// The one pipeline of the renderer, with its layout, sampler and descriptor set.
#pragma once

#include <volk.h>

#include <quarry/result.hpp>

namespace quarry::imgui {

struct RendererDesc;

/// Maps pixels of the display to clip space; the vertex shader's push constants.
struct DisplayTransform {
  float scale[2];
  float translate[2];
};

class Pipeline {
 public:
  Pipeline() = default;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();

  /// Once; after an error only destruction is allowed.
  Status create(const RendererDesc& desc, VkImageView font);
  /// Binds pipeline, descriptor set and push constants.
  void bind(VkCommandBuffer commands, const DisplayTransform& transform) const;

 private:
  VkResult create_layout();
  VkResult create_set(VkImageView font);
  VkResult create_pipeline(const RendererDesc& desc);
  VkResult create_pipeline(const RendererDesc& desc, VkShaderModule vertex,
                           VkShaderModule fragment);

  VkDevice device_ = VK_NULL_HANDLE;
  VkSampler sampler_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace quarry::imgui
