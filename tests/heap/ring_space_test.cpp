// SPDX-License-Identifier: MIT
#include "heap/ring_space.hpp"

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "base/seed.hpp"

namespace quarry::heap {
namespace {

std::uint64_t take(RingSpace& ring, std::uint64_t size, std::uint64_t alignment = 1) {
  std::uint64_t offset = ~std::uint64_t{0};
  return ring.allocate(size, alignment, offset) ? offset : ~std::uint64_t{0};
}
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

TEST(RingSpace, TheWholeCapacityIsInOnePieceWheneverNothingIsInUse) {
  test::CountingHost host;
  RingSpace ring(1'000, host.memory());
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(take(ring, 1'000), 0u);
    EXPECT_EQ(take(ring, 1), kNowhere);
    ASSERT_TRUE(ring.close({}));
    EXPECT_EQ(ring.retire_oldest(), 1'000u);
    EXPECT_EQ(take(ring, 300), 0u);
    ASSERT_TRUE(ring.close({}));
    EXPECT_EQ(ring.retire_oldest(), 300u);
  }
}

TEST(RingSpace, GoesOnAtTheStartAndStopsAtTheOldestBatch) {
  test::CountingHost host;
  RingSpace ring(100, host.memory());
  EXPECT_EQ(take(ring, 40), 0u);
  ASSERT_TRUE(ring.close({}));
  EXPECT_EQ(take(ring, 40), 40u);
  ASSERT_TRUE(ring.close({}));
  EXPECT_EQ(take(ring, 30), kNowhere);
  EXPECT_EQ(take(ring, 20), 80u);
  EXPECT_EQ(ring.retire_oldest(), 40u);
  EXPECT_EQ(take(ring, 40), 0u);
  EXPECT_EQ(take(ring, 1), kNowhere);
  EXPECT_EQ(ring.used(), 100u);
}

TEST(RingSpace, BytesSkippedAtTheEndAreInUseWithTheBatchThatSkippedThem) {
  test::CountingHost host;
  RingSpace ring(100, host.memory());
  EXPECT_EQ(take(ring, 60), 0u);
  ASSERT_TRUE(ring.close({}));
  EXPECT_EQ(take(ring, 30), 60u);
  ASSERT_TRUE(ring.close({}));
  EXPECT_EQ(ring.retire_oldest(), 60u);
  EXPECT_EQ(take(ring, 50), 0u);
  EXPECT_EQ(ring.used(), 90u);
  ASSERT_TRUE(ring.close({}));
  EXPECT_EQ(ring.retire_oldest(), 30u);
  EXPECT_EQ(ring.retire_oldest(), 60u);
  EXPECT_EQ(ring.used(), 0u);
}

TEST(RingSpace, AnAlignmentBeyondTheCapacityMeansTheStart) {
  test::CountingHost host;
  RingSpace ring(100, host.memory());
  EXPECT_EQ(take(ring, 10, 4096), 0u);
  EXPECT_EQ(take(ring, 10, std::uint64_t{1} << 63), kNowhere);
  EXPECT_EQ(take(ring, 10, 64), 64u);
}

TEST(RingSpace, WhatWasHandedOutIsToldOnceAndWrapsInTwoParts) {
  test::CountingHost host;
  RingSpace ring(100, host.memory());
  RingSpace::Part parts[2];
  EXPECT_EQ(ring.unflushed(parts), 0u);
  (void)take(ring, 70);
  ASSERT_EQ(ring.unflushed(parts), 1u);
  EXPECT_EQ(parts[0].offset, 0u);
  EXPECT_EQ(parts[0].size, 70u);
  ASSERT_EQ(ring.unflushed(parts), 1u) << "told again until it is said to be flushed";
  ring.set_flushed();
  EXPECT_EQ(ring.unflushed(parts), 0u);
  ASSERT_TRUE(ring.close({}));
  (void)take(ring, 20);
  ASSERT_TRUE(ring.close({}));
  (void)ring.retire_oldest();
  (void)take(ring, 30);
  ASSERT_EQ(ring.unflushed(parts), 2u);
  EXPECT_EQ(parts[0].offset, 70u);
  EXPECT_EQ(parts[0].size, 30u);
  EXPECT_EQ(parts[1].offset, 0u);
  EXPECT_EQ(parts[1].size, 30u);
}

TEST(RingSpace, ABatchThatCannotBeNotedStaysOpen) {
  test::CountingHost host;
  RingSpace ring(100, host.memory());
  (void)take(ring, 10);
  host.fail_from(0);
  EXPECT_FALSE(ring.close({}));
  EXPECT_FALSE(ring.open_batch_empty());
  EXPECT_EQ(ring.oldest(), nullptr);
  host.fail_from(test::CountingHost::kNever);
  EXPECT_TRUE(ring.close({}));
  EXPECT_TRUE(ring.open_batch_empty());
  EXPECT_EQ(ring.retire_oldest(), 10u);
}

TEST(RingSpace, NothingOverlapsWhatIsInUse) {
  for (const std::uint64_t seed : test::seeds(4)) {
    test::Random random(seed);
    test::CountingHost host;
    const std::uint64_t capacity = random.between(64, 5'000);
    RingSpace ring(capacity, host.memory());
    using Range = std::pair<std::uint64_t, std::uint64_t>;
    std::vector<Range> open;
    std::deque<std::vector<Range>> in_flight;
    for (int step = 0; step < 5'000; ++step) {
      if (random.one_in(4) && !open.empty()) {
        ASSERT_TRUE(ring.close({.value = static_cast<std::uint64_t>(step)}));
        in_flight.push_back(std::exchange(open, {}));
      } else if (random.one_in(4) && !in_flight.empty()) {
        ASSERT_NE(ring.oldest(), nullptr);
        (void)ring.retire_oldest();
        in_flight.pop_front();
      } else {
        const std::uint64_t size = random.between(1, random.one_in(10) ? capacity : 100 % capacity);
        const std::uint64_t alignment = std::uint64_t{1} << random.below(8);
        const std::uint64_t offset = take(ring, size, alignment);
        if (offset == kNowhere) {
          EXPECT_GT(ring.used(), 0u);
          continue;
        }
        ASSERT_EQ(offset % alignment, 0u);
        ASSERT_LE(offset + size, capacity);
        const auto apart = [&](const std::vector<Range>& ranges) {
          for (const auto& [begin, end] : ranges)
            ASSERT_TRUE(offset >= end || offset + size <= begin);
        };
        apart(open);
        for (const auto& ranges : in_flight)
          apart(ranges);
        open.emplace_back(offset, offset + size);
      }
      ASSERT_LE(ring.used(), capacity);
    }
  }
}

}  // namespace
}  // namespace quarry::heap
