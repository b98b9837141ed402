// SPDX-License-Identifier: MIT
// The streaming planner, played against a simulated loader and a simulated GPU that is done late.
#include "viewer/stream_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

std::uint64_t test_seed() {
  const char* given = std::getenv("QUARRY_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : 20240611u;
  std::printf("QUARRY_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

/// Bytes of the mip chains of a square block-compressed texture.
std::vector<std::uint64_t> chain(std::uint32_t edge, std::uint64_t block_bytes,
                                 std::uint32_t levels) {
  std::vector<std::uint64_t> bytes(levels);
  for (std::uint32_t level = 0; level < levels; ++level) {
    for (std::uint32_t size = edge >> level; size > 0; size /= 2) {
      const std::uint64_t blocks = (size + 3) / 4;
      bytes[level] += blocks * blocks * block_bytes;
    }
  }
  return bytes;
}

/// Carries out plans: images cost what they cost, and an old image lives until the GPU is done.
class World {
 public:
  World(std::size_t textures, std::uint64_t budget)
      : budget_(budget), chains_(textures), states_(textures) {}

  void set_chain(std::size_t i, std::vector<std::uint64_t> bytes) {
    chains_[i] = std::move(bytes);
    states_[i].level_bytes = chains_[i];
  }
  TextureState& state(std::size_t i) { return states_[i]; }
  std::size_t size() const { return states_.size(); }
  void set_budget(std::uint64_t budget) { budget_ = budget; }
  std::uint64_t used() const { return used_; }
  Shortfall lack() const { return shortfall(states_); }

  Plan plan() const {
    const auto busy = static_cast<std::uint32_t>(loading_.size());
    return make_plan({states_, budget_, used_, retiring(), busy < 4 ? 4 - busy : 0});
  }

  /// One frame: a load may end, an image may be freed, new moves start. Returns the moves.
  std::size_t step(std::mt19937_64& random) {
    for (Old& old : retired_)
      --old.frames;
    while (!retired_.empty() && retired_.front().frames <= 0) {
      used_ -= retired_.front().bytes;
      retired_.pop_front();
    }
    if (!loading_.empty() && random() % 2 == 0) finish(random() % loading_.size());
    const Plan made = plan();
    for (const Move& move : made.moves)
      start(move);
    return made.moves.size();
  }

  bool idle() const { return loading_.empty() && retired_.empty(); }

 private:
  struct Old {
    std::uint64_t bytes;
    int frames;
  };
  struct Load {
    std::uint32_t texture;
    std::uint64_t old_bytes;
  };

  std::uint64_t retiring() const {
    std::uint64_t sum = 0;
    for (const Old& old : retired_)
      sum += old.bytes;
    for (const Load& load : loading_)
      sum += load.old_bytes;
    return sum;
  }

  void start(const Move& move) {
    TextureState& texture = states_[move.texture];
    EXPECT_FALSE(texture.busy);
    const std::uint64_t old_bytes =
        texture.resident == kNothingResident ? 0 : texture.level_bytes[texture.resident];
    used_ += texture.level_bytes[move.level];
    loading_.push_back({move.texture, old_bytes});
    texture.resident = move.level;
    texture.busy = true;
  }

  void finish(std::size_t index) {
    const Load load = loading_[index];
    loading_.erase(loading_.begin() + static_cast<std::ptrdiff_t>(index));
    states_[load.texture].busy = false;
    if (load.old_bytes > 0) retired_.push_back({load.old_bytes, 3});
  }

  std::uint64_t budget_;
  std::uint64_t used_ = 0;
  std::vector<std::vector<std::uint64_t>> chains_;
  std::vector<TextureState> states_;
  std::vector<Load> loading_;
  std::deque<Old> retired_;
};

World make_world(std::size_t materials, std::uint64_t budget) {
  World world(materials * 3, budget);
  for (std::size_t i = 0; i < world.size(); ++i) {
    world.set_chain(i, chain(8192, i % 3 == 1 ? 16 : 8, 7));
  }
  return world;
}

void wish(World& world, std::mt19937_64& random) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    world.state(i).wanted = static_cast<std::uint32_t>(random() % 7);
    world.state(i).pixels = random() % 3 == 0 ? 0.0f : static_cast<float>(random() % 100'000 + 1);
  }
}

/// Runs until nothing moves any more; fails when that takes too long.
void settle(World& world, std::mt19937_64& random, std::uint64_t budget) {
  for (int frame = 0; frame < 3000; ++frame) {
    const std::size_t moves = world.step(random);
    ASSERT_LE(world.used(), budget) << "frame " << frame;
    if (moves == 0 && world.idle()) return;
  }
  FAIL() << "textures still come and go after 3000 frames at rest";
}

TEST(StreamPlan, CoarsestMipsOfEverythingComeFirst) {
  World world = make_world(4, 1u << 30);
  for (std::size_t i = 0; i < world.size(); ++i)
    world.state(i).pixels = 100.0f;
  const Plan plan = world.plan();
  ASSERT_EQ(plan.moves.size(), 4u);
  for (const Move& move : plan.moves)
    EXPECT_EQ(move.level, 6u);
}

TEST(StreamPlan, NeverExceedsTheBudgetWithOldAndNewImagesTogether) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t budget = (std::uint64_t{50} + random() % 500) << 20;
    World world = make_world(8, budget);
    for (int frame = 0; frame < 600; ++frame) {
      if (random() % 40 == 0) wish(world, random);
      world.step(random);
      ASSERT_LE(world.used(), budget) << "round " << round << ", frame " << frame;
    }
  }
}

