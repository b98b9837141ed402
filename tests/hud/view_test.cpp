// SPDX-License-Identifier: MIT
// The window over made-up figures: no allocator, no driver.
#include "hud/view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "hud/imgui_screen.hpp"
#include "hud/palette.hpp"
#include "hud/picture.hpp"

namespace quarry::hud {
namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;
constexpr VkDeviceSize kGiB = kMiB << 10;
constexpr ImU32 kSky = IM_COL32(120, 140, 160, 255);

/// A plausible game: two heaps, blocks of textures and small buffers, dedicated targets, 240
/// frames.
struct Scene {
  Figures figures;
  Recorder recorder;
  BlockMap map;
  ViewState state;
  Options options;
  std::string text = std::string(1, '\0');

  Scene() {
    make_heaps();
    make_history();
    make_tags();
  }

  void make_heaps() {
    HeapRow device;
    device.budget = {12 * kGiB, 3 * kGiB, 2 * kGiB + 300 * kMiB,          1900 * kMiB,
                     3 * kGiB,  true,     VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    device.totals = {14, 1900 * kMiB, 5321, 1650 * kMiB, 2400 * kMiB, 1800 * kMiB, 5};
    HeapRow host;
    host.index = 1;
    host.budget = {32 * kGiB, 25 * kGiB, 300 * kMiB, 160 * kMiB, 32 * kGiB, true, 0};
    host.totals = {3, 160 * kMiB, 12, 96 * kMiB, 192 * kMiB, 130 * kMiB, 0};
    figures.heaps = {device, host};
    figures.totals = {17, 2060 * kMiB, 5333, 1746 * kMiB, 2592 * kMiB, 1930 * kMiB, 5};
  }

  void make_history() {
    Counters counters;
    for (int i = 0; i < 230; ++i) {
      Totals totals;
      totals.block_bytes = (1500 + static_cast<VkDeviceSize>(i / 40) * 112) * kMiB;
      totals.allocation_bytes = static_cast<VkDeviceSize>(static_cast<double>(totals.block_bytes) *
                                                          (0.75 + 0.08 * std::sin(i * 0.11)));
      counters.allocations += 12 + static_cast<std::uint64_t>(i % 7);
      counters.frees += 11;
      if (i % 40 == 0) counters.driver_allocations += 1;
      if (i % 3 == 0) counters.uploaded_bytes += (1 + static_cast<VkDeviceSize>(i % 17)) * kMiB;
      recorder.record(totals, counters);
    }
  }

  void make_tags() {
    const std::array<const char*, 5> names = {"textures", "render targets", "meshes", "upload ring",
                                              "particles"};
    VkDeviceSize bytes = 1024 * kMiB;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      TagRow row;
      row.tag = Tag{i + 1};
      row.name = names[i];
      row.totals.allocation_bytes = bytes;
      row.totals.peak_allocation_bytes = bytes + bytes / 4;
      row.totals.allocation_count = 4000 / (i + 1);
      figures.tags.push_back(row);
      figures.tag_names.push_back(row.name);
      bytes /= 3;
    }
    figures.tag_count = 5;
  }

  std::uint32_t name(const std::string& value) {
    const std::size_t at = text.size();
    text += value;
    text += '\0';
    return static_cast<std::uint32_t>(at);
  }

  /// Blocks cut at random, ranges up to `largest` bytes.
  void make_map(std::size_t blocks, VkDeviceSize largest) {
    std::mt19937_64 random(7);
    std::vector<SnapshotBlock> all;
    std::vector<SnapshotRange> ranges;
    for (std::size_t b = 0; b < blocks; ++b) {
      SnapshotBlock block;
      block.size = (b % 3 == 0 ? 64 : 256) * kMiB;
      block.memory_type = b < blocks / 4 ? 4 : 1;
      block.heap = b < blocks / 4 ? 1 : 0;
      block.first_range = static_cast<std::uint32_t>(ranges.size());
      for (VkDeviceSize at = 0; at < block.size;) {
        SnapshotRange range;
        range.offset = at;
        range.size = std::min(block.size - at, 1 + random() % largest);
        at += range.size;
        if (random() % 4 != 0) {
          range.allocation = Allocation{1};
          range.tag = Tag{1 + static_cast<std::uint32_t>(random() % 5)};
          range.name = name("texture " + std::to_string(ranges.size()));
          block.used_bytes += range.size;
        }
        ranges.push_back(range);
      }
      block.range_count = static_cast<std::uint32_t>(ranges.size()) - block.first_range;
      all.push_back(block);
    }
    for (std::uint32_t d = 0; d < 5; ++d) {
      SnapshotBlock block;
      block.dedicated = true;
      block.memory_type = 1;
      block.size = block.used_bytes = (32 + d * 24) * kMiB;
      block.first_range = static_cast<std::uint32_t>(ranges.size());
      block.range_count = 1;
      ranges.push_back({0, block.size, Allocation{1}, Tag{2}, name("target")});
      all.push_back(block);
    }
    map.assign(all, ranges, text.c_str());
  }

