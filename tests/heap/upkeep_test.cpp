// SPDX-License-Identifier: MIT
#include "heap/upkeep.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::image_info;
using fakes::kGiB;
using fakes::kMiB;

void leave_empty_block(Rig& rig, VkDeviceSize bytes, Lifetime lifetime = Lifetime::unspecified) {
  const auto buffer = rig.allocator.create_buffer(buffer_info(bytes), {.lifetime = lifetime});
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(rig.allocator.destroy(*buffer));
}

// ---- Retention and trimming

TEST(Upkeep, EmptyBlocksAreKeptForTheirTimeAndNoLonger) {
  Rig rig(fakes::profiles::discrete());
  leave_empty_block(rig, 1 * kMiB);
  rig.now += 15'000;
  leave_empty_block(rig, 1 * kMiB, Lifetime::short_lived);
  rig.now += 4'999;
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 2u);
  rig.now += 1;
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 1u);
  rig.now += 15'000;
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(Upkeep, ABlockInUseStartsAnewWhenItIsEmptyAgain) {
  Rig rig(fakes::profiles::discrete());
  leave_empty_block(rig, 1 * kMiB);
  rig.now += 19'000;
  leave_empty_block(rig, 1 * kMiB);
  rig.now += 19'000;
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 1u);
  EXPECT_EQ(rig.driver_allocations(), 1u);
}

TEST(Upkeep, AClockThatBeganAMomentAgoIsNotHeldAgainstABlock) {
  Rig rig(fakes::profiles::discrete());
  rig.now = 5;
  leave_empty_block(rig, 1 * kMiB);
  rig.now = 100;
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 1u);
}

TEST(Upkeep, NoTimeAtAllMeansTheNextTick) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.blocks.retained_milliseconds = 0; });
  leave_empty_block(rig, 1 * kMiB);
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(Upkeep, EmptyBlocksBeyondTheRetainedBytesGoLongestEmptyFirst) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.blocks.retained_bytes = 10 * kMiB; });
  leave_empty_block(rig, 4 * kMiB, Lifetime::short_lived);
  rig.now += 1;
  leave_empty_block(rig, 4 * kMiB, Lifetime::long_lived);
  EXPECT_EQ(rig.gpu.live().memories, 2u);
  rig.now += 1;
  leave_empty_block(rig, 4 * kMiB, Lifetime::unspecified);
  EXPECT_EQ(rig.gpu.live().memories, 2u);
  // The short-lived one went: it must be made again, the long-lived one not.
  rig.gpu.reset_calls();
  const auto kept =
      rig.allocator.create_buffer(buffer_info(2 * kMiB), {.lifetime = Lifetime::long_lived});
  EXPECT_EQ(rig.driver_allocations(), 0u);
  const auto gone =
      rig.allocator.create_buffer(buffer_info(2 * kMiB), {.lifetime = Lifetime::short_lived});
  EXPECT_EQ(rig.driver_allocations(), 1u);
  ASSERT_TRUE(kept && gone);
  EXPECT_TRUE(rig.allocator.destroy(*kept));
  EXPECT_TRUE(rig.allocator.destroy(*gone));
}

TEST(Upkeep, NothingRetainedMeansThatAnEmptyBlockGoesAtOnce) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) { desc.blocks.retained_bytes = 0; });
  leave_empty_block(rig, 1 * kMiB);
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(Upkeep, RetentionIsCountedForEachHeap) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.blocks.retained_bytes = 4 * kMiB; });
  leave_empty_block(rig, 1 * kMiB);
  const auto host =
      rig.allocator.create_buffer(buffer_info(1 * kMiB), {.intent = MemoryIntent::upload});
  ASSERT_TRUE(host);
  ASSERT_TRUE(rig.allocator.destroy(*host));
  EXPECT_EQ(rig.gpu.live().memories, 2u);
}

TEST(Upkeep, TrimGivesBackWhatIsEmptyAndSaysHowMuch) {
  Rig rig(fakes::profiles::discrete());
  const auto kept = rig.allocator.create_buffer(buffer_info(3 * kMiB));
  ASSERT_TRUE(kept);
  leave_empty_block(rig, 3 * kMiB);
  leave_empty_block(rig, 1 * kMiB, Lifetime::short_lived);
  ASSERT_EQ(rig.gpu.live().memories, 3u);
  // The next block after one of 3 MiB, for such a request; and a first one.
  EXPECT_EQ(rig.allocator.trim(), 3 * kMiB + 4 * kMiB);
  EXPECT_EQ(rig.gpu.live().memories, 1u);
  EXPECT_EQ(rig.allocator.trim(), 0u);
  EXPECT_TRUE(rig.allocator.destroy(*kept));
}

