// SPDX-License-Identifier: MIT
// Quotas of tags on every path that memory is had on: exactly usable, never exceeded.
#include <cstdint>
#include <latch>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "heap/defragmentation_rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::kKiB;
using fakes::kMiB;

Tag tag_of(Rig& rig, std::string_view name) {
  const auto tag = rig.allocator.register_tag(name);
  EXPECT_TRUE(tag);
  return tag ? *tag : Tag{};
}

TEST(TagTree, ATagIsMadeTogetherWithThoseAbove) {
  Rig rig(fakes::profiles::discrete());
  const Tag terrain = tag_of(rig, "renderer/textures/terrain");
  EXPECT_EQ(rig.allocator.tag_count(), 3u);
  const Tag textures = rig.allocator.tag_parent(terrain);
  EXPECT_STREQ(rig.allocator.tag_name(textures), "renderer/textures");
  const Tag renderer = rig.allocator.tag_parent(textures);
  EXPECT_STREQ(rig.allocator.tag_name(renderer), "renderer");
  EXPECT_EQ(rig.allocator.tag_parent(renderer), Tag{});
  EXPECT_EQ(tag_of(rig, "renderer/textures"), textures);
  EXPECT_EQ(rig.allocator.tag_parent(Tag{99}), Tag{});
  for (const char* bad : {"/a", "a/", "a//b", "/"})
    EXPECT_EQ(reason_of(rig.allocator.register_tag(bad)), Reason::bad_argument) << bad;
}

TEST(TagTree, FiguresHaveThoseBelowInThemAndCanBeReadWithout) {
  Rig rig(fakes::profiles::discrete());
  const Tag above = tag_of(rig, "a");
  const Tag below = tag_of(rig, "a/b");
  const Tag beside = tag_of(rig, "ab");
  std::vector<Allocation> live;
  const auto add = [&](VkDeviceSize size, Tag tag) {
    const auto made =
        rig.allocator.allocate(requirements(size), ResourceKind::linear, {.tag = tag});
    ASSERT_TRUE(made);
    live.push_back(*made);
  };
  for (const VkDeviceSize size : {4 * kKiB, 256 * kKiB, 8 * kMiB}) {
    add(size, below);
    add(size, above);
    add(size, beside);
  }
  constexpr VkDeviceSize kEach = 4 * kKiB + 256 * kKiB + 8 * kMiB;
  EXPECT_EQ(rig.allocator.tag_totals(above).allocation_bytes, 2 * kEach);
  EXPECT_EQ(rig.allocator.tag_totals(above).allocation_count, 6u);
  EXPECT_EQ(rig.allocator.tag_totals_alone(above).allocation_bytes, kEach);
  EXPECT_EQ(rig.allocator.tag_totals(below).allocation_bytes, kEach);
  EXPECT_EQ(rig.allocator.tag_totals(beside).allocation_bytes, kEach);
  EXPECT_EQ(rig.allocator.tag_totals(Tag{}).allocation_bytes, 0u);
  for (const Allocation allocation : live)
    ASSERT_TRUE(rig.allocator.free(allocation));
  EXPECT_EQ(rig.allocator.tag_totals(above).allocation_bytes, 0u);
  EXPECT_GE(rig.allocator.tag_totals(above).peak_allocation_bytes, 2 * kEach - 16 * kKiB);
  rig.allocator.reset_peaks();
  EXPECT_EQ(rig.allocator.tag_totals(above).peak_allocation_bytes, 0u);
}

/// A way to memory.
struct Path {
  const char* name;
  VkDeviceSize size;
  AllocationDesc desc{};
  bool pool = false;
};

void PrintTo(const Path& path, std::ostream* stream) {
  *stream << path.name;
}

