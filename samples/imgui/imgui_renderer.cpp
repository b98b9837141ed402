// SPDX-License-Identifier: MIT
// Vertices into the ring, draw commands into the command buffer. See imgui_renderer.hpp.
#include "imgui/imgui_renderer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <imgui.h>

#include "imgui/font_texture.hpp"
#include "imgui/pipeline.hpp"

namespace quarry::imgui {
namespace {

/// The part of a clip rectangle that lies on the attachment; empty where nothing of it does.
VkRect2D scissor_of(const ImVec4& clip, const ImDrawData& data, VkExtent2D extent) {
  const auto along = [](float value, float origin, float scale, std::uint32_t limit) {
    return std::clamp((value - origin) * scale, 0.0f, static_cast<float>(limit));
  };
  const float left = along(clip.x, data.DisplayPos.x, data.FramebufferScale.x, extent.width);
  const float top = along(clip.y, data.DisplayPos.y, data.FramebufferScale.y, extent.height);
  const float right = along(clip.z, data.DisplayPos.x, data.FramebufferScale.x, extent.width);
  const float bottom = along(clip.w, data.DisplayPos.y, data.FramebufferScale.y, extent.height);
  VkRect2D rect{{static_cast<std::int32_t>(left), static_cast<std::int32_t>(top)}, {0, 0}};
  if (right > left)
    rect.extent.width = static_cast<std::uint32_t>(right) - static_cast<std::uint32_t>(left);
  if (bottom > top)
    rect.extent.height = static_cast<std::uint32_t>(bottom) - static_cast<std::uint32_t>(top);
  return rect;
}

}  // namespace

class Renderer::State {
 public:
  Status create(const RendererDesc& desc) {
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    Status font = font_.create(*desc.allocator, desc.device, desc.tag);
    if (!font) return font;
    return pipeline_.create(desc, font_.view());
  }

  Status prepare(VkCommandBuffer commands, UploadRing& ring, const ImDrawData& data) {
    ready_ = false;
    Status font = font_.upload(commands, ring);
    if (!font || data.TotalIdxCount == 0) return font;
    Result<UploadSpan> vertices = ring.allocate(
        static_cast<VkDeviceSize>(data.TotalVtxCount) * sizeof(ImDrawVert), sizeof(float));
    if (!vertices) return Unexpected(vertices.error());
    Result<UploadSpan> indices = ring.allocate(
        static_cast<VkDeviceSize>(data.TotalIdxCount) * sizeof(ImDrawIdx), sizeof(std::uint32_t));
    if (!indices) return Unexpected(indices.error());
    vertices_ = *vertices;
    indices_ = *indices;
    std::byte* vertex_end = vertices_.mapped;
    std::byte* index_end = indices_.mapped;
    const auto append = [](std::byte*& end, const auto& source) {
      std::memcpy(end, source.Data, static_cast<std::size_t>(source.size_in_bytes()));
      end += source.size_in_bytes();
    };
    for (int i = 0; i < data.CmdListsCount; ++i) {
      append(vertex_end, data.CmdLists[i]->VtxBuffer);
      append(index_end, data.CmdLists[i]->IdxBuffer);
    }
    ready_ = true;
    return {};
  }

  void record(VkCommandBuffer commands, const ImDrawData& data, VkExtent2D extent) {
    if (!std::exchange(ready_, false)) return;
    bind(commands, data);
    std::uint32_t first_index = 0;
    std::int32_t first_vertex = 0;
    for (int i = 0; i < data.CmdListsCount; ++i) {
      const ImDrawList& list = *data.CmdLists[i];
      for (const ImDrawCmd& command : list.CmdBuffer) {
        if (command.UserCallback != nullptr) {
          if (command.UserCallback != ImDrawCallback_ResetRenderState) {
            command.UserCallback(&list, &command);
          }
          bind(commands, data);
          continue;
        }
        const VkRect2D scissor = scissor_of(command.ClipRect, data, extent);
        if (scissor.extent.width == 0 || scissor.extent.height == 0) continue;
        vkCmdSetScissor(commands, 0, 1, &scissor);
        vkCmdDrawIndexed(commands, command.ElemCount, 1, first_index + command.IdxOffset,
                         first_vertex + static_cast<std::int32_t>(command.VtxOffset), 0);
      }
      first_index += static_cast<std::uint32_t>(list.IdxBuffer.Size);
      first_vertex += list.VtxBuffer.Size;
    }
  }

 private:
  void bind(VkCommandBuffer commands, const ImDrawData& data) const {
    const VkViewport viewport{0,
                              0,
                              data.DisplaySize.x * data.FramebufferScale.x,
                              data.DisplaySize.y * data.FramebufferScale.y,
                              0,
                              1};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    DisplayTransform transform{};
    transform.scale[0] = 2.0f / data.DisplaySize.x;
    transform.scale[1] = 2.0f / data.DisplaySize.y;
    transform.translate[0] = -1.0f - data.DisplayPos.x * transform.scale[0];
    transform.translate[1] = -1.0f - data.DisplayPos.y * transform.scale[1];
    pipeline_.bind(commands, transform);
    vkCmdBindVertexBuffers(commands, 0, 1, &vertices_.buffer, &vertices_.offset);
    vkCmdBindIndexBuffer(commands, indices_.buffer, indices_.offset,
                         sizeof(ImDrawIdx) == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
  }

  FontTexture font_;
  Pipeline pipeline_;
  UploadSpan vertices_;
  UploadSpan indices_;
  bool ready_ = false;  ///< prepare succeeded and record has not run yet
};

Result<Renderer> Renderer::create(const RendererDesc& desc) {
  Renderer renderer;
  renderer.state_ = std::make_unique<State>();
  const Status status = renderer.state_->create(desc);
  if (!status) return Unexpected(status.error());
  return renderer;
}

Renderer::Renderer() = default;
Renderer::Renderer(Renderer&& other) noexcept = default;
Renderer& Renderer::operator=(Renderer&& other) noexcept = default;
Renderer::~Renderer() = default;

Status Renderer::prepare(VkCommandBuffer commands, UploadRing& ring, const ImDrawData& data) {
  return state_->prepare(commands, ring, data);
}

void Renderer::record(VkCommandBuffer commands, const ImDrawData& data, VkExtent2D extent) {
  state_->record(commands, data, extent);
}

}  // namespace quarry::imgui
