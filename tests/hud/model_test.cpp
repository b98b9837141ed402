// SPDX-License-Identifier: MIT
#include "hud/model.hpp"

#include <gtest/gtest.h>

namespace quarry::hud {
namespace {

Totals totals(VkDeviceSize used, VkDeviceSize reserved) {
  Totals result;
  result.allocation_bytes = used;
  result.block_bytes = reserved;
  return result;
}

Counters counters(std::uint64_t allocations, std::uint64_t uploaded = 0) {
  Counters result;
  result.allocations = allocations;
  result.uploaded_bytes = uploaded;
  return result;
}

TEST(Difference, IsTakenMemberByMember) {
  const Counters before{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const Counters now{11, 22, 33, 44, 55, 66, 77, 88, 99, 110};
  Counters result;
  ASSERT_TRUE(difference(now, before, result));
  EXPECT_EQ(result.allocations, 10u);
  EXPECT_EQ(result.frees, 20u);
  EXPECT_EQ(result.driver_allocations, 30u);
  EXPECT_EQ(result.driver_frees, 40u);
  EXPECT_EQ(result.driver_maps, 50u);
  EXPECT_EQ(result.driver_budget_queries, 60u);
  EXPECT_EQ(result.failed_allocations, 70u);
  EXPECT_EQ(result.uploaded_bytes, 80u);
  EXPECT_EQ(result.moves, 90u);
  EXPECT_EQ(result.moved_bytes, 100u);
}

TEST(Difference, IsRefusedWhenAnyCounterWentBack) {
  Counters result = counters(3);
  EXPECT_FALSE(difference(counters(9, 1), counters(1, 2), result));
  EXPECT_EQ(result.allocations, 0u);
}

TEST(Recorder, FirstSampleHasNoWork) {
  Recorder recorder;
  EXPECT_EQ(recorder.size(), 0u);
  EXPECT_EQ(recorder.latest().used, 0u);
  recorder.record(totals(5, 10), counters(1000));
  ASSERT_EQ(recorder.size(), 1u);
  EXPECT_EQ(recorder.latest().work.allocations, 0u);
  EXPECT_EQ(recorder.latest().used, 5u);
  EXPECT_EQ(recorder.latest().reserved, 10u);
}

TEST(Recorder, WorkIsWhatWasDoneSinceTheCallBefore) {
  Recorder recorder;
  recorder.record(totals(0, 0), counters(1000, 50));
  recorder.record(totals(0, 0), counters(1012, 50));
  EXPECT_EQ(recorder.latest().work.allocations, 12u);
  EXPECT_EQ(recorder.latest().work.uploaded_bytes, 0u);
  recorder.record(totals(0, 0), counters(1012, 90));
  EXPECT_EQ(recorder.latest().work.allocations, 0u);
  EXPECT_EQ(recorder.latest().work.uploaded_bytes, 40u);
}

TEST(Recorder, KeepsTheLatestInOrder) {
  Recorder recorder;
  constexpr std::uint64_t kCalls = Recorder::kCapacity + 17;
  for (std::uint64_t i = 0; i < kCalls; ++i)
    recorder.record(totals(i, i), counters(i));
  ASSERT_EQ(recorder.size(), Recorder::kCapacity);
  for (std::size_t i = 0; i < recorder.size(); ++i)
    EXPECT_EQ(recorder[i].used, 17 + i);
  EXPECT_EQ(recorder.latest().used, kCalls - 1);
}

TEST(Recorder, StartsAnewWhenTheCountersGoBack) {
  Recorder recorder;
  for (std::uint64_t i = 0; i < 300; ++i)
    recorder.record(totals(1, 1), counters(i));
  recorder.record(totals(2, 2), counters(3));
  ASSERT_EQ(recorder.size(), 1u);
  EXPECT_EQ(recorder.latest().used, 2u);
  EXPECT_EQ(recorder.latest().work.allocations, 0u);
  recorder.record(totals(2, 2), counters(5));
  EXPECT_EQ(recorder.latest().work.allocations, 2u);
}

TEST(Recorder, WorstIsTheLargestOfEachFigure) {
  Recorder recorder;
  recorder.record(totals(7, 9), counters(0, 0));
  recorder.record(totals(3, 20), counters(5, 0));
  recorder.record(totals(4, 10), counters(6, 800));
  const Sample worst = recorder.worst();
  EXPECT_EQ(worst.used, 7u);
  EXPECT_EQ(worst.reserved, 20u);
  EXPECT_EQ(worst.work.allocations, 5u);
  EXPECT_EQ(worst.work.uploaded_bytes, 800u);
}

TEST(Recorder, ForgetsWhatIsOlderThanItsCapacity) {
  Recorder recorder;
  recorder.record(totals(1'000'000, 1'000'000), counters(0));
  for (std::size_t i = 0; i < Recorder::kCapacity; ++i)
    recorder.record(totals(1, 1), counters(0));
  EXPECT_EQ(recorder.worst().used, 1u);
}

HeapRow heap(VkDeviceSize used, VkDeviceSize reserved, VkDeviceSize process, VkDeviceSize budget,
             VkDeviceSize peak) {
  HeapRow row;
  row.totals = totals(used, reserved);
  row.totals.peak_block_bytes = peak;
  row.budget.usage = process;
  row.budget.budget = budget;
  row.budget.size = 1000;
  return row;
}

TEST(HeapBar, IsDrawnAgainstTheBudget) {
  const HeapBar bar = heap_bar(heap(100, 200, 300, 400, 250));
  EXPECT_EQ(bar.scale, 400u);
  EXPECT_FLOAT_EQ(bar.used, 0.25f);
  EXPECT_FLOAT_EQ(bar.reserved, 0.5f);
  EXPECT_FLOAT_EQ(bar.process, 0.75f);
  EXPECT_FLOAT_EQ(bar.peak, 0.625f);
  EXPECT_FLOAT_EQ(bar.budget, 1.0f);
  EXPECT_FALSE(bar.over_budget);
}

TEST(HeapBar, GrowsWithWhatExceedsTheBudget) {
  const HeapBar bar = heap_bar(heap(100, 200, 500, 400, 800));
  EXPECT_EQ(bar.scale, 800u);
  EXPECT_FLOAT_EQ(bar.budget, 0.5f);
  EXPECT_FLOAT_EQ(bar.peak, 1.0f);
  EXPECT_TRUE(bar.over_budget);
}

TEST(HeapBar, IsInOrderWhenTheFiguresAreFromDifferentMoments) {
  const HeapBar bar = heap_bar(heap(300, 200, 100, 400, 150));
  EXPECT_LE(bar.used, bar.reserved);
  EXPECT_LE(bar.reserved, bar.process);
  EXPECT_GE(bar.peak, bar.reserved);
}

TEST(HeapBar, OfAnEmptyHeapIsEmpty) {
  const HeapBar bar = heap_bar(heap(0, 0, 0, 0, 0));
  EXPECT_FLOAT_EQ(bar.used, 0.0f);
  EXPECT_FLOAT_EQ(bar.budget, 0.0f);
  EXPECT_FALSE(bar.over_budget);
}

TagRow tag_row(std::uint32_t index, VkDeviceSize used, VkDeviceSize peak) {
  TagRow row;
  row.tag = Tag{index};
  row.totals.allocation_bytes = used;
  row.totals.peak_allocation_bytes = peak;
  return row;
}

TEST(KeepLargest, OrdersByLiveBytesThenNumberAndDropsTheUnused) {
  std::vector<TagRow> tags = {tag_row(1, 10, 99), tag_row(2, 0, 0),   tag_row(3, 30, 30),
                              tag_row(4, 10, 10), tag_row(5, 20, 20), tag_row(6, 0, 5)};
  std::vector<TagRow> all = tags;
  keep_largest(tags, 3);
  ASSERT_EQ(tags.size(), 3u);
  EXPECT_EQ(tags[0].tag.index, 3u);
  EXPECT_EQ(tags[1].tag.index, 5u);
  EXPECT_EQ(tags[2].tag.index, 1u);
  keep_largest(all, 100);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[3].tag.index, 4u);
  EXPECT_EQ(all[4].tag.index, 6u);
}

}  // namespace
}  // namespace quarry::hud
