// SPDX-License-Identifier: MIT
// The draw calls over real allocators on the fake GPU, with ImGui's core and no backend.
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <quarry/hud.hpp>
#include <quarry/unique.hpp>

#include "fakes/counting_host_callbacks.hpp"
#include "fakes/create_infos.hpp"
#include "fakes/expect.hpp"
#include "fakes/fake_gpu.hpp"
#include "hud/imgui_screen.hpp"
#include "hud/palette.hpp"
#include "hud/picture.hpp"

namespace quarry::hud {
namespace {

using fakes::kMiB;

constexpr ImU32 kSky = IM_COL32(120, 140, 160, 255);

class Hud : public testing::Test {
 protected:
  void TearDown() override {
    buffers.clear();
    allocator = Allocator();
    fakes::expect_clean_end(gpu);
  }

  Allocator make_allocator() {
    AllocatorDesc desc = gpu.allocator_desc();
    desc.host_callbacks = host.callbacks();
    return Allocator::create(desc).value();
  }
  void fill(Allocator& target, std::size_t count, VkDeviceSize size) {
    AllocationDesc desc;
    desc.name = "filling";
    desc.tag = target.register_tag("tag of the test").value();
    for (std::size_t i = 0; i < count; ++i) {
      buffers.emplace_back(target, target.create_buffer(fakes::buffer_info(size), desc).value());
    }
  }
  /// Calls for host memory that one frame makes of the allocator's callbacks.
  template <class Paint>
  std::uint64_t host_calls(Paint&& paint) {
    const std::uint64_t before = host.allocations();
    screen.frame(paint);
    return host.allocations() - before;
  }

  fakes::FakeGpu gpu{fakes::profiles::discrete()};
  fakes::CountingHostCallbacks host;
  Allocator allocator = make_allocator();
  std::vector<UniqueBuffer> buffers;
  ImguiScreen screen{960, 540};
};

TEST_F(Hud, OneCallShowsAllocatorWithBlocksAndTags) {
  fill(allocator, 50, kMiB);
  const ImDrawData& data = screen.frames(3, [&] { draw(allocator); });
  const Picture picture = rasterize(data, kSky);
  picture.show("hud_fake.png");
  EXPECT_GT(picture.count(palette::kUsed, 3), 3'000u);
  EXPECT_GT(picture.count(palette::kFree, 3), 100u);
  EXPECT_GT(picture.count(palette::kReserved, 3), 1'000u) << "the tag's bar";
}

TEST_F(Hud, DrawingMakesNoDriverCall) {
  fill(allocator, 20, kMiB);
  const std::uint64_t before = gpu.calls();
  screen.frames(5, [&] { draw(allocator); });
  EXPECT_EQ(gpu.calls(), before);
}

TEST_F(Hud, AnEmptyAllocatorAndNoneAtAllAreDrawable) {
  Allocator none;
  History history;
  Options options;
  options.title = "none";
  const ImDrawData& data = screen.frames(3, [&] {
    draw(allocator);
    draw(none, history, options);
  });
  EXPECT_GT(data.TotalVtxCount, 0);
  EXPECT_NE(ImGui::FindWindowByName("none"), nullptr);
}

TEST_F(Hud, TwoAllocatorsAtOnceHaveWindowsAndHistoriesOfTheirOwn) {
  Allocator second = make_allocator();
  const auto paint = [&] {
    draw(allocator);
    draw(second);
  };
  screen.frames(3, paint);
  ASSERT_NE(ImGui::FindWindowByName("Quarry"), nullptr);
  ASSERT_NE(ImGui::FindWindowByName("Quarry 2"), nullptr);
  // The first allocates anew in each frame; only its plot shows vkAllocateMemory.
  for (int i = 0; i < 30; ++i) {
    fill(allocator, 1, 64 * kMiB);
    screen.frame(paint);
  }
  const Picture picture = rasterize(*ImGui::GetDrawData(), kSky);
  picture.show("hud_two.png");
  Picture left{480, 540, {}};
  Picture right{480, 540, {}};
  for (int y = 0; y < 540; ++y) {
    for (int x = 0; x < 960; ++x)
      (x < 480 ? left : right).pixels.push_back(picture.at(x, y));
  }
  // The legend of each window is a small red square.
  EXPECT_GT(left.count(palette::kAlarm, 3), right.count(palette::kAlarm, 3) + 100);
}

TEST_F(Hud, ASnapshotIsTakenOnlyWhileTheMapIsShown) {
  fill(allocator, 20, kMiB);
  History history;
  Options options;
  options.snapshot_seconds = 0;
  options.show_blocks = false;
  const auto paint = [&] { draw(allocator, history, options); };
  screen.frames(2, paint);
  EXPECT_EQ(host_calls(paint), 0u);
  options.show_blocks = true;
  screen.frames(2, paint);
  EXPECT_GT(host_calls(paint), 0u);
  ImGui::SetWindowCollapsed("Quarry", true);
  screen.frames(2, paint);
  EXPECT_EQ(host_calls(paint), 0u) << "a folded window needs none";
}

TEST_F(Hud, TheMapIsRenewedAtItsInterval) {
  fill(allocator, 20, kMiB);
  History history;
  Options options;
  options.snapshot_seconds = 10.5 / 60.0;  // a frame takes 1/60 s
  const auto paint = [&] { draw(allocator, history, options); };
  screen.frame(paint);
  int renewed = 0;
  for (int i = 0; i < 22; ++i)
    renewed += host_calls(paint) > 0 ? 1 : 0;
  EXPECT_EQ(renewed, 2);
}

TEST_F(Hud, WithoutHostMemoryTheOldMapStays) {
  fill(allocator, 50, kMiB);
  History history;
  Options options;
  options.snapshot_seconds = 0;
  const auto paint = [&] { draw(allocator, history, options); };
  // Until the plot is full it gains a column in each frame.
  const int whole = screen.frames(250, paint).TotalVtxCount;
  host.fail(1, 1'000'000);
  EXPECT_EQ(screen.frames(3, paint).TotalVtxCount, whole);
  host.succeed();
}

TEST_F(Hud, AClosedWindowDrawsAndRecordsNothing) {
  bool open = false;
  Options options;
  options.open = &open;
  History history;
  const ImDrawData& data = screen.frames(3, [&] { draw(allocator, history, options); });
  EXPECT_EQ(data.TotalVtxCount, 0);
  EXPECT_EQ(ImGui::FindWindowByName("Quarry"), nullptr);
}

TEST_F(Hud, AHistoryThatWasMovedFromStartsAnew) {
  History history;
  screen.frame([&] { draw(allocator, history); });
  History other = std::move(history);
  // NOLINTNEXTLINE(bugprone-use-after-move)
  const ImDrawData& data = screen.frames(2, [&] { draw(allocator, history); });
  EXPECT_GT(data.TotalVtxCount, 0);
}

TEST_F(Hud, MoreAllocatorsThanAreKeptStillDraw) {
  std::vector<Allocator> many;
  many.reserve(20);
  for (int i = 0; i < 20; ++i)
    many.push_back(make_allocator());
  const ImDrawData& data = screen.frames(2, [&] {
    for (const Allocator& each : many)
      draw(each);
  });
  EXPECT_GT(data.TotalVtxCount, 0);
}

}  // namespace
}  // namespace quarry::hud