TEST(Upkeep, WhatWasPrefetchedNeedsNoDriverCall) {
  Rig rig(fakes::profiles::discrete());
  const auto made = rig.allocator.prefetch(100 * kMiB, ResourceKind::linear);
  ASSERT_TRUE(made);
  EXPECT_GE(*made, 100 * kMiB);
  EXPECT_EQ(rig.allocator.totals().block_bytes, *made);
  const std::uint64_t calls = rig.driver_allocations();
  EXPECT_GT(calls, 0u);
  std::vector<Buffer> buffers;
  for (int i = 0; i < 12; ++i) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(8 * kMiB));
    ASSERT_TRUE(buffer);
    buffers.push_back(*buffer);
  }
  EXPECT_EQ(rig.driver_allocations(), calls);
  EXPECT_EQ(*rig.allocator.prefetch(1, ResourceKind::linear) != 0, true) << "small ones apart";
  EXPECT_EQ(*rig.allocator.prefetch(1, ResourceKind::linear), 0u) << "it is there";
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  EXPECT_EQ(rig.allocator.trim(), rig.allocator.totals().peak_block_bytes);
}

TEST(Upkeep, PrefetchStaysWithinTheBudgetAndRefusesNonsense) {
  fakes::FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = 128 * kMiB;
  Rig rig(profile, [](AllocatorDesc& desc) { desc.assumed_budget_share = 0.5; });
  EXPECT_EQ(reason_of(rig.allocator.prefetch(80 * kMiB, ResourceKind::linear)),
            Reason::over_budget);
  EXPECT_LE(rig.gpu.used_bytes(0), 64 * kMiB);
  EXPECT_EQ(*rig.allocator.prefetch(0, ResourceKind::linear), 0u);
  EXPECT_EQ(reason_of(rig.allocator.prefetch(1, static_cast<ResourceKind>(9))),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(rig.allocator.prefetch(1, ResourceKind::linear, {.tag = {77}})),
            Reason::bad_argument);
  const auto pool = rig.allocator.create_pool({});
  ASSERT_TRUE(pool);
  EXPECT_EQ(reason_of(rig.allocator.prefetch(1, ResourceKind::linear, {.pool = *pool})),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(rig.allocator.prefetch(1, ResourceKind::linear, {.memory_type_bits = 0})),
            Reason::no_memory_type);
}

