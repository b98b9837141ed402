// SPDX-License-Identifier: MIT
// Properties of plans for random pictures, and long runs with a clock of the test's.
#include "plan/residency.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::plan {
namespace {

struct World {
  base::HostArray<ResidencyItem> items{HostMemory::standard()};
  ResidencyPlanner planner{HostMemory::standard()};
  ResidencyView view{.now = 1'000'000, .budget = 1000};
  ResidencyRules rules;

  void add(const ResidencyItem& item) { ASSERT_TRUE(items.push_back(item)); }
  std::uint64_t resident_bytes() const {
    std::uint64_t bytes = 0;
    for (const ResidencyItem& item : items)
      bytes += item.resident ? item.bytes : 0;
    return bytes;
  }
  void plan() {
    view.used = resident_bytes();
    ASSERT_TRUE(planner.plan(view, rules, items));
  }
  /// Carries the plan out; how many items changed.
  std::size_t act() {
    plan();
    const std::uint64_t before = view.used;
    for (const std::uint32_t i : planner.demotions)
      items[i].resident = false;
    for (const std::uint32_t i : planner.promotions)
      items[i].resident = true;
    EXPECT_EQ(resident_bytes(), before - planner.bytes_out + planner.bytes_in);
    for (const auto* list : {&planner.demotions, &planner.promotions}) {
      for (const std::uint32_t i : *list) {
        items[i].changed = view.now;
        items[i].wish = ResidencyWish::none;
      }
    }
    return planner.demotions.size() + planner.promotions.size();
  }
};

TEST(ResidencyPlanner, GraceFallsWithPressure) {
  const ResidencyRules rules;
  ResidencyView view{.budget = 1000};
  view.used = 700;
  EXPECT_EQ(ResidencyPlanner::grace(view, rules), 60'000u);
  view.used = 850;
  EXPECT_NEAR(static_cast<double>(ResidencyPlanner::grace(view, rules)), 30'500, 500);
  view.used = 1000;
  EXPECT_EQ(ResidencyPlanner::grace(view, rules), 1'000u);
  view.leaving = 300;
  EXPECT_EQ(ResidencyPlanner::grace(view, rules), 60'000u) << "that much is on its way";
  view.budget = 0;
  EXPECT_EQ(ResidencyPlanner::grace(view, rules), 1'000u);
}

TEST(ResidencyPlanner, LeastImportantThenLongestUnused) {
  World world;
  world.add({.bytes = 300, .last_use = 1, .priority = 0.9f});
  world.add({.bytes = 300, .last_use = 2, .priority = 0.5f});
  world.add({.bytes = 300, .last_use = 1, .priority = 0.5f});
  world.plan();
  ASSERT_EQ(world.planner.demotions.size(), 1u);
  EXPECT_EQ(world.planner.demotions[0], 2u);
}

TEST(ResidencyPlanner, WhatWasUsedLatelyGetsASecondChance) {
  World world;
  const std::uint64_t now = world.view.now;
  // At the whole budget the grace is a second.
  world.add({.bytes = 500, .last_use = now - 1'500, .priority = 0.1f});
  world.add({.bytes = 500, .last_use = now - 50'000, .priority = 0.5f});
  world.plan();
  ASSERT_EQ(world.planner.demotions.size(), 1u);
  EXPECT_EQ(world.planner.demotions[0], 1u);
}

TEST(ResidencyPlanner, WishesComeFirst) {
  World world;
  world.add({.bytes = 100, .last_use = world.view.now, .wish = ResidencyWish::out});
  world.add({.bytes = 100, .wish = ResidencyWish::in, .resident = false});
  world.add({.bytes = 100, .wish = ResidencyWish::out, .kept = true});
  world.plan();
  ASSERT_EQ(world.planner.demotions.size(), 1u);
  EXPECT_EQ(world.planner.demotions[0], 0u);
  ASSERT_EQ(world.planner.promotions.size(), 1u);
}

TEST(ResidencyPlanner, OneThatIsWantedMakesOthersLeaveOnce) {
  World world;
  for (int i = 0; i < 9; ++i)
    world.add({.bytes = 100, .last_use = world.view.now - 2'000, .priority = 0.9f});
  world.rules.relaxed_share = 0.95;
  world.add({.bytes = 200, .priority = 0.1f, .wish = ResidencyWish::in, .resident = false});
  EXPECT_EQ(world.act(), 1u) << "one of 100 leaves";
  EXPECT_EQ(world.act(), 1u) << "and it comes";
  EXPECT_TRUE(world.items[9].resident);
  EXPECT_LE(world.resident_bytes(), 1000u);
}

TEST(ResidencyPlanner, WhatCanNeverComeMakesNobodyLeave) {
  World world;
  world.add({.bytes = 600});
  world.add({.bytes = 2000, .wish = ResidencyWish::in, .resident = false});
  world.plan();
  EXPECT_TRUE(world.planner.demotions.empty());
  EXPECT_TRUE(world.planner.promotions.empty());
}

TEST(ResidencyPlanner, RandomPicturesKeepTheRules) {
  for (const std::uint64_t seed : test::seeds(300)) {
    test::Random random(seed);
    World world;
    world.view.now = random.between(100'000, 1'000'000);
    world.view.budget = random.between(0, 5'000);
    if (random.one_in(3)) world.view.target = random.below(5'000);
    if (random.one_in(3)) world.view.host_room = random.below(2'000);
    if (random.one_in(3)) world.view.max_bytes = random.below(1'000);
    if (random.one_in(3)) world.view.max_moves = static_cast<std::uint32_t>(random.below(8));
    const std::uint64_t count = random.below(60);
    for (std::uint64_t i = 0; i < count; ++i) {
      world.add({.bytes = random.between(1, 400),
                 .last_use = world.view.now - random.below(100'000),
                 .changed = random.one_in(2) ? 0 : world.view.now - random.below(30'000),
                 .priority = static_cast<float>(random.below(9)) / 8.0f,
                 .wish = static_cast<ResidencyWish>(random.one_in(3) ? random.below(3) : 0),
                 .resident = !random.one_in(3),
                 .kept = random.one_in(8)});
    }
    world.plan();
    const ResidencyView& view = world.view;
    const std::uint64_t grace = ResidencyPlanner::grace(view, world.rules);
    std::uint64_t out = 0;
    std::uint64_t in = 0;
    for (const std::uint32_t i : world.planner.demotions) {
      const ResidencyItem& item = world.items[i];
      out += item.bytes;
      EXPECT_TRUE(item.resident && !item.kept);
      EXPECT_NE(item.wish, ResidencyWish::in);
      if (item.wish == ResidencyWish::out) continue;
      EXPECT_GE(view.now - item.last_use, std::min(grace, world.rules.shortest_grace));
    }
    for (const std::uint32_t i : world.planner.promotions) {
      const ResidencyItem& item = world.items[i];
      in += item.bytes;
      EXPECT_FALSE(item.resident);
      EXPECT_NE(item.wish, ResidencyWish::out);
    }
    EXPECT_EQ(world.planner.bytes_out, out);
    EXPECT_EQ(world.planner.bytes_in, in);
    if (in > 0) {
      EXPECT_LE(view.used + in, std::min(view.budget, view.target));
    }
    EXPECT_LE(out, view.host_room);
    const std::size_t moves = world.planner.demotions.size() + world.planner.promotions.size();
    EXPECT_LE(moves, view.max_moves);
    if (moves > 1) {
      EXPECT_LE(in + out, view.max_bytes);
    }
    EXPECT_LE(world.planner.demotions.size() + world.planner.promotions.size(), count);
  }
}

/// Items that are used at their own pace, more of them than there is room for: as hours go by the
/// picture settles, and no item goes to and fro faster than grace and hold allow.
TEST(ResidencyPlanner, ALongRunDoesNotPingPong) {
  for (const std::uint64_t seed : test::seeds(4)) {
    test::Random random(seed);
    World world;
    std::vector<std::uint64_t> pace;
    for (int i = 0; i < 40; ++i) {
      world.add({.bytes = random.between(20, 60),
                 .last_use = world.view.now,
                 .priority = static_cast<float>(random.below(9)) / 8.0f});
      pace.push_back(random.one_in(2) ? 50 : random.between(200'000, 2'000'000));
    }
    std::vector<std::uint64_t> next(pace);
    std::uint64_t changes = 0;
    std::uint64_t uses = 0;
    constexpr std::uint64_t kFrame = 50;
    constexpr std::uint64_t kRun = 3'600'000;
    for (std::uint64_t t = 0; t < kRun; t += kFrame) {
      world.view.now += kFrame;
      for (std::size_t i = 0; i < pace.size(); ++i) {
        if (t < next[i]) continue;
        next[i] = t + pace[i];
        world.items[i].last_use = world.view.now;
        uses += pace[i] > 50 ? 1 : 0;
      }
      for (const ResidencyItem& item : world.items)
        EXPECT_LE(item.changed, world.view.now);
      changes += world.act();
    }
    // Each rare use can bring an item in, and have as much leave as came.
    EXPECT_LE(changes, 40 + 4 * uses) << "seed " << seed;
    // What is used every frame is there.
    for (std::size_t i = 0; i < pace.size(); ++i) {
      if (pace[i] == 50) {
        EXPECT_TRUE(world.items[i].resident);
      }
    }
  }
}

TEST(ResidencyPlanner, NothingHappensInAPictureThatStandsStill) {
  for (const std::uint64_t seed : test::seeds(50)) {
    test::Random random(seed);
    World world;
    for (int i = 0; i < 40; ++i)
      world.add({.bytes = random.between(10, 80), .last_use = random.below(900'000)});
    std::size_t rounds = 0;
    while (world.act() != 0 && rounds < 1'000)
      ++rounds;
    EXPECT_LT(rounds, 1'000u);
    for (int i = 0; i < 100; ++i) {
      world.view.now += 5'000;
      EXPECT_EQ(world.act(), 0u);
    }
  }
}

}  // namespace
}  // namespace quarry::plan
