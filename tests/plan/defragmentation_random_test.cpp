// SPDX-License-Identifier: MIT
// Properties of plans for random heaps, and small heaps against an exhaustive search.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"
#include "plan/defragmentation_planner.hpp"
#include "plan/defragmentation_world.hpp"

namespace quarry::plan {
namespace {

using test::DefragmentationWorld;
using Kind = DefragmentationGoal::Kind;

DefragmentationWorld random_world(test::Random& random) {
  DefragmentationWorld world;
  const std::uint64_t blocks = random.below(9);
  const std::uint64_t groups = random.between(1, 3);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const auto group = static_cast<std::uint32_t>(random.below(groups));
    const std::uint32_t block = world.add_block(random.between(1, 40) * 64, group);
    world.blocks[block].receives = !random.one_in(8);
    world.blocks[block].may_be_emptied = !random.one_in(8);
    std::uint64_t at = 0;
    while (at < world.blocks[block].size) {
      const std::uint64_t left = world.blocks[block].size - at;
      if (random.one_in(4) && left >= 64) {
        // Slabs of two kinds a group; one in eight slots is in some cache.
        const bool large = random.one_in(2) && left >= 128;
        const auto slots = static_cast<std::uint32_t>(large ? 64 : 16);
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - slots);
        world.add_slab_at(block, at, large ? 128 : 64, slots,
                          static_cast<std::uint16_t>(group * 2 + (large ? 1 : 0)),
                          (std::uint64_t{random.below(~0ull)} | 1) & all);
        if (random.one_in(8)) world.slabs.back().free &= random.below(~0ull);
        if (random.one_in(8)) world.slabs.back().movable &= random.below(~0ull);
        at += world.slabs.back().size;
      } else {
        const std::uint64_t size = std::min(left, random.any_magnitude(9));
        const std::uint64_t alignment =
            std::min(std::uint64_t{1} << random.below(6), at == 0 ? 64 : at & (0 - at));
        if (random.one_in(2)) world.add_piece_at(block, at, size, alignment, !random.one_in(16));
        at += size;
      }
    }
  }
  return world;
}

DefragmentationGoal random_goal(test::Random& random, const DefragmentationWorld& world) {
  constexpr Kind kKinds[] = {Kind::free_blocks, Kind::free_blocks, Kind::budget, Kind::room,
                             Kind::empty};
  DefragmentationGoal goal;
  goal.kind = kKinds[random.index(std::size(kKinds))];
  goal.bytes = goal.kind == Kind::budget ? random.below(world.reserved_bytes() + 1)
                                         : random.any_magnitude(12);
  goal.alignment = std::uint64_t{1} << random.below(6);
  goal.group = static_cast<std::uint32_t>(random.below(4));
  return goal;
}

DefragmentationBounds random_bounds(test::Random& random) {
  DefragmentationBounds bounds;
  if (random.one_in(3)) bounds.max_bytes = random.any_magnitude(12);
  if (random.one_in(3)) bounds.max_moves = static_cast<std::uint32_t>(random.below(20));
  if (random.one_in(3)) bounds.max_work = static_cast<std::uint32_t>(random.below(100));
  if (random.one_in(2)) bounds.most_live_percent = 100;
  return bounds;
}

TEST(DefragmentationRandom, PlansAreValidAndKeepTheirForecast) {
  DefragmentationPlanner planner(HostMemory::standard());
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    std::uint32_t moved = 0;
    for (int round = 0; round < 6000; ++round) {
      SCOPED_TRACE(round);
      DefragmentationWorld world = random_world(random);
      const DefragmentationGoal goal = random_goal(random, world);
      const DefragmentationBounds bounds = random_bounds(random);
      const std::vector<std::uint64_t> before = world.contents();
      const auto plan = planner.plan(world.snapshot(), goal, bounds);
      ASSERT_TRUE(plan);
      std::uint64_t bytes = 0;
      for (const DefragmentationMove& move : plan->moves)
        bytes += move.size;
      ASSERT_EQ(bytes, plan->forecast.bytes_moved);
      ASSERT_LE(bytes, bounds.max_bytes);
      ASSERT_LE(plan->moves.size(), bounds.max_moves);
      moved += plan->moves.empty() ? 0 : 1;
      std::vector<bool> held(world.blocks.size());
      for (std::uint32_t i = 0; i < held.size(); ++i)
        held[i] = world.live_bytes_of(i) > 0;
      ASSERT_EQ(world.apply(*plan), "");
      ASSERT_EQ(world.contents(), before);
      std::uint32_t freed = 0;
      std::uint64_t bytes_freed = 0;
      for (std::uint32_t i = 0; i < held.size(); ++i) {
        if (!held[i] || !world.is_empty(i)) continue;
        ++freed;
        bytes_freed += world.blocks[i].size;
      }
      if (goal.kind == Kind::room) {
        if (!plan->forecast.reached) continue;
        // The room is there: a piece can be put into it.
        DefragmentationWorld filled = world;
        filled.add_piece_at(plan->forecast.room_block, plan->forecast.room_offset, goal.bytes,
                            goal.alignment);
        ASSERT_TRUE(planner.plan(filled.snapshot(), {}, {.max_moves = 0}));
        continue;
      }
      ASSERT_EQ(freed, plan->forecast.blocks_freed);
      ASSERT_EQ(bytes_freed, plan->forecast.bytes_freed);
    }
    EXPECT_GT(moved, 1000u) << "most of these heaps have something to move";
  }
}

