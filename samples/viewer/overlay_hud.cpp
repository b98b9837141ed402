// SPDX-License-Identifier: MIT
// quarry::hud in an ImGui context of the viewer's own, drawn by quarry::imgui::Renderer.
#include <imgui.h>

#include <quarry/hud.hpp>

#include "imgui/imgui_renderer.hpp"
#include "viewer/overlay.hpp"
#include "viewer/pipelines.hpp"

namespace quarry::viewer {

namespace {

class HudOverlay final : public Overlay {
 public:
  explicit HudOverlay(Memory& memory) : memory_(memory), context_(ImGui::CreateContext()) {
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::StyleColorsDark();
  }
  HudOverlay(const HudOverlay&) = delete;
  HudOverlay& operator=(const HudOverlay&) = delete;
  ~HudOverlay() override {
    renderer_ = {};
    ImGui::DestroyContext(context_);
  }

  Outcome<void> create_renderer(Gpu& gpu) {
    imgui::RendererDesc desc;
    desc.allocator = &memory_.allocator();
    desc.device = gpu.device();
    desc.color_format = kColourFormat;
    desc.tag = memory_.frame_tag();
    auto renderer = imgui::Renderer::create(desc);
    if (!renderer) return failure("the memory display: " + describe(renderer.error()));
    renderer_ = std::move(*renderer);
    return {};
  }

  void update(VkExtent2D extent, double seconds, const OverlayInput& input) override {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(extent.width), static_cast<float>(extent.height)};
    io.DeltaTime = static_cast<float>(seconds > 0.0 ? seconds : 1.0 / 60.0);
    io.MousePos = {input.mouse_x, input.mouse_y};
    io.MouseWheel = input.wheel;
    for (std::size_t i = 0; i < input.buttons.size(); ++i)
      io.MouseDown[i] = input.buttons[i];
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({8.0f, 8.0f}, ImGuiCond_FirstUseEver);
    hud::draw(memory_.allocator(), history_);
    ImGui::Render();
  }

  void record(VkCommandBuffer commands, UploadRing& ring, const FrameTargets& targets) override {
    const ImDrawData& data = *ImGui::GetDrawData();
    if (!renderer_.prepare(commands, ring, data)) return;
    auto colour = structure<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
    colour.imageView = targets.colour.view.get();
    colour.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    colour.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    colour.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    auto after_scene = structure<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
    after_scene.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    after_scene.srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
    after_scene.dstStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    after_scene.dstAccessMask =
        VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
    auto dependency = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &after_scene;
    vkCmdPipelineBarrier2(commands, &dependency);
    auto info = structure<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
    info.renderArea.extent = targets.extent;
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &colour;
    vkCmdBeginRendering(commands, &info);
    renderer_.record(commands, data, targets.extent);
    vkCmdEndRendering(commands);
  }

  bool wants_mouse() const override { return ImGui::GetIO().WantCaptureMouse; }

 private:
  Memory& memory_;
  ImGuiContext* context_;
  imgui::Renderer renderer_;
  hud::History history_;
};

}  // namespace

Outcome<std::unique_ptr<Overlay>> Overlay::create(Gpu& gpu, Memory& memory) {
  auto overlay = std::make_unique<HudOverlay>(memory);
  if (auto created = overlay->create_renderer(gpu); !created) return failure(created.error());
  return std::unique_ptr<Overlay>(std::move(overlay));
}

}  // namespace quarry::viewer
