// SPDX-License-Identifier: MIT
#include "plan/pending_frees.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::plan {

namespace {

constexpr std::uint64_t kPlace = 0x1000;

PendingFree memory(std::uint64_t handle, std::uint64_t size, UsePoint point,
                   std::uint64_t place = kPlace) {
  PendingFree free{.handle = handle, .place = place, .size = size};
  EXPECT_TRUE(free.points.add(point));
  return free;
}

class PendingFreesTest : public ::testing::Test {
 protected:
  void file(const PendingFree& free, std::uint64_t now = 0) {
    ASSERT_TRUE(frees.reserve(1));
    frees.stage(free);
    frees.file_staged(now);
  }
  std::vector<std::uint64_t> ready() {
    std::vector<std::uint64_t> handles;
    PendingFree free;
    while (frees.take_ready(free))
      handles.push_back(free.handle != 0 ? free.handle : free.resource);
    return handles;
  }
  std::uint32_t find(std::uint64_t size, const ReuseRule& rule, std::uint64_t alignment = 1) {
    return frees.find({kPlace, size, alignment}, rule, order, fitting);
  }

  PendingFrees frees{HostMemory::standard()};
  ReuseOrder order;
  std::uint32_t fitting = 0;
};

using Handles = std::vector<std::uint64_t>;
constexpr ReuseRule kSameQueue{.queue = 3, .same_queue = true};

TEST_F(PendingFreesTest, AreReadyInTheOrderOfTheirValues) {
  file(memory(11, 64, {1, 5}));
  file(memory(12, 64, {1, 3}));
  file(memory(13, 64, {2, 4}));
  file(memory(14, 64, {1, 5}));
  frees.observe(1, 4, 0);
  EXPECT_EQ(ready(), Handles({12}));
  frees.observe(1, 5, 0);
  EXPECT_EQ(ready(), Handles({11, 14}));
  EXPECT_EQ(frees.figures().bytes, 64u);
  EXPECT_EQ(frees.figures().timelines, 1u);
  frees.observe(2, 9, 0);
  EXPECT_EQ(ready(), Handles({13}));
  EXPECT_EQ(frees.figures().count, 0u);
  EXPECT_EQ(frees.figures().timelines, 0u);
}

TEST_F(PendingFreesTest, WhatIsStagedCanBeTakenBack) {
  ASSERT_TRUE(frees.reserve(2));
  frees.stage(memory(11, 64, {1, 5}));
  frees.stage(memory(12, 32, {1, 5}));
  PendingFree free;
  ASSERT_TRUE(frees.unstage(free));
  EXPECT_EQ(free.handle, 12u);
  ASSERT_TRUE(frees.unstage(free));
  EXPECT_FALSE(frees.unstage(free));
  EXPECT_EQ(frees.figures().count, 0u);
  EXPECT_EQ(frees.figures().bytes, 0u);
}

TEST_F(PendingFreesTest, SeveralPointsAreWaitedForAll) {
  PendingFree free = memory(11, 64, {1, 5});
  ASSERT_TRUE(free.points.add({2, 7}));
  file(free);
  frees.observe(1, 9, 0);
  EXPECT_EQ(ready(), Handles());
  frees.observe(2, 6, 0);
  EXPECT_EQ(ready(), Handles());
  frees.observe(2, 7, 0);
  EXPECT_EQ(ready(), Handles({11}));
}

TEST_F(PendingFreesTest, ValuesThatWereSeenAreNotWaitedFor) {
  file(memory(11, 64, {1, 9}));
  frees.observe(1, 5, 0);
  file(memory(12, 64, {1, 4}));
  EXPECT_EQ(ready(), Handles({12}));
}

TEST_F(PendingFreesTest, AnEarlyOwnerNeedsTheSamePlaceASizeNearAndTheAlignment) {
  PendingFree free = memory(11, 1024, {1, 5, 3, 1});
  free.offset = 256;
  file(free);
  EXPECT_EQ(find(1025, kSameQueue), PendingFrees::kNone);
  EXPECT_EQ(find(900, kSameQueue), PendingFrees::kNone) << "wastes more than an eighth";
  EXPECT_EQ(find(1000, kSameQueue, 512), PendingFrees::kNone);
  EXPECT_EQ(frees.find({kPlace + 1, 1000, 1}, kSameQueue, order, fitting), PendingFrees::kNone);
  EXPECT_NE(find(1000, kSameQueue, 256), PendingFrees::kNone);
  EXPECT_NE(find(911, kSameQueue), PendingFrees::kNone);
}

TEST_F(PendingFreesTest, WhatFitsIsToldThoughTheRuleForbidsIt) {
  file(memory(11, 1024, {1, 5, 4, 1}));
  EXPECT_EQ(find(1024, kSameQueue), PendingFrees::kNone);
  EXPECT_NE(fitting, PendingFrees::kNone);
}

TEST_F(PendingFreesTest, AnEarlyOwnerOwesWhatWasNotReached) {
  file(memory(11, 1024, {1, 5, 3, 1}));
  PendingFree taken;
  ASSERT_TRUE(frees.reserve(1));
  EXPECT_TRUE(frees.take_over(find(1024, kSameQueue), 21, taken));
  EXPECT_EQ(taken.handle, 11u);
  EXPECT_EQ(find(1024, kSameQueue), PendingFrees::kNone) << "it has an owner";
  EXPECT_EQ(frees.figures().frees, 0u);
  EXPECT_EQ(frees.debt_of(21).count(), 1u);
  // Freed plainly: the earlier use is waited for all the same.
  EXPECT_TRUE(frees.free_debtor({.handle = 21, .place = kPlace, .size = 1024}));
  EXPECT_EQ(ready(), Handles());
  frees.observe(1, 5, 0);
  EXPECT_EQ(ready(), Handles({21}));
  EXPECT_EQ(frees.figures().count, 0u);
}

TEST_F(PendingFreesTest, ADebtEndsWhenItsPointsAreReached) {
  file(memory(11, 1024, {1, 5, 3, 1}));
  PendingFree taken;
  ASSERT_TRUE(frees.reserve(1));
  EXPECT_TRUE(frees.take_over(find(1024, kSameQueue), 21, taken));
  frees.observe(1, 5, 0);
  EXPECT_EQ(frees.debt_of(21).count(), 0u);
  EXPECT_FALSE(frees.free_debtor({.handle = 21, .size = 1024}));
  EXPECT_EQ(frees.figures().count, 0u);
  EXPECT_EQ(frees.figures().timelines, 0u);
}

TEST_F(PendingFreesTest, AnEarlyOwnersPointsJoinWhatItOwes) {
  file(memory(11, 1024, {1, 5, 3, 1}));
  PendingFree taken;
  ASSERT_TRUE(frees.reserve(1));
  EXPECT_TRUE(frees.take_over(find(1024, kSameQueue), 21, taken));
  file(memory(21, 1024, {2, 1, 3, 1}));
  frees.observe(2, 1, 0);
  EXPECT_EQ(ready(), Handles()) << "the first owner's use may still run";
  frees.observe(1, 5, 0);
  EXPECT_EQ(ready(), Handles({21}));
  EXPECT_EQ(frees.figures().count, 0u);
}

TEST_F(PendingFreesTest, AResourceWaitsThoughItsMemoryIsTakenOver) {
  PendingFree free = memory(11, 1024, {1, 5, 3, 1});
  free.resource = 77;
  file(free);
  PendingFree taken;
  ASSERT_TRUE(frees.reserve(1));
  EXPECT_TRUE(frees.take_over(find(1024, kSameQueue), 21, taken));
  EXPECT_EQ(frees.figures().count, 2u);
  frees.observe(1, 5, 0);
  EXPECT_EQ(ready(), Handles({77}));
  EXPECT_EQ(frees.figures().count, 0u);
}

TEST_F(PendingFreesTest, WhatIsOverIsTakenOverWithoutADebt) {
  PendingFree free = memory(11, 1024, {1, 5, 3, 1});
  free.resource = 77;
  file(free);
  file(memory(12, 1024, {1, 5, 3, 1}));
  frees.observe(1, 5, 0);
  ASSERT_TRUE(frees.reserve(1));
  PendingFree taken;
  EXPECT_FALSE(frees.take_over(find(1024, {.reached = true}), 21, taken));
  EXPECT_FALSE(frees.take_over(find(1024, {.reached = true}), 22, taken));
  EXPECT_EQ(ready(), Handles({77}));
  EXPECT_EQ(frees.figures().count, 0u);
}

TEST_F(PendingFreesTest, AStallIsToldOnceUntilTheTimelineMoves) {
  file(memory(11, 64, {1, 5}), 1000);
  PendingFrees::Stall stall;
  EXPECT_FALSE(frees.tell_stall(1099, 100, stall));
  EXPECT_EQ(frees.stalled(1100, 100), 1u);
  ASSERT_TRUE(frees.tell_stall(1100, 100, stall));
  EXPECT_EQ(stall.awaited, 5u);
  EXPECT_FALSE(frees.tell_stall(1200, 100, stall));
  frees.observe(1, 2, 1300);
  EXPECT_FALSE(frees.tell_stall(1399, 100, stall));
  ASSERT_TRUE(frees.tell_stall(1400, 100, stall));
  EXPECT_EQ(stall.value, 2u);
}

TEST_F(PendingFreesTest, TheEarliestIsWhatWaitsForLongestOnTheHeap) {
  PendingFree other = memory(11, 64, {1, 5});
  other.heap = 1;
  file(other, 1);
  file(memory(12, 64, {1, 7}), 3);
  file(memory(13, 64, {2, 9}), 2);
  UsePoint point;
  ASSERT_TRUE(frees.earliest(0, point));
  EXPECT_EQ(point.value, 9u);
  ASSERT_TRUE(frees.earliest(1, point));
  EXPECT_EQ(point.value, 5u);
  EXPECT_FALSE(frees.earliest(2, point));
}

/// What the table should know, kept naively.
struct Model {
  struct Memory {
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> uses{};  ///< timeline, queue
    bool pending = false;
    bool owner = false;
  };
  std::map<std::uint64_t, std::uint64_t> at;  ///< where timelines stand
  std::map<std::uint64_t, Memory> memories;   ///< by handle