class QuotaOnPath : public ::testing::TestWithParam<Path> {
 protected:
  void SetUp() override {
    desc.tag = below;
    if (!GetParam().pool) return;
    const auto made = rig.allocator.create_pool({.memory_type = 1});
    ASSERT_TRUE(made);
    desc.pool = *made;
  }
  void TearDown() override {
    for (const Allocation allocation : live)
      EXPECT_TRUE(rig.allocator.free(allocation));
    EXPECT_EQ(rig.allocator.tag_totals(above).allocation_bytes, 0u);
    EXPECT_EQ(rig.allocator.tag_totals(Tag{}).allocation_bytes, 0u);
    if (desc.pool) {
      EXPECT_TRUE(rig.allocator.destroy_pool(desc.pool));
    }
  }
  Result<Allocation> get() {
    auto made = rig.allocator.allocate(requirements(GetParam().size), ResourceKind::linear, desc);
    if (made) live.push_back(*made);
    return made;
  }
  void give() {
    ASSERT_TRUE(rig.allocator.free(live.back()));
    live.pop_back();
  }
  VkDeviceSize used() { return rig.allocator.tag_totals(above).allocation_bytes; }
  /// What one takes.
  VkDeviceSize reserved() {
    EXPECT_TRUE(get());
    const VkDeviceSize bytes = used();
    give();
    return bytes;
  }

  Rig rig{fakes::profiles::discrete()};
  const Tag above = tag_of(rig, "game/world");
  const Tag below = tag_of(rig, "game/world/trees");
  AllocationDesc desc = GetParam().desc;
  std::vector<Allocation> live;
};

TEST_P(QuotaOnPath, IsUsableToItsLastByteAndNotBeyond) {
  const VkDeviceSize each = reserved();
  ASSERT_TRUE(rig.allocator.set_quota(above, {.hard = 10 * each}));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(get()) << i;
    EXPECT_EQ(used(), 10 * each);
    const auto refused = get();
    ASSERT_EQ(reason_of(refused), Reason::over_quota);
    EXPECT_EQ(refused.error().tag, above.index);
    EXPECT_EQ(refused.error().code, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_EQ(refused.error().requested_bytes, GetParam().size);
    give();
    ASSERT_TRUE(get());
    EXPECT_EQ(reason_of(get()), Reason::over_quota);
    for (int i = 0; i < 10; ++i)
      give();
    EXPECT_EQ(used(), 0u);
  }
  EXPECT_LE(rig.allocator.tag_totals(above).peak_allocation_bytes, 10 * each);
  EXPECT_EQ(rig.allocator.counters().failed_allocations, 6u);
}

TEST_P(QuotaOnPath, HoldsForWhatWasThereBefore) {
  const VkDeviceSize each = reserved();
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(get());
  ASSERT_TRUE(rig.allocator.set_quota(below, {.hard = 6 * each}));
  EXPECT_TRUE(get());
  EXPECT_EQ(reason_of(get()), Reason::over_quota);
  ASSERT_TRUE(rig.allocator.set_quota(below, {.hard = 2 * each}));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(reason_of(get()), Reason::over_quota);
    give();
  }
  give();
  EXPECT_TRUE(get());
  EXPECT_EQ(reason_of(get()), Reason::over_quota);
  ASSERT_TRUE(rig.allocator.set_quota(below, {}));
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(get());
}

TEST_P(QuotaOnPath, WhatIsRoundedUpBeyondItLeavesNothingBehind) {
  const VkDeviceSize each = reserved();
  ASSERT_TRUE(rig.allocator.set_quota(above, {.hard = each - 1}));
  EXPECT_EQ(reason_of(get()), Reason::over_quota);
  EXPECT_EQ(used(), 0u);
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
}

TEST_P(QuotaOnPath, OthersAreNotHeldToIt) {
  ASSERT_TRUE(rig.allocator.set_quota(below, {.hard = 1}));
  EXPECT_EQ(reason_of(get()), Reason::over_quota);
  desc.tag = above;
  EXPECT_TRUE(get());
  desc.tag = {};
  EXPECT_TRUE(get());
}

TEST_P(QuotaOnPath, WhatWaitsForTheGpuCountsUntilItIsReached) {
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  ASSERT_TRUE(rig.allocator.set_quota(above, {.hard = reserved()}));
  ASSERT_TRUE(get());
  ASSERT_TRUE(rig.allocator.free_after(live.back(), {semaphore, 1}));
  live.pop_back();
  EXPECT_EQ(reason_of(get()), Reason::over_quota);
  rig.gpu.signal(semaphore, 1);
  EXPECT_TRUE(get()) << "it is collected";
}