TEST(DefragmentationRandom, EveryGoalEnds) {
  DefragmentationPlanner planner(HostMemory::standard());
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    for (int round = 0; round < 600; ++round) {
      SCOPED_TRACE(round);
      DefragmentationWorld world = random_world(random);
      const DefragmentationGoal goal = random_goal(random, world);
      const DefragmentationBounds bounds = random_bounds(random);
      std::uint32_t plans = 0;
      for (;; ++plans) {
        ASSERT_LT(plans, 2000u);
        const auto plan = planner.plan(world.snapshot(), goal, bounds);
        ASSERT_TRUE(plan);
        if (plan->moves.empty()) break;
        ASSERT_EQ(world.apply(*plan), "");
      }
    }
  }
}

// ---- Exhaustive search: which blocks can be emptied into the gaps of the others, in one step?

struct Best {
  std::uint32_t freed = 0;
  std::uint64_t bytes = 0;
};

std::vector<std::uint64_t> gaps_of(const DefragmentationWorld& world, std::uint32_t block) {
  std::vector<std::uint64_t> gaps;
  std::uint64_t at = 0;
  for (const auto& piece : world.pieces) {
    if (piece.block != block) continue;
    if (piece.offset > at) gaps.push_back(piece.offset - at);
    at = piece.offset + piece.size;
  }
  if (at < world.blocks[block].size) gaps.push_back(world.blocks[block].size - at);
  return gaps;
}

bool fits(const std::vector<std::uint64_t>& pieces, std::size_t index,
          std::vector<std::uint64_t>& gaps) {
  if (index == pieces.size()) return true;
  for (std::uint64_t& gap : gaps) {
    if (gap < pieces[index]) continue;
    gap -= pieces[index];
    const bool found = fits(pieces, index + 1, gaps);
    gap += pieces[index];
    if (found) return true;
  }
  return false;
}

Best search(const DefragmentationWorld& world) {
  Best best;
  const auto blocks = static_cast<std::uint32_t>(world.blocks.size());
  for (std::uint32_t set = 1; set < 1u << blocks; ++set) {
    std::vector<std::uint64_t> pieces;
    std::vector<std::uint64_t> gaps;
    std::uint64_t bytes = 0;
    bool all_hold = true;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      if ((set >> block & 1) == 0) {
        for (const std::uint64_t gap : gaps_of(world, block))
          gaps.push_back(gap);
        continue;
      }
      all_hold = all_hold && !world.is_empty(block);
      for (const auto& piece : world.pieces) {
        if (piece.block != block) continue;
        pieces.push_back(piece.size);
        bytes += piece.size;
      }
    }
    const auto freed = static_cast<std::uint32_t>(std::popcount(set));
    if (!all_hold || freed < best.freed || (freed == best.freed && bytes >= best.bytes)) continue;
    std::sort(pieces.rbegin(), pieces.rend());
    if (fits(pieces, 0, gaps)) best = {freed, bytes};
  }
  return best;
}

TEST(DefragmentationRandom, SmallHeapsComeOutNearTheOptimum) {
  DefragmentationPlanner planner(HostMemory::standard());
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    constexpr int kRounds = 3000;
    int behind = 0;
    int ahead = 0;
    std::uint64_t least_bytes = 0;
    std::uint64_t bytes = 0;
    for (int round = 0; round < kRounds; ++round) {
      DefragmentationWorld world;
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t block = world.add_block(64);
        std::uint64_t at = random.below(20);
        // One piece at least in each, so that an empty block never takes part.
        for (int k = 0; k < 3 && at < 60; ++k) {
          const std::uint64_t size = random.between(1, std::min<std::uint64_t>(30, 64 - at));
          world.add_piece_at(block, at, size);
          at += size + random.below(20);
        }
      }
      const Best best = search(world);
      const auto plan = planner.plan(world.snapshot(), {}, {.most_live_percent = 100});
      ASSERT_TRUE(plan);
      // Two steps may do more than the one that is searched here.
      behind += plan->forecast.blocks_freed < best.freed ? 1 : 0;
      ahead += plan->forecast.blocks_freed > best.freed ? 1 : 0;
      if (best.freed == plan->forecast.blocks_freed) {
        least_bytes += best.bytes;
        bytes += plan->forecast.bytes_moved;
      }
    }
    std::printf("fewer blocks in %d, more in %d of %d heaps; moved %.3f times the least bytes\n",
                behind, ahead, kRounds,
                static_cast<double>(bytes) / static_cast<double>(least_bytes));
    EXPECT_LE(behind * 100, kRounds * 7);
    EXPECT_LE(bytes * 100, least_bytes * 110);
  }
}

}  // namespace
}  // namespace quarry::plan