  void paint() { show_window({figures, recorder, map}, "Quarry", options, state); }
};

/// For people to look at; painting is the slow part, so only when they ask.
void show(const ImDrawData& data, const char* name) {
  if (std::getenv("QUARRY_TEST_PICTURES") != nullptr) rasterize(data, kSky).show(name);
}

std::size_t vertices(const ImDrawData& data) {
  return static_cast<std::size_t>(data.TotalVtxCount);
}

TEST(View, ShowsUsedFreeDedicatedPeakAndBudget) {
  ImguiScreen screen(960, 540);
  Scene scene;
  scene.make_map(12, 12 * kMiB);
  const Picture picture = rasterize(screen.frames(3, [&] { scene.paint(); }), kSky);
  picture.show("hud_960x540.png");
  // Areas in pixels that the colours cover at least; a window with an empty part would fall short.
  EXPECT_GT(picture.count(palette::kUsed, 3), 10'000u);
  EXPECT_GT(picture.count(palette::kReserved, 3), 2'000u);
  EXPECT_GT(picture.count(palette::kFree, 3), 1'000u);
  EXPECT_GT(picture.count(palette::kDedicated, 3), 500u);
  EXPECT_GT(picture.count(palette::kProcess, 3), 300u);
  EXPECT_GT(picture.count(palette::kPeak, 3), 20u);
  EXPECT_GT(picture.count(palette::kBudget, 3), 40u);
  EXPECT_GT(picture.count(palette::kUpload, 3), 100u);
  EXPECT_GT(picture.count(palette::kAlarm, 3), 50u);
}

TEST(View, KeepsItsPlaceOnALargeScreen) {
  ImguiScreen screen(1920, 1080);
  Scene scene;
  scene.make_map(40, 12 * kMiB);
  const Picture picture = rasterize(screen.frames(3, [&] { scene.paint(); }), kSky);
  picture.show("hud_1920x1080.png");
  // The right half stays the program's.
  for (int y = 0; y < 1080; y += 8)
    EXPECT_EQ(picture.at(1000, y), (Pixel{120, 140, 160, 255}));
}

TEST(View, ManyThousandRangesDrawAsFewRectangles) {
  ImguiScreen screen(1920, 1080);
  Scene scene;
  scene.options.width = 1900;
  scene.make_map(60, 48 * 1024);
  std::size_t cells = 0;
  for (const MapRow& row : scene.map.rows())
    cells += row.cell_count;
  ASSERT_GT(cells, 300'000u);
  const ImDrawData& data = screen.frames(3, [&] { scene.paint(); });
  EXPECT_LT(vertices(data), 4u * 45'000u);
  show(data, "hud_many.png");
  // A backend without vertex offsets can draw 65,536 vertices of a list.
  ImGui::GetIO().BackendFlags &= ~ImGuiBackendFlags_RendererHasVtxOffset;
  const ImDrawData& small = screen.frames(2, [&] { scene.paint(); });
  for (int i = 0; i < small.CmdListsCount; ++i) {
    EXPECT_LT(small.CmdLists[i]->VtxBuffer.Size, 65'536);
  }
}

TEST(View, AHeapOverItsBudgetIsAlarming) {
  ImguiScreen screen(960, 540);
  Scene scene;
  scene.recorder = {};  // no driver calls, the other thing that is red
  const std::size_t before =
      rasterize(screen.frames(3, [&] { scene.paint(); }), kSky).count(palette::kAlarm, 3);
  scene.figures.heaps[0].budget.budget = 2 * kGiB;
  const Picture picture = rasterize(screen.frames(3, [&] { scene.paint(); }), kSky);
  picture.show("hud_over_budget.png");
  EXPECT_GT(picture.count(palette::kAlarm, 3), before + 300);
}

TEST(View, NothingAllocatedYetIsDrawable) {
  ImguiScreen screen(640, 360);
  const Figures figures;
  const Recorder recorder;
  const BlockMap map;
  ViewState state;
  const ImDrawData& data = screen.frames(3, [&] {
    show_window({figures, recorder, map}, "Quarry", {}, state);
  });
  EXPECT_GT(vertices(data), 100u);
  show(data, "hud_empty.png");
}

TEST(View, HoveringACellNamesIt) {
  ImguiScreen screen(960, 540);
  Scene scene;
  scene.make_map(12, 64 * kMiB);
  const std::size_t still = vertices(screen.frames(3, [&] { scene.paint(); }));
  // The lower right of the window is the map: one of two places half a line apart is in a line.
  std::size_t most = 0;
  for (const float y : {470.0f, 463.0f}) {
    screen.move_mouse(300, y);
    const ImDrawData& data = screen.frames(3, [&] { scene.paint(); });
    if (vertices(data) > most) show(data, "hud_hover_cell.png");
    most = std::max(most, vertices(data));
  }
  EXPECT_GT(most, still + 4 * 20);
}

TEST(View, ReportsWhetherTheMapIsWanted) {
  ImguiScreen screen(960, 540);
  Scene scene;
  screen.frame([&] { scene.paint(); });
  EXPECT_TRUE(scene.state.blocks_open);
  EXPECT_TRUE(scene.state.tags_open);
  scene.options.show_blocks = scene.options.show_tags = false;
  screen.frame([&] { scene.paint(); });
  EXPECT_FALSE(scene.state.blocks_open);
  EXPECT_FALSE(scene.state.tags_open);
  scene.options.show_blocks = true;
  screen.frame([&] {
    ImGui::SetNextWindowCollapsed(true);
    scene.paint();
  });
  screen.frame([&] { scene.paint(); });
  EXPECT_FALSE(scene.state.blocks_open) << "a folded window wants no map";
}

TEST(View, HoveringATagMarksItsCells) {
  ImguiScreen screen(960, 540);
  Scene scene;
  scene.make_map(12, 12 * kMiB);
  screen.frames(3, [&] { scene.paint(); });
  bool marked = false;
  for (float y = 150; y < 400 && !marked; y += 6) {
    screen.move_mouse(60, y);
    screen.frames(2, [&] { scene.paint(); });
    marked = scene.state.marked.index == 1;
  }
  ASSERT_TRUE(marked);
  const Picture picture = rasterize(screen.frame([&] { scene.paint(); }), kSky);
  picture.show("hud_marked.png");
  EXPECT_GT(picture.count(palette::kMarked, 3), 500u);
}

}  // namespace
}  // namespace quarry::hud