  bool over(const Memory& memory) {
    for (const auto& [who, value] : memory.uses) {
      if (at[who.first] < value) return false;
    }
    return true;
  }
};

TEST(PendingFreesProperty, NothingIsReadyOrTakenOverBeforeItsUsesAllow) {
  for (const std::uint64_t seed : test::seeds(20)) {
    test::Random random(seed);
    PendingFrees frees(HostMemory::standard());
    Model model;
    std::set<std::uint64_t> owned;
    std::uint64_t next = 1;
    for (int step = 0; step < 4000; ++step) {
      switch (random.below(4)) {
        case 0: {  // a new owner, who may take over
          const ReuseRule rule{.queue = static_cast<std::uint32_t>(random.below(3)),
                               .same_queue = random.one_in(2),
                               .reached = random.one_in(2),
                               .waiting = random.one_in(3)};
          ReuseOrder order;
          std::uint32_t fitting = 0;
          ASSERT_TRUE(frees.reserve(1));
          const std::uint32_t node = frees.find({kPlace, 64, 1}, rule, order, fitting);
          const std::uint64_t handle = next++;
          Model::Memory memory{.owner = true};
          if (node != PendingFrees::kNone) {
            PendingFree taken;
            frees.take_over(node, handle, taken);
            ASSERT_TRUE(model.memories.at(taken.handle).pending);
            memory.uses = model.memories.at(taken.handle).uses;
            model.memories.erase(taken.handle);
            for (const auto& [who, value] : memory.uses) {
              if (model.at[who.first] >= value) continue;
              bool waited = false;
              for (const UsePoint& point : order.waits)
                waited |= point.timeline == who.first && point.value >= value;
              const bool behind = rule.same_queue && who.second == rule.queue &&
                                  (order.barrier_stages >> who.second & 1u) != 0;
              ASSERT_TRUE(waited || behind) << "step " << step;
            }
          }
          model.memories[handle] = memory;
          owned.insert(handle);
          break;
        }
        case 1: {  // an owner frees, plainly or after a point
          if (owned.empty()) break;
          const auto which =
              std::next(owned.begin(), static_cast<long>(random.index(owned.size())));
          const std::uint64_t handle = *which;
          owned.erase(which);
          Model::Memory& memory = model.memories.at(handle);
          memory.owner = false;
          PendingFree free{.handle = handle, .place = kPlace, .size = 64};
          if (random.one_in(3)) {
            memory.pending = frees.free_debtor(free);
            ASSERT_TRUE(memory.pending || model.over(memory)) << "step " << step;
            if (!memory.pending) model.memories.erase(handle);
            break;
          }
          const std::uint64_t timeline = 1 + random.below(4);
          const auto queue = static_cast<std::uint32_t>(random.below(3));
          const std::uint64_t value = model.at[timeline] + random.below(5);
          free.points.add({timeline, value, queue, 1u << queue});
          auto& use = memory.uses[{timeline, queue}];
          use = std::max(use, value);
          memory.pending = true;
          ASSERT_TRUE(frees.reserve(1));
          frees.stage(free);
          frees.file_staged(0);
          break;
        }
        case 2: {  // a timeline moves, and is looked at
          const std::uint64_t timeline = 1 + random.below(4);
          model.at[timeline] += random.below(3);
          break;
        }
        default: {
          for (const auto& [timeline, value] : model.at)
            frees.observe(timeline, value, 0);
          PendingFree free;
          while (frees.take_ready(free)) {
            ASSERT_TRUE(model.over(model.memories.at(free.handle))) << "step " << step;
            model.memories.erase(free.handle);
          }
          for (const auto& [handle, memory] : model.memories)
            ASSERT_FALSE(memory.pending && model.over(memory)) << "forgotten, step " << step;
          break;
        }
      }
    }
  }
}

}  // namespace

}  // namespace quarry::plan
