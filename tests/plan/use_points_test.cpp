// SPDX-License-Identifier: MIT
#include "plan/use_points.hpp"

#include <gtest/gtest.h>

namespace quarry::plan {

namespace {

constexpr std::uint32_t kGraphics = 0;
constexpr std::uint32_t kCopy = 1;

UsePoints points(std::initializer_list<UsePoint> list) {
  UsePoints result;
  for (const UsePoint& point : list)
    EXPECT_TRUE(result.add(point));
  return result;
}

TEST(UsePoints, ATimelineAndQueueKeepTheirLastValueAndAllStages) {
  const UsePoints result = points({{1, 5, kGraphics, 1}, {1, 3, kGraphics, 2}, {1, 9, kCopy, 4}});
  ASSERT_EQ(result.count(), 2u);
  EXPECT_EQ(result[0].value, 5u);
  EXPECT_EQ(result[0].stages, 3u);
  EXPECT_EQ(result[1].value, 9u);
}

TEST(UsePoints, WhatHasNoRoomChangesNothing) {
  UsePoints full = points({{1, 1, 0, 0}, {2, 1, 0, 0}, {3, 1, 0, 0}, {4, 1, 0, 0}});
  EXPECT_TRUE(full.full());
  EXPECT_FALSE(full.add({5, 1, 0, 0}));
  EXPECT_FALSE(full.add(points({{1, 8, 0, 0}, {5, 1, 0, 0}})));
  EXPECT_EQ(full[0].value, 1u);
  EXPECT_TRUE(full.add({4, 7, 0, 0}));
}

TEST(UsePoints, AreDroppedOnceTheirValueIsReached) {
  UsePoints left = points({{1, 5, kGraphics, 0}, {1, 6, kCopy, 0}, {2, 5, kGraphics, 0}});
  left.reach(1, 5);
  ASSERT_EQ(left.count(), 2u);
  EXPECT_EQ(left[0].queue, kCopy);
  left.reach(2, 4);
  EXPECT_EQ(left.count(), 2u);
}

TEST(Reuse, OnTheSameQueueTakesABarrierFromTheStagesOfTheUses) {
  const UsePoints left = points({{1, 5, kGraphics, 8}, {2, 5, kGraphics, 4}});
  const ReuseOrder order = decide(left, {.queue = kGraphics, .same_queue = true});
  EXPECT_TRUE(order.allowed);
  EXPECT_EQ(order.barrier_stages, 12u);
  EXPECT_EQ(order.waits.count(), 0u);
  EXPECT_FALSE(decide(left, {.queue = kCopy, .same_queue = true, .reached = true}).allowed);
  EXPECT_FALSE(decide(left, {.queue = kGraphics, .same_queue = false, .reached = true}).allowed);
}

TEST(Reuse, NoQueueIsNeverTheSameQueue) {
  const UsePoints left = points({{1, 5, kNoQueue, 1}});
  EXPECT_FALSE(decide(left, {.queue = kNoQueue, .same_queue = true}).allowed);
}

TEST(Reuse, OnAnotherQueueWaitsForEachPoint) {
  const UsePoints left = points({{1, 5, kGraphics, 8}, {2, 7, kCopy, 4}});
  const ReuseOrder order = decide(left, {.queue = kCopy, .same_queue = true, .waiting = true});
  EXPECT_TRUE(order.allowed);
  EXPECT_EQ(order.barrier_stages, 4u);
  ASSERT_EQ(order.waits.count(), 1u);
  EXPECT_EQ(order.waits[0].timeline, 1u);
  EXPECT_EQ(order.waits[0].value, 5u);
}

TEST(Reuse, OfWhatIsOverNeedsNothing) {
  EXPECT_FALSE(decide({}, {.queue = kGraphics, .same_queue = true}).allowed);
  const ReuseOrder order = decide({}, {.reached = true});
  EXPECT_TRUE(order.allowed);
  EXPECT_EQ(order.barrier_stages, 0u);
  EXPECT_EQ(order.waits.count(), 0u);
}

TEST(Reuse, LeavesRoomForTheNewOwnersOwnPoint) {
  const UsePoints full = points({{1, 1, 0, 1}, {2, 1, 0, 1}, {3, 1, 0, 1}, {4, 1, 0, 1}});
  EXPECT_FALSE(
      decide(full, {.queue = 0, .same_queue = true, .reached = true, .waiting = true}).allowed);
}

}  // namespace

}  // namespace quarry::plan
