// SPDX-License-Identifier: MIT
// ImGui's renderer on a real driver, with the validation layer, against the plain rasterizer; the
// HUD over a real allocator.
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include <quarry/hud.hpp>

#include "hud/headless_gpu.hpp"
#include "hud/imgui_screen.hpp"
#include "hud/palette.hpp"
#include "hud/picture.hpp"
#include "imgui/imgui_renderer.hpp"

namespace quarry::hud {
namespace {

constexpr ImU32 kBackground = IM_COL32(96, 128, 160, 255);
constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;
constexpr VkBufferUsageFlags kRingUsage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                                          VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                          VK_BUFFER_USAGE_TRANSFER_SRC_BIT;

class ImguiRenderer : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(gpu.problem(), ""); }
  void TearDown() override {
    for (const std::string& message : gpu.messages())
      ADD_FAILURE() << message;
  }

  imgui::Renderer make_renderer(VkFormat format) {
    imgui::RendererDesc desc;
    desc.allocator = &gpu.allocator();
    desc.device = gpu.device();
    desc.color_format = format;
    return imgui::Renderer::create(desc).value();
  }
  UploadRing make_ring(VkDeviceSize bytes) {
    UploadRingDesc desc;
    desc.bytes = bytes;
    desc.usage = kRingUsage;
    return UploadRing::create(gpu.allocator(), desc).value();
  }
  /// Everything in one batch; the GPU is idle afterwards.
  Picture render(imgui::Renderer& renderer, UploadRing& ring, const ImDrawData& data,
                 VkFormat format, VkExtent2D extent, bool expected = true) {
    return gpu.render(
        format, extent, kBackground,
        [&](VkCommandBuffer commands) {
          EXPECT_EQ(renderer.prepare(commands, ring, data).has_value(), expected);
          EXPECT_TRUE(ring.flush().has_value());
        },
        [&](VkCommandBuffer commands) { renderer.record(commands, data, extent); });
  }

  HeadlessGpu gpu;
};

/// Pixels with a channel further away than `tolerance`.
std::size_t different(const Picture& a, const Picture& b, int tolerance) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (std::abs(int{a.pixels[i][c]} - int{b.pixels[i][c]}) > tolerance) {
        ++count;
        break;
      }
    }
  }
  return count;
}

/// Windows over and beside each other, one half outside of the screen, text, and translucent
/// colours.
void paint_windows() {
  ImGui::SetNextWindowPos({20, 20});
  ImGui::SetNextWindowSize({260, 160});
  ImGui::Begin("first");
  ImGui::TextUnformatted("The quick brown fox");
  ImGui::PlotHistogram(
      "plot", [](void*, int i) { return static_cast<float>(i % 7); }, nullptr, 30);
  ImGui::End();
  ImGui::SetNextWindowPos({200, 120});
  ImGui::SetNextWindowSize({300, 200});
  ImGui::SetNextWindowBgAlpha(0.5f);
  ImGui::Begin("beyond the edge");
  ImGui::TextWrapped("clipped at the right and at the lower edge of the screen");
  ImGui::End();
  ImGui::GetBackgroundDrawList()->AddRectFilled({-50, 200}, {120, 400}, IM_COL32(200, 40, 40, 255));
}

TEST_F(ImguiRenderer, DrawsWhatTheReferenceDraws) {
  constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
  ImguiScreen screen(400, 280);
  imgui::Renderer renderer = make_renderer(kFormat);
  UploadRing ring = make_ring(kMiB);
  const ImDrawData& data = screen.frames(3, paint_windows);
  const Picture picture = render(renderer, ring, data, kFormat, {400, 280});
  picture.show("imgui_gpu.png");
  const Picture reference = rasterize(data, kBackground);
  reference.show("imgui_reference.png");
  EXPECT_LT(different(picture, reference, 3), 40u);
}

TEST_F(ImguiRenderer, LooksTheSameOnATargetThatBlendsLight) {
  constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_SRGB;
  ImguiScreen screen(400, 280);
  imgui::Renderer renderer = make_renderer(kFormat);
  UploadRing ring = make_ring(kMiB);
  const ImDrawData& data = screen.frames(3, paint_windows);
  const Picture picture = render(renderer, ring, data, kFormat, {400, 280});
  picture.show("imgui_gpu_srgb.png");
  const Picture reference = rasterize(data, kBackground);
  // Opaque colours are the same; blended ones are near.
  EXPECT_EQ(picture.at(30, 270), (Pixel{200, 40, 40, 255}));
  EXPECT_EQ(picture.at(390, 10), (Pixel{96, 128, 160, 255}));
  EXPECT_LT(different(picture, reference, 24), picture.pixels.size() / 50);
}

TEST_F(ImguiRenderer, ATargetSmallerThanTheDisplayClipsTheScissors) {
  constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
  ImguiScreen screen(400, 280);
  imgui::Renderer renderer = make_renderer(kFormat);
  UploadRing ring = make_ring(kMiB);
  const ImDrawData& data = screen.frames(3, paint_windows);
  const Picture picture = render(renderer, ring, data, kFormat, {100, 60});
  const Picture reference = rasterize(data, kBackground);
  Picture corner{100, 60, {}};
  for (int y = 0; y < corner.height; ++y) {
    for (int x = 0; x < corner.width; ++x)
      corner.pixels.push_back(reference.at(x, y));
  }
  EXPECT_LT(different(picture, corner, 3), 40u);
}

TEST_F(ImguiRenderer, AFullRingDrawsNothingAndTheNextFrameIsWhole) {
  constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
  ImguiScreen screen(400, 280);
  imgui::Renderer renderer = make_renderer(kFormat);
  const ImDrawData& data = screen.frames(3, paint_windows);
  UploadRing small = make_ring(4096);
  const Picture nothing = render(renderer, small, data, kFormat, {400, 280}, false);
  EXPECT_EQ(nothing.count(kBackground, 0), nothing.pixels.size());
  UploadRing ring = make_ring(kMiB);
  const Picture picture = render(renderer, ring, data, kFormat, {400, 280});
  EXPECT_LT(different(picture, rasterize(data, kBackground), 3), 40u);
}

TEST_F(ImguiRenderer, ShowsTheHudOfTheAllocatorThatItDrawsWith) {
  constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_SRGB;
  ImguiScreen screen(960, 540);
  imgui::Renderer renderer = make_renderer(kFormat);
  UploadRing ring = make_ring(8 * kMiB);
  Allocator& allocator = gpu.allocator();
  const Tag tag = allocator.register_tag("buffers").value();
  std::vector<UniqueBuffer> buffers;
  for (VkDeviceSize i = 0; i < 60; ++i) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = (1 + i * 37 % 11) * kMiB / 4;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    AllocationDesc desc;
    desc.tag = tag;
    desc.name = "buffer";
    buffers.emplace_back(allocator, allocator.create_buffer(info, desc).value());
  }
  for (std::size_t i = 0; i < buffers.size(); i += 3)
    buffers[i].reset();
  const ImDrawData& data = screen.frames(5, [&] { draw(allocator); });
  const Picture picture = render(renderer, ring, data, kFormat, {960, 540});
  picture.show("hud_gpu.png");
  EXPECT_GT(picture.count(palette::kUsed, 3), 5'000u);
  EXPECT_GT(picture.count(palette::kFree, 3), 500u);
}

}  // namespace
}  // namespace quarry::hud
