// SPDX-License-Identifier: MIT
#include "plan/defragmentation_planner.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "base/seed.hpp"
#include "plan/defragmentation_heaps.hpp"
#include "plan/defragmentation_world.hpp"

namespace quarry::plan {
namespace {

using test::DefragmentationWorld;
using Kind = DefragmentationGoal::Kind;

constexpr std::uint64_t kKiB = 1024;

class DefragmentationPlannerTest : public testing::Test {
 protected:
  DefragmentationPlan make(DefragmentationWorld& world, const DefragmentationGoal& goal = {},
                           const DefragmentationBounds& bounds = {}) {
    auto made = planner.plan(world.snapshot(), goal, bounds);
    EXPECT_TRUE(made);
    return made ? *made : DefragmentationPlan{};
  }
  /// Plans and carries out until there is nothing to do; how many plans that took.
  std::uint32_t repeat(DefragmentationWorld& world, const DefragmentationGoal& goal,
                       const DefragmentationBounds& bounds, std::uint32_t most) {
    for (std::uint32_t passes = 0; passes < most; ++passes) {
      const DefragmentationPlan plan = make(world, goal, bounds);
      if (plan.moves.empty()) return passes;
      const std::string wrong = world.apply(plan);
      EXPECT_EQ(wrong, "");
      if (!wrong.empty()) return passes;
      if (goal.kind != Kind::empty) world.drop_empty_blocks();
    }
    ADD_FAILURE() << "no end after " << most << " plans";
    return most;
  }