INSTANTIATE_TEST_SUITE_P(
    Paths, QuotaOnPath,
    ::testing::Values(Path{"slot", 4000}, Path{"large_slot", 60'000}, Path{"range", 200'000},
                      Path{"large_range", 3'000'000},
                      Path{"dedicated", 5000, {.dedicated = Dedicated::always}},
                      Path{"named", 4000, {.name = "a name"}},
                      Path{"mapped", 4000, {.intent = MemoryIntent::upload, .mapped = true}},
                      Path{"pool", 4000, {}, true}),
    [](const auto& path) { return std::string(path.param.name); });

TEST(Quotas, AreForKnownTags) {
  Rig rig(fakes::profiles::discrete());
  EXPECT_EQ(reason_of(rig.allocator.set_quota(Tag{}, {.hard = 1})), Reason::bad_argument);
  EXPECT_EQ(reason_of(rig.allocator.set_quota(Tag{7}, {.hard = 1})), Reason::bad_argument);
  const Tag tag = tag_of(rig, "a");
  EXPECT_EQ(rig.allocator.quota(tag).hard, VK_WHOLE_SIZE);
  ASSERT_TRUE(rig.allocator.set_quota(tag, {.soft = 5, .hard = 9}));
  EXPECT_EQ(rig.allocator.quota(tag).soft, 5u);
  EXPECT_EQ(rig.allocator.quota(tag).hard, 9u);
}

TEST(Quotas, HoldForTagsThatAreMadeLater) {
  Rig rig(fakes::profiles::discrete());
  ASSERT_TRUE(rig.allocator.set_quota(tag_of(rig, "a"), {.hard = 100}));
  const Tag below = tag_of(rig, "a/b");
  EXPECT_EQ(
      reason_of(rig.allocator.allocate(requirements(4096), ResourceKind::linear, {.tag = below})),
      Reason::over_quota);
}

TEST(Quotas, WhatAnotherThreadWasGivenAheadIsCalledIn) {
  Rig rig(fakes::profiles::discrete());
  const Tag tag = tag_of(rig, "a/b");
  ASSERT_TRUE(rig.allocator.set_quota(rig.allocator.tag_parent(tag), {.hard = 16 * 4 * kKiB}));
  const auto get = [&] {
    return rig.allocator.allocate(requirements(4 * kKiB), ResourceKind::linear, {.tag = tag});
  };
  std::latch given(1);
  std::latch done(1);
  std::thread other([&] {
    const auto made = get();
    EXPECT_TRUE(made && rig.allocator.free(*made));
    given.count_down();
    done.wait();
  });
  given.wait();
  EXPECT_EQ(rig.allocator.tag_totals(tag).allocation_bytes, 0u);
  EXPECT_EQ(rig.allocator.tag_totals_alone(tag).allocation_bytes, 0u);
  EXPECT_EQ(rig.allocator.tag_totals(Tag{}).allocation_bytes, 0u);
  std::vector<Allocation> live;
  for (int i = 0; i < 16; ++i) {
    const auto made = get();
    ASSERT_TRUE(made) << i;
    live.push_back(*made);
  }
  EXPECT_EQ(reason_of(get()), Reason::over_quota);
  done.count_down();
  other.join();
  for (const Allocation allocation : live)
    EXPECT_TRUE(rig.allocator.free(allocation));
}

TEST(Quotas, LeaveTheResourceOfARefusedRequestNowhere) {
  Rig rig(fakes::profiles::discrete());
  const Tag tag = tag_of(rig, "a");
  ASSERT_TRUE(rig.allocator.set_quota(tag, {.hard = 100}));
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(4096), {.tag = tag})),
            Reason::over_quota);
  EXPECT_EQ(rig.gpu.live().buffers, 0u);
}

