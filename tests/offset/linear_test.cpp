// SPDX-License-Identifier: MIT
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include <quarry/linear.hpp>

#include "base/seed.hpp"

namespace quarry::test {
namespace {

OffsetAllocation placed(Linear& linear, const OffsetRequest& request) {
  const auto result = linear.allocate(request);
  EXPECT_TRUE(result) << request.size;
  return result ? *result : OffsetAllocation{};
}

TEST(Linear, RequestsFollowEachOther) {
  Linear linear({.size = 1000});
  EXPECT_EQ(placed(linear, {.size = 10}).offset, 0u);
  EXPECT_EQ(placed(linear, {.size = 5, .alignment = 16}).offset, 16u);
  EXPECT_EQ(placed(linear, {.size = 979}).offset, 21u);
  EXPECT_FALSE(linear.allocate({.size = 1}));
}

TEST(Linear, AStackUsesFreedSpaceAtOnce) {
  Linear linear({.size = 256});
  std::vector<OffsetAllocation> stack;
  for (int round = 0; round < 100; ++round) {
    while (const auto result = linear.allocate({.size = 10, .alignment = 8})) {
      stack.push_back(*result);
    }
    EXPECT_EQ(stack.size(), 16u);
    for (int i = 0; i < 5; ++i) {
      const OffsetAllocation top = stack.back();
      EXPECT_EQ(linear.free(top.handle), OffsetError::none);
      stack.pop_back();
      if (i == 0) {
        const OffsetAllocation again = placed(linear, {.size = 10, .alignment = 8});
        EXPECT_EQ(again.offset, top.offset);
        EXPECT_EQ(linear.free(again.handle), OffsetError::none);
      }
    }
  }
}

TEST(Linear, ADoubleStackGrowsFromBothEndsUntilTheyMeet) {
  Linear linear({.size = 100});
  const OffsetAllocation low = placed(linear, {.size = 30});
  const OffsetAllocation high = placed(linear, {.size = 30, .upper = true});
  const OffsetAllocation higher = placed(linear, {.size = 9, .alignment = 4, .upper = true});
  EXPECT_EQ(low.offset, 0u);
  EXPECT_EQ(high.offset, 70u);
  EXPECT_EQ(higher.offset, 60u);
  EXPECT_FALSE(linear.allocate({.size = 31}));
  EXPECT_FALSE(linear.allocate({.size = 31, .upper = true}));
  EXPECT_EQ(placed(linear, {.size = 30}).offset, 30u);
  EXPECT_FALSE(linear.allocate({.size = 1, .upper = true}));
  EXPECT_EQ(linear.free(higher.handle), OffsetError::none);
  EXPECT_EQ(placed(linear, {.size = 10, .upper = true}).offset, 60u);
  EXPECT_EQ(linear.grow(200), OffsetError::unsupported);
}

TEST(Linear, ARingGoesRoundForEverAsLongAsTheOldestAreFreed) {
  for (const std::uint64_t seed : seeds(3)) {
    Random random(seed);
    Linear linear({.size = 10'000});
    std::deque<OffsetAllocation> ring;
    std::uint64_t rounds = 0;
    std::uint64_t last_offset = 0;
    for (int i = 0; i < 5000; ++i) {
      const OffsetRequest request{.size = random.between(1, 1000),
                                  .alignment = std::uint64_t{1} << random.below(7)};
      auto result = linear.allocate(request);
      while (!result) {
        ASSERT_FALSE(ring.empty());
        ASSERT_EQ(linear.free(ring.front().handle), OffsetError::none);
        ring.pop_front();
        result = linear.allocate(request);
      }
      rounds += result->offset < last_offset ? 1 : 0;
      last_offset = result->offset;
      ring.push_back(*result);
      // An oldest range of 1000 bytes more than the request, and the padding, is all that a ring
      // may have to waste.
      ASSERT_LT(linear.free_bytes(), 10'000u);
      ASSERT_TRUE(linear.validate());
    }
    EXPECT_GT(rounds, 100u);
  }
}

TEST(Linear, TheRingStopsAtTheOldestLiveRange) {
  Linear linear({.size = 100});
  const OffsetAllocation a = placed(linear, {.size = 40});
  const OffsetAllocation b = placed(linear, {.size = 40});
  EXPECT_EQ(linear.free(a.handle), OffsetError::none);
  EXPECT_EQ(placed(linear, {.size = 30}).offset, 0u);
  EXPECT_FALSE(linear.allocate({.size = 21}));
  EXPECT_EQ(placed(linear, {.size = 10}).offset, 30u);
  EXPECT_EQ(placed(linear, {.size = 20}).offset, 80u)
      << "what lies behind is used when the front is full";
  EXPECT_FALSE(linear.allocate({.size = 1}));
  EXPECT_EQ(linear.free(b.handle), OffsetError::none);
  EXPECT_EQ(placed(linear, {.size = 40}).offset, 40u);
}

TEST(Linear, ARingRunsBelowAnUpperStack) {
  Linear linear({.size = 100});
  const OffsetAllocation upper = placed(linear, {.size = 20, .upper = true});
  const OffsetAllocation a = placed(linear, {.size = 40});
  const OffsetAllocation b = placed(linear, {.size = 40});
  EXPECT_EQ(linear.free(a.handle), OffsetError::none);
  EXPECT_EQ(placed(linear, {.size = 40}).offset, 0u);
  EXPECT_FALSE(linear.allocate({.size = 1, .upper = true}));
  EXPECT_EQ(linear.free(b.handle), OffsetError::none);
  EXPECT_EQ(placed(linear, {.size = 40, .upper = true}).offset, 40u);
  EXPECT_EQ(upper.offset, 80u);
  EXPECT_TRUE(linear.validate());
}

TEST(Linear, F40MixedSizesFreedInAnyOrderLeaveOneFreeRange) {
  for (const std::uint64_t seed : seeds(10)) {
    Random random(seed);
    Linear linear({.size = 1 << 20});
    std::vector<OffsetHandle> live;
    while (const auto result = linear.allocate(
               {.size = random.one_in(2) ? random.between(1, 64) : random.between(1000, 9000),
                .alignment = std::uint64_t{1} << random.below(9),
                .upper = random.one_in(3)})) {
      live.push_back(result->handle);
    }
    while (!live.empty()) {
      std::swap(live[random.index(live.size())], live.back());
      ASSERT_EQ(linear.free(live.back()), OffsetError::none);
      live.pop_back();
      // Never two free ranges side by side: there is at most one more than there are live ranges.
      ASSERT_LE(linear.statistics().free_range_count, live.size() + 1);
    }
    EXPECT_EQ(linear.statistics().free_range_count, 1u);
    EXPECT_EQ(placed(linear, {.size = 1 << 20}).offset, 0u);
  }
}

TEST(Linear, SpaceBetweenLiveRangesIsNotUsedUntilOneOfThemGoes) {
  Linear linear({.size = 90});
  (void)placed(linear, {.size = 30});
  const OffsetAllocation middle = placed(linear, {.size = 30});
  const OffsetAllocation last = placed(linear, {.size = 30});
  EXPECT_EQ(linear.free(middle.handle), OffsetError::none);
  EXPECT_FALSE(linear.allocate({.size = 1}));
  EXPECT_EQ(linear.statistics().largest_free, 30u);
  EXPECT_EQ(linear.free(last.handle), OffsetError::none);
  EXPECT_EQ(placed(linear, {.size = 60}).offset, 30u);
}

TEST(Linear, TheLargestFreeSizeIsExactlyWhatARequestCanGet) {
  for (const std::uint64_t seed : seeds(4)) {
    Random random(seed);
    Linear space({.size = random.between(1, 20'000)});
    std::vector<OffsetHandle> live;
    for (int i = 0; i < 2'000; ++i) {
      const std::uint64_t largest = space.largest_free();
      EXPECT_FALSE(space.allocate({.size = largest + 1}));
      if (largest > 0) {
        const auto all = space.allocate({.size = largest});
        ASSERT_TRUE(all);
        ASSERT_EQ(space.free(all->handle), OffsetError::none);
      }
      if (random.one_in(2) && !live.empty()) {
        std::swap(live[random.index(live.size())], live.back());
        ASSERT_EQ(space.free(live.back()), OffsetError::none);
        live.pop_back();
      } else if (const auto made = space.allocate(
                     {.size = random.any_magnitude(11), .upper = random.one_in(4)})) {
        live.push_back(made->handle);
      }
    }
  }
}

}  // namespace
}  // namespace quarry::test