  DefragmentationPlanner planner{HostMemory::standard()};
};

TEST_F(DefragmentationPlannerTest, HalfFreedHeapIsDenseAfterwards) {
  for (const std::uint64_t seed : test::seeds(8)) {
    test::Random random(seed);
    DefragmentationWorld world = test::half_freed_heap(random, 64, 4 * kKiB, 8192 * kKiB);
    const std::vector<std::uint64_t> before = world.contents();
    const std::uint64_t bound = test::least_bytes_to_move(world);
    const DefragmentationPlan plan = make(world);
    const DefragmentationForecast forecast = plan.forecast;
    ASSERT_EQ(world.apply(plan), "");
    EXPECT_EQ(world.drop_empty_blocks(), forecast.blocks_freed);
    EXPECT_EQ(world.contents(), before);
    EXPECT_LE(world.reserved_bytes() * 100, world.live_bytes() * 105);
    EXPECT_LE(forecast.bytes_moved * 10, bound * 12);
  }
}

TEST_F(DefragmentationPlannerTest, DenseHeapNeedsNoMove) {
  DefragmentationWorld world;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t block = world.add_block(1024 * kKiB);
    for (std::uint32_t k = 0; k < 15; ++k)
      world.add_piece_at(block, k * 64 * kKiB, 64 * kKiB);
  }
  EXPECT_TRUE(make(world).moves.empty());
  EXPECT_TRUE(make(world, {.kind = Kind::budget, .bytes = 0}).moves.empty());
  DefragmentationWorld nothing;
  EXPECT_TRUE(make(nothing).moves.empty());
}

TEST_F(DefragmentationPlannerTest, SmallPlansArriveWhereOneLargeDoes) {
  for (const std::uint64_t seed : test::seeds(3)) {
    test::Random random(seed);
    DefragmentationWorld world = test::half_freed_heap(random, 12, 64 * kKiB, 8192 * kKiB);
    DefragmentationWorld copy = world;
    repeat(copy, {}, {}, 20);
    const std::uint64_t live = world.live_bytes();
    repeat(world, {}, {.max_bytes = 16384 * kKiB, .max_moves = 12}, 1000);
    EXPECT_EQ(world.live_bytes(), live);
    EXPECT_LE(world.blocks.size(), copy.blocks.size() + 1);
  }
}

TEST_F(DefragmentationPlannerTest, F37RefusedMovesEndNothingEarly) {
  for (const std::uint64_t seed : test::seeds(3)) {
    test::Random random(seed);
    DefragmentationWorld world = test::half_freed_heap(random, 12, 64 * kKiB, 8192 * kKiB);
    // All of the first plans' moves are refused: these pieces are pinned from then on.
    for (std::uint32_t i = 0; i < 3; ++i) {
      const DefragmentationPlan plan = make(world, {}, {.max_bytes = 16384 * kKiB});
      ASSERT_FALSE(plan.moves.empty()) << i;
      for (const DefragmentationMove& move : plan.moves)
        world.pieces[move.piece].movable = false;
    }
    const std::size_t blocks = world.blocks.size();
    repeat(world, {}, {.max_bytes = 16384 * kKiB}, 1000);
    EXPECT_LT(world.blocks.size(), blocks);
    // And when every move is refused for ever, there is an end, too.
    DefragmentationWorld stubborn = test::half_freed_heap(random, 6, 64 * kKiB, 8192 * kKiB);
    std::size_t passes = 0;
    for (; passes <= stubborn.pieces.size(); ++passes) {
      const DefragmentationPlan plan = make(stubborn, {}, {.max_moves = 4});
      if (plan.moves.empty()) break;
      for (const DefragmentationMove& move : plan.moves)
        stubborn.pieces[move.piece].movable = false;
    }
    EXPECT_LE(passes, stubborn.pieces.size());
  }
}

TEST_F(DefragmentationPlannerTest, PinnedPiecesKeepTheirBlock) {
  DefragmentationWorld world;
  for (std::uint32_t i = 0; i < 3; ++i)
    world.add_piece_at(world.add_block(64), 0, 8, 1, i != 1);
  const DefragmentationPlan plan = make(world);
  EXPECT_EQ(plan.forecast.blocks_freed, 2u);
  for (const DefragmentationMove& move : plan.moves)
    EXPECT_EQ(move.block, 1u);
  EXPECT_EQ(world.apply(plan), "");
}

TEST_F(DefragmentationPlannerTest, WeightsDecideBetweenEqualBlocks) {
  DefragmentationWorld world;
  for (std::uint32_t i = 0; i < 2; ++i)
    world.add_piece_at(world.add_block(64 * kKiB), 0, 16 * kKiB);
  for (const std::uint32_t heavy : {0u, 1u}) {
    world.pieces[heavy].weight = 8;
    world.pieces[1 - heavy].weight = 0;
    const DefragmentationPlan plan = make(world);
    ASSERT_EQ(plan.moves.size(), 1u);
    EXPECT_EQ(plan.moves[0].piece, 1 - heavy);
  }
}

TEST_F(DefragmentationPlannerTest, BudgetFreesNoMoreThanItMust) {
  DefragmentationWorld world;
  for (std::uint32_t i = 0; i < 8; ++i)
    world.add_piece_at(world.add_block(64), 0, 8 + i);
  const DefragmentationPlan plan = make(world, {.kind = Kind::budget, .bytes = 5 * 64});
  EXPECT_TRUE(plan.forecast.reached);
  EXPECT_EQ(plan.forecast.blocks_freed, 3u);
  EXPECT_EQ(plan.forecast.bytes_moved, 8u + 9 + 10) << "the emptiest";
  EXPECT_FALSE(make(world, {.kind = Kind::budget, .bytes = 64}).forecast.reached);
}

TEST_F(DefragmentationPlannerTest, RoomMovesTheSmallPieceOutOfTheWay) {
  DefragmentationWorld world;
  const std::uint32_t first = world.add_block(64);
  world.add_piece_at(first, 0, 20);
  world.add_piece_at(first, 40, 2);
  const std::uint32_t second = world.add_block(64);
  world.add_piece_at(second, 10, 40);
  const DefragmentationPlan plan = make(world, {.kind = Kind::room, .bytes = 44});
  ASSERT_EQ(plan.moves.size(), 1u);
  EXPECT_EQ(plan.forecast.bytes_moved, 2u);
  EXPECT_TRUE(plan.forecast.reached);
  EXPECT_EQ(plan.forecast.room_block, first);
  EXPECT_EQ(plan.forecast.room_offset, 20u);
  ASSERT_EQ(world.apply(plan), "");
  // Now it is there, so that nothing is to be done.
  const DefragmentationPlan again = make(world, {.kind = Kind::room, .bytes = 44});
  EXPECT_TRUE(again.moves.empty());
  EXPECT_TRUE(again.forecast.reached);
  EXPECT_TRUE(make(world, {.kind = Kind::room, .bytes = 64}).forecast.reached);
  EXPECT_FALSE(make(world, {.kind = Kind::room, .bytes = 65}).forecast.reached);
}

TEST_F(DefragmentationPlannerTest, EmptiesOneKindOfMemoryIntoAnother) {
  DefragmentationWorld world;
  for (std::uint32_t i = 0; i < 3; ++i)
    world.add_piece_at(world.add_block(64), 30, 30);
  const std::uint32_t target = world.add_block(64);
  world.blocks[target].may_be_emptied = false;
  for (std::uint32_t i = 0; i < 3; ++i)
    world.blocks[i].receives = false;
  const DefragmentationPlan plan = make(world, {.kind = Kind::empty});
  EXPECT_EQ(plan.forecast.blocks_freed, 2u) << "there is no room for the third";
  EXPECT_FALSE(plan.forecast.reached);
  EXPECT_EQ(world.apply(plan), "");
  world.blocks[world.add_block(64)].may_be_emptied = false;
  EXPECT_TRUE(make(world, {.kind = Kind::empty}).forecast.reached);
}

TEST_F(DefragmentationPlannerTest, SlotsFillTheFullestSlabsAndThenNewOnes) {
  DefragmentationWorld world;
  const std::uint32_t leaves = world.add_block(64);
  world.add_slab_at(leaves, 0, 32, 8, 3, 0x7F);
  const std::uint32_t stays = world.add_block(256);
  world.add_slab_at(stays, 0, 32, 8, 3, 0x0F);
  world.add_slab_at(stays, 32, 32, 8, 3, 0xFE);
  world.add_piece_at(stays, 100, 100);
  const DefragmentationPlan plan = make(world);
  EXPECT_EQ(plan.forecast.blocks_freed, 1u);
  ASSERT_EQ(plan.moves.size(), 7u);
  EXPECT_EQ(plan.moves[0].to_slab, 2u) << "the fullest";
  EXPECT_EQ(plan.new_slabs.size(), 1u);
  EXPECT_EQ(world.apply(plan), "");
  EXPECT_TRUE(world.is_empty(leaves));
}

TEST_F(DefragmentationPlannerTest, RefusesWhatIsNoHeap) {
  const auto refused = [&](const DefragmentationWorld& world) {
    const auto made = planner.plan(
        {.blocks = world.blocks, .pieces = world.pieces, .slabs = world.slabs}, {}, {});
    return !made && made.error() == DefragmentationError::invalid_snapshot;
  };
  DefragmentationWorld good;
  const std::uint32_t block = good.add_block(64);
  good.add_piece_at(block, 0, 16);
  good.add_piece_at(block, 16, 16);
  good.add_slab_at(block, 32, 32, 8, 0, 1);
  EXPECT_FALSE(refused(good));
  const auto with = [&](auto&& change) {
    DefragmentationWorld world = good;
    change(world);
    return world;
  };
  EXPECT_TRUE(refused(with([](auto& w) { w.pieces[1].offset = 15; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.pieces[1].block = 1; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.pieces[1].size = 49; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.pieces[1].size = 0; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.pieces[1].alignment = 3; })));
  EXPECT_TRUE(refused(with([](auto& w) { std::swap(w.pieces[0], w.pieces[1]); })));
  EXPECT_TRUE(refused(with([](auto& w) { w.slabs[0].slots = 0; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.slabs[0].free = 1; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.slabs[0].movable = 2; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.slabs[0].offset = 33; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.slabs[0].offset = 31; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.slabs[0].offset = 0; })));
  EXPECT_TRUE(refused(with([](auto& w) { w.blocks[0].size = ~std::uint64_t{0}; })));
}

TEST_F(DefragmentationPlannerTest, SaysWhenThereIsNoHostMemory) {
  test::Random random(1);
  DefragmentationWorld world = test::half_freed_heap(random, 4, 64 * kKiB, 8192 * kKiB);
  const DefragmentationSnapshot snapshot = world.snapshot();
  bool made = false;
  for (std::size_t allowed = 0; !made && allowed < 1000; ++allowed) {
    test::CountingHost host;
    host.fail_from(allowed);
    DefragmentationPlanner poor(host.memory());
    const auto plan = poor.plan(snapshot, {}, {});
    made = plan.has_value();
    if (!made) {
      EXPECT_EQ(plan.error(), DefragmentationError::out_of_host_memory);
    }
  }
  EXPECT_TRUE(made);
}

}  // namespace
}  // namespace quarry::plan