TEST(Quotas, OfAFullTagDoNotStandInTheWayOfItsMoves) {
  DefragmentationRig rig;
  const Tag tag = tag_of(rig, "a");
  for (int i = 0; i < 32; ++i)
    ASSERT_NO_FATAL_FAILURE(rig.add_buffer(kMiB / 2, {.movable = true, .tag = tag}));
  rig.destroy_every_other();
  const VkDeviceSize full = rig.allocator.tag_totals(tag).allocation_bytes;
  ASSERT_TRUE(rig.allocator.set_quota(tag, {.hard = full}));
  {
    auto pass = Defragmentation::begin(rig.allocator, {});
    ASSERT_TRUE(pass);
    EXPECT_GT(pass->planned_bytes(), 0u);
    rig.run(*pass);
    EXPECT_EQ(pass->figures().failed, 0u);
  }
  EXPECT_EQ(rig.allocator.tag_totals(tag).allocation_bytes, full);
  rig.expect_contents();
  rig.destroy_all();
}

TEST(Quotas, OfAFullTagAllowWhatFollowsItsOwnMemoryEarly) {
  Rig rig(fakes::profiles::discrete());
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  const Tag tag = tag_of(rig, "a");
  ASSERT_TRUE(rig.allocator.set_quota(tag, {.hard = kMiB + 300 * kKiB}));
  const auto first = rig.allocator.allocate(requirements(kMiB), ResourceKind::linear, {.tag = tag});
  ASSERT_TRUE(first);
  ASSERT_TRUE(rig.allocator.free_after(*first, {semaphore, 1, 0}));
  // Another tag's memory that is too large: handed over and given back, still waiting.
  const auto other = rig.allocator.allocate(requirements(330 * kKiB), ResourceKind::linear);
  ASSERT_TRUE(other);
  ASSERT_TRUE(rig.allocator.free_after(*other, {semaphore, 1, 0}));
  EXPECT_EQ(reason_of(rig.allocator.allocate_ordered(requirements(300 * kKiB), ResourceKind::linear,
                                                     {.tag = tag}, {.queue = 0})),
            Reason::over_quota);
  EXPECT_EQ(rig.allocator.pending_frees().count, 2u);
  rig.gpu.signal(semaphore, 1);
  ASSERT_TRUE(rig.allocator.collect());
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  EXPECT_EQ(rig.allocator.tag_totals(tag).allocation_bytes, 0u);
}

TEST(Quotas, ASoftOneIsToldOnceForEachCrossing) {
  std::vector<QuotaCrossing> told;
  Rig rig(fakes::profiles::discrete(), [&](AllocatorDesc& desc) {
    desc.quotas.hysteresis = 0.25;
    desc.quotas.on_soft_quota = [](void* user, const QuotaCrossing& crossing) {
      static_cast<std::vector<QuotaCrossing>*>(user)->push_back(crossing);
    };
    desc.quotas.user = &told;
  });
  const Tag above = tag_of(rig, "a");
  const Tag below = tag_of(rig, "a/b");
  ASSERT_TRUE(rig.allocator.set_quota(above, {.soft = 16 * kKiB}));
  std::vector<Allocation> live;
  const auto hold = [&](std::size_t count) {
    while (live.size() < count) {
      const auto made =
          rig.allocator.allocate(requirements(4 * kKiB), ResourceKind::linear, {.tag = below});
      ASSERT_TRUE(made);
      live.push_back(*made);
    }
    for (; live.size() > count; live.pop_back())
      ASSERT_TRUE(rig.allocator.free(live.back()));
    rig.allocator.tick();
  };
  hold(3);
  EXPECT_EQ(told.size(), 0u);
  hold(4);
  hold(5);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].reached);
  EXPECT_EQ(told[0].tag, above);
  EXPECT_EQ(told[0].bytes, 16 * kKiB);
  hold(3);
  EXPECT_EQ(told.size(), 1u) << "within the hysteresis";
  hold(4);
  EXPECT_EQ(told.size(), 1u);
  hold(2);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_FALSE(told[1].reached);
  hold(4);
  EXPECT_EQ(told.size(), 3u);
  ASSERT_TRUE(rig.allocator.set_quota(above, {}));
  hold(0);
  EXPECT_EQ(told.size(), 3u);
}

}  // namespace
}  // namespace quarry::test