TEST(Upkeep, SteadyStateMakesNoDriverCall) {
  Rig rig(fakes::profiles::discrete());
  const auto frame = [&] {
    std::vector<Buffer> buffers;
    std::vector<Image> images;
    for (int i = 0; i < 20; ++i) {
      buffers.push_back(*rig.allocator.create_buffer(buffer_info(300'000)));
      images.push_back(*rig.allocator.create_image(image_info(256, 256)));
    }
    for (const Buffer& buffer : buffers)
      EXPECT_TRUE(rig.allocator.destroy(buffer));
    for (const Image& image : images)
      EXPECT_TRUE(rig.allocator.destroy(image));
    rig.now += 16;
    rig.allocator.tick();
  };
  frame();
  rig.gpu.reset_calls();
  for (int i = 0; i < 100; ++i)
    frame();
  EXPECT_EQ(rig.driver_allocations(), 0u);
  EXPECT_EQ(rig.gpu.calls(fakes::Function::free_memory), 0u);
}

// ---- Budgets and limits

TEST(Upkeep, BudgetsFillWhatThereIsRoomFor) {
  Rig rig(fakes::profiles::discrete());
  std::array<HeapBudget, 5> heaps{};
  EXPECT_EQ(rig.allocator.budgets({}), 3u);
  EXPECT_EQ(rig.allocator.budgets(std::span(heaps).first(2)), 3u);
  EXPECT_EQ(heaps[1].size, 16 * kGiB);
  EXPECT_EQ(heaps[2].size, 0u);
  EXPECT_EQ(rig.allocator.budgets(heaps), 3u);
  EXPECT_EQ(heaps[2].size, 256 * kMiB);
  EXPECT_EQ(heaps[3].size, 0u);
}

TEST(Upkeep, BudgetFiguresFollowTheDriverAtTicksAndOwnChangesAtOnce) {
  Rig rig(fakes::profiles::discrete());
  const auto device_heap = [&] {
    std::array<HeapBudget, 3> heaps{};
    rig.allocator.budgets(heaps);
    return heaps[0];
  };
  EXPECT_TRUE(device_heap().from_driver);
  EXPECT_EQ(device_heap().usage, 0u);
  EXPECT_EQ(device_heap().flags, VkMemoryHeapFlags{VK_MEMORY_HEAP_DEVICE_LOCAL_BIT});
  const VkDeviceSize before = device_heap().budget;
  const auto buffer = rig.allocator.create_buffer(buffer_info(1 * kMiB));
  ASSERT_TRUE(buffer);
  EXPECT_EQ(device_heap().own_bytes, 4 * kMiB);
  EXPECT_EQ(device_heap().usage, 4 * kMiB);
  rig.gpu.set_outside_bytes(0, 500 * kMiB);
  EXPECT_EQ(device_heap().budget, before);
  rig.allocator.tick();
  EXPECT_LT(device_heap().budget, before);
  EXPECT_EQ(rig.allocator.counters().driver_budget_queries, 2u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Upkeep, WithoutTheExtensionAShareOfTheHeapIsTheBudget) {
  Rig rig(fakes::profiles::single_type());
  std::array<HeapBudget, 1> heaps{};
  rig.allocator.budgets(heaps);
  EXPECT_FALSE(heaps[0].from_driver);
  EXPECT_NEAR(static_cast<double>(heaps[0].budget), 0.8 * static_cast<double>(heaps[0].size), 1.0);
}

TEST(Upkeep, HeapLimitsHoldOnEveryPath) {
  const std::array<VkDeviceSize, 1> limits{20 * kMiB};
  Rig rig(fakes::profiles::single_type(), [&](AllocatorDesc& desc) { desc.heap_limits = limits; });
  const auto pool = rig.allocator.create_pool({.block_bytes = 16 * kMiB});
  ASSERT_TRUE(pool);
  const auto held = rig.allocator.create_buffer(buffer_info(12 * kMiB));
  ASSERT_TRUE(held);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(10 * kMiB))), Reason::over_limit);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(10 * kMiB),
                                                  {.dedicated = Dedicated::always})),
            Reason::over_limit);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(16), {.pool = *pool})),
            Reason::over_limit);
  EXPECT_LE(rig.gpu.used_bytes(0), 20 * kMiB);
  std::array<HeapBudget, 1> heaps{};
  rig.allocator.budgets(heaps);
  EXPECT_EQ(heaps[0].limit, 20 * kMiB);
  EXPECT_EQ(heaps[0].budget, 20 * kMiB);

  EXPECT_TRUE(rig.allocator.set_heap_limit(0, VK_WHOLE_SIZE));
  const auto more = rig.allocator.create_buffer(buffer_info(10 * kMiB));
  ASSERT_TRUE(more);
  EXPECT_TRUE(rig.allocator.destroy(*more));
  EXPECT_TRUE(rig.allocator.destroy(*held));
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Upkeep, ALimitBelowWhatIsHeldTakesNothingBack) {
  Rig rig(fakes::profiles::single_type());
  const auto held = rig.allocator.create_buffer(buffer_info(200 * fakes::kKiB));
  ASSERT_TRUE(held);
  EXPECT_TRUE(rig.allocator.set_heap_limit(0, 0));
  const auto within = rig.allocator.create_buffer(buffer_info(512));
  EXPECT_TRUE(within) << "the block that is there has room";
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(2 * kMiB))), Reason::over_limit);
  EXPECT_TRUE(rig.allocator.destroy(*within));
  EXPECT_TRUE(rig.allocator.destroy(*held));
}

TEST(Upkeep, AHeapThatDoesNotExistHasNoLimitAndNoFigures) {
  Rig rig(fakes::profiles::single_type());
  EXPECT_EQ(reason_of(rig.allocator.set_heap_limit(1, 0)), Reason::bad_argument);
  EXPECT_EQ(reason_of(rig.allocator.set_heap_limit(~0u, 0)), Reason::bad_argument);
  for (const std::uint32_t index : {1u, 16u, 32u, ~0u}) {
    EXPECT_EQ(rig.allocator.heap_totals(index).block_count, 0u);
    EXPECT_EQ(rig.allocator.memory_type_totals(index).block_count, 0u);
    EXPECT_EQ(rig.allocator.detailed_heap_statistics(index).free_bytes, 0u);
  }
}

