// SPDX-License-Identifier: MIT
// Draws ImGui's draw data with dynamic rendering (Vulkan 1.3), called through volk. The font
// texture is an image of the allocator, vertices and indices are taken from an upload ring of the
// caller in each frame; there are no buffers here. Only the font's texture is known: ImGui::Image
// is not for this renderer.
#pragma once

#include <memory>

#include <volk.h>

#include <quarry/allocator.hpp>
#include <quarry/upload_ring.hpp>

struct ImDrawData;

namespace quarry::imgui {

struct RendererDesc {
  Allocator* allocator = nullptr;  ///< must outlive the renderer
  VkDevice device = VK_NULL_HANDLE;
  /// Of the attachment that is drawn into. Formats with SRGB in their name get colours as light,
  /// all others as sRGB numbers.
  VkFormat color_format = VK_FORMAT_UNDEFINED;
  VkFormat depth_format =
      VK_FORMAT_UNDEFINED;  ///< of the rendering's depth attachment, if it has one
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  Tag tag;
};

/// One ImGui context's renderer. Not thread-safe. The GPU must be done with it at destruction.
class Renderer {
 public:
  /// Builds the font atlas of the current context, so: after the fonts are added, before the first
  /// NewFrame. On an error nothing is left behind.
  static Result<Renderer> create(const RendererDesc& desc);

  Renderer();
  Renderer(Renderer&& other) noexcept;
  Renderer& operator=(Renderer&& other) noexcept;
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;
  ~Renderer();

  /// Outside of rendering, before record: copies vertices and indices into the ring, the first time
  /// also the font, whose copy and layout changes it records. The ring's buffer needs VERTEX, INDEX
  /// and TRANSFER_SRC usage; the owner flushes and closes it as for any upload. On an error
  /// (Reason::over_limit: the ring is full) record draws nothing this time.
  Status prepare(VkCommandBuffer commands, UploadRing& ring, const ImDrawData& data);
  /// Inside of rendering into an attachment of `extent`: draws what was prepared, once. Sets
  /// viewport, scissor, pipeline, vertex and index buffers, descriptor set 0 and push constants.
  void record(VkCommandBuffer commands, const ImDrawData& data, VkExtent2D extent);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace quarry::imgui