TEST(StreamPlan, ComesToRestWithNoUpgradeThatWouldFit) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t budget = (std::uint64_t{20} + random() % 1000) << 20;
    World world = make_world(8, budget);
    for (int pose = 0; pose < 3; ++pose) {
      wish(world, random);
      settle(world, random, budget);
      const Shortfall lack = world.lack();
      if (lack.textures_below_wanted == 0) continue;
      // The planner keeps room for one coarsest image free; beyond that nothing may be left over.
      std::uint64_t spare = 0;
      for (std::size_t i = 0; i < world.size(); ++i) {
        spare = std::max(spare, world.state(i).level_bytes.back());
      }
      EXPECT_GT(lack.smallest_upgrade + spare, budget - world.used()) << "round " << round;
    }
  }
}

TEST(StreamPlan, ReachesEveryWishWhereTheBudgetAllows) {
  std::mt19937_64 random(test_seed());
  const std::uint64_t budget = std::uint64_t{4} << 30;
  World world = make_world(8, budget);
  for (int pose = 0; pose < 5; ++pose) {
    wish(world, random);
    settle(world, random, budget);
    EXPECT_EQ(world.lack().textures_below_wanted, 0u);
  }
}

TEST(StreamPlan, WhatIsSeenIsServedBeforeWhatIsNot) {
  std::mt19937_64 random(test_seed());
  World world = make_world(2, std::uint64_t{200} << 20);
  for (std::size_t i = 0; i < world.size(); ++i) {
    world.state(i).wanted = 0;
    world.state(i).pixels = i < 3 ? 1000.0f : 0.0f;
  }
  const Plan plan = world.plan();
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT(plan.targets[i], plan.targets[i + 3]) << i;
  settle(world, random, std::uint64_t{200} << 20);
}

TEST(StreamPlan, LeastUsefulMipsGoFirst) {
  World world = make_world(1, std::uint64_t{130} << 20);
  // Two textures hold all of their mips without need; the one out of sight is to give them up.
  for (const std::size_t i : {0u, 2u}) {
    world.state(i).resident = 0;
    world.state(i).wanted = 3;
  }
  world.state(0).pixels = 5000.0f;
  world.state(1).resident = 6;
  world.state(1).wanted = 1;
  world.state(1).pixels = 9000.0f;
  const std::uint64_t used = 2 * world.state(0).level_bytes[0] + world.state(1).level_bytes[6];
  std::vector<TextureState> states{world.state(0), world.state(1), world.state(2)};
  const Plan plan = make_plan({states, std::uint64_t{100} << 20, used, 0, 4});
  ASSERT_EQ(plan.moves.size(), 1u);
  EXPECT_EQ(plan.moves[0].texture, 2u);
  EXPECT_EQ(plan.moves[0].level, plan.targets[2]);
}

TEST(StreamPlan, MipsWithoutNeedStayWhileNobodyNeedsTheRoom) {
  World world = make_world(1, std::uint64_t{1} << 30);
  for (std::size_t i = 0; i < 3; ++i) {
    world.state(i).resident = 0;
    world.state(i).wanted = 5;
  }
  EXPECT_TRUE(world.plan().moves.empty());
}

TEST(StreamPlan, AShrunkenBudgetTakesMipsAway) {
  std::mt19937_64 random(test_seed());
  const std::uint64_t large = std::uint64_t{600} << 20;
  const std::uint64_t small = std::uint64_t{150} << 20;
  World world = make_world(4, large);
  for (std::size_t i = 0; i < world.size(); ++i) {
    world.state(i).wanted = 0;
    world.state(i).pixels = 10.0f;
  }
  settle(world, random, large);
  ASSERT_GT(world.used(), small);
  world.set_budget(small);
  for (int frame = 0; frame < 3000 && (world.step(random) > 0 || !world.idle()); ++frame) {
  }
  EXPECT_LE(world.used(), small);
}

TEST(StreamPlan, RoomBesideWhatIsUsedLetsManyShrinkAtOnce) {
  const std::vector<std::uint64_t> levels = {1000, 250, 60};
  std::vector<TextureState> textures(10);
  for (TextureState& texture : textures)
    texture = {.level_bytes = levels, .wanted = 0, .resident = 0, .pixels = 1.0f};
  PlanInput input{.textures = textures, .budget = 3'500, .used = 10'000, .free_slots = 32};
  const auto taken = [&] {
    std::uint64_t bytes = 0;
    for (const Move& move : make_plan(input).moves)
      bytes += levels[move.level];
    return bytes;
  };
  EXPECT_LE(taken(), 60u);
  input.beside = 1'500;
  EXPECT_GT(taken(), 1'000u);
  EXPECT_LE(taken(), 1'500u);
}

TEST(StreamPlan, ABudgetTooSmallForAnythingMakesNoMove) {
  const World world = make_world(2, 1000);
  EXPECT_TRUE(world.plan().moves.empty());
}

TEST(StreamPlan, NoSlotMeansNoMove) {
  World world = make_world(2, std::uint64_t{1} << 30);
  std::vector<TextureState> states;
  for (std::size_t i = 0; i < world.size(); ++i)
    states.push_back(world.state(i));
  EXPECT_TRUE(make_plan({states, std::uint64_t{1} << 30, 0, 0, 0}).moves.empty());
}

TEST(StreamPlan, ShortfallNamesTheSmallestUpgrade) {
  World world = make_world(1, std::uint64_t{1} << 30);
  world.state(0).resident = 3;
  world.state(0).wanted = 3;
  world.state(1).resident = 4;
  world.state(1).wanted = 2;
  world.state(2).resident = 3;
  world.state(2).wanted = 0;
  EXPECT_EQ(world.lack().textures_below_wanted, 2u);
  EXPECT_EQ(world.lack().smallest_upgrade, world.state(1).level_bytes[3]);
}

}  // namespace
}  // namespace quarry::viewer