// ---- Totals and counters

TEST(Upkeep, TotalsAreKeptForEachScope) {
  Rig rig(fakes::profiles::discrete());
  const auto tag = rig.allocator.register_tag("textures");
  ASSERT_TRUE(tag);
  const auto device = rig.allocator.create_buffer(buffer_info(1'024), {.tag = *tag});
  const auto host =
      rig.allocator.create_buffer(buffer_info(2'048), {.intent = MemoryIntent::upload});
  const auto own = rig.allocator.create_buffer(buffer_info(4'096),
                                               {.dedicated = Dedicated::always, .tag = *tag});
  ASSERT_TRUE(device && host && own);
  const Totals all = rig.allocator.totals();
  EXPECT_EQ(all.allocation_count, 3u);
  EXPECT_EQ(all.allocation_bytes, 1'024u + 2'048u + 4'096u);
  EXPECT_EQ(all.block_count, 3u);
  EXPECT_EQ(all.dedicated_count, 1u);
  EXPECT_EQ(all.block_bytes, 8 * kMiB + 4'096);
  EXPECT_EQ(rig.allocator.heap_totals(0).allocation_bytes, 1'024u + 4'096u);
  EXPECT_EQ(rig.allocator.heap_totals(1).allocation_bytes, 2'048u);
  EXPECT_EQ(rig.allocator.memory_type_totals(1).block_bytes, 4 * kMiB + 4'096);
  EXPECT_EQ(rig.allocator.memory_type_totals(2).allocation_count, 1u);
  EXPECT_EQ(rig.allocator.tag_totals(*tag).allocation_bytes, 1'024u + 4'096u);
  EXPECT_EQ(rig.allocator.tag_totals(*tag).block_bytes, 0u);
  EXPECT_EQ(rig.allocator.tag_totals({}).allocation_bytes, 2'048u);
  for (const Buffer& buffer : {*device, *host, *own})
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  EXPECT_EQ(rig.allocator.tag_totals(*tag).allocation_count, 0u);
}

TEST(Upkeep, PeaksStayUntilTheyAreReset) {
  Rig rig(fakes::profiles::discrete());
  const auto tag = rig.allocator.register_tag("a");
  const auto pool = rig.allocator.create_pool({.memory_type = 1, .block_bytes = 1 * kMiB});
  ASSERT_TRUE(tag && pool);
  const auto large =
      rig.allocator.create_buffer(buffer_info(512 * 1'024), {.tag = *tag, .pool = *pool});
  ASSERT_TRUE(large);
  ASSERT_TRUE(rig.allocator.destroy(*large));
  EXPECT_EQ(rig.allocator.trim(), 1 * kMiB);
  const auto peaks = [&] {
    return std::array<Totals, 5>{rig.allocator.totals(), rig.allocator.heap_totals(0),
                                 rig.allocator.memory_type_totals(1),
                                 *rig.allocator.pool_totals(*pool), rig.allocator.tag_totals(*tag)};
  };
  for (const Totals& totals : peaks()) {
    EXPECT_EQ(totals.allocation_bytes, 0u);
    EXPECT_EQ(totals.peak_allocation_bytes, 512u * 1'024u);
  }
  EXPECT_EQ(rig.allocator.totals().peak_block_bytes, 1 * kMiB);
  const auto small = rig.allocator.create_buffer(buffer_info(256), {.tag = *tag, .pool = *pool});
  ASSERT_TRUE(small);
  rig.allocator.reset_peaks();
  for (const Totals& totals : peaks())
    EXPECT_EQ(totals.peak_allocation_bytes, 256u);
  EXPECT_TRUE(rig.allocator.destroy(*small));
  for (const Totals& totals : peaks())
    EXPECT_EQ(totals.peak_allocation_bytes, 256u);
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Upkeep, CountersOnlyGrow) {
  Rig rig(fakes::profiles::single_type());
  const auto buffer = rig.allocator.create_buffer(buffer_info(100), {.mapped = true});
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  EXPECT_GT(rig.allocator.trim(), 0u);
  const Counters counters = rig.allocator.counters();
  EXPECT_EQ(counters.allocations, 1u);
  EXPECT_EQ(counters.frees, 1u);
  EXPECT_EQ(counters.driver_allocations, 1u);
  EXPECT_EQ(counters.driver_frees, 1u);
  EXPECT_EQ(counters.driver_maps, 1u);
}

}  // namespace
}  // namespace quarry::test
