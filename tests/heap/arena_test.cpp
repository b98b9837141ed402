// SPDX-License-Identifier: MIT
#include "heap/arena.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "device/opened_device.hpp"
#include "memory/budget.hpp"

namespace quarry::heap {
namespace {

/// An arena whose blocks the test makes itself.
struct Bench {
  explicit Bench(PoolAlgorithm algorithm = PoolAlgorithm::tlsf)
      : opened(fakes::profiles::single_type()),
        arena({.algorithm = algorithm}, host.memory(), nullptr) {
    budget.open(opened.device, {});
  }
  ~Bench() {
    while (arena.take_any() != nullptr) {
    }
  }

  Block& new_block(VkDeviceSize size) {
    auto block = std::make_unique<Block>();
    EXPECT_TRUE(block->memory.allocate(opened.device, budget, {.memory_type = 0, .size = size}));
    block->space.emplace(arena.traits().algorithm, size, host.memory());
    blocks.push_back(std::move(block));
    return *blocks.back();
  }
  Block& add(VkDeviceSize size, std::uint64_t now = 0) {
    Block& block = new_block(size);
    OffsetAllocation nowhere;
    EXPECT_EQ(arena.adopt(block, nullptr, now, nowhere), OffsetError::none);
    return block;
  }
  Arena::Placed place(std::uint64_t size, std::uint64_t alignment = 1) {
    Arena::Placed placed;
    EXPECT_EQ(arena.place({.size = size, .alignment = alignment}, placed), OffsetError::none);
    return placed;
  }
  bool remove(const Arena::Placed& placed, std::uint64_t now = 0) {
    bool emptied = false;
    EXPECT_EQ(arena.remove(*placed.block, placed.where.handle, now, emptied), OffsetError::none);
    return emptied;
  }

  test::CountingHost host;
  device::OpenedDevice opened;
  memory::Budget budget;
  std::vector<std::unique_ptr<Block>> blocks;
  Arena arena;
};

TEST(Arena, WithoutBlocksNothingIsPlaced) {
  Bench bench;
  Arena::Placed placed;
  EXPECT_EQ(bench.arena.place({.size = 1}, placed), OffsetError::out_of_space);
  EXPECT_FALSE(bench.arena.could_place({.size = 1}));
  EXPECT_EQ(bench.arena.take_empty(Arena::kNeverEmpty, 0), nullptr);
  EXPECT_EQ(bench.arena.take_any(), nullptr);
  EXPECT_EQ(bench.arena.block_count(), 0u);
}

TEST(Arena, TheTightestBlockWithRoomIsTaken) {
  Bench bench;
  Block& large = bench.add(4'000);
  Block& small = bench.add(1'000);
  EXPECT_EQ(bench.place(600).block, &small);
  EXPECT_EQ(bench.place(600).block, &large);
  EXPECT_EQ(bench.place(300).block, &small);
  EXPECT_EQ(bench.place(100).block, &small);
  EXPECT_EQ(bench.place(100).block, &large);
  EXPECT_EQ(bench.arena.block_bytes(), 5'000u);
}

TEST(Arena, ABlockWhoseLargestRangeIsTooSmallByALittleIsPassedBy) {
  Bench bench;
  Block& roomy = bench.add(4'096);
  std::vector<Block*> tight;
  // All of the class of the request, none large enough.
  for (int i = 0; i < 100; ++i)
    tight.push_back(&bench.add(1'000));
  ASSERT_EQ(Tlsf::class_of(1'000), Tlsf::class_of(1'001));
  EXPECT_EQ(bench.place(1'001).block, &roomy);
}

TEST(Arena, ABlockThatWasTakenOutIsNotFoundAgain) {
  Bench bench;
  (void)bench.add(1'000);
  (void)bench.add(1'000);
  (void)bench.place(1'000);
  (void)bench.place(1'000);
  Block* const third = &bench.add(1'000);
  EXPECT_EQ(bench.arena.take_empty(Arena::kNeverEmpty, 0), third);
  Block& fourth = bench.add(2'000);
  EXPECT_EQ(bench.place(1'500).block, &fourth);
}

TEST(Shard, SharesItsBlocksAndEachFindsItsOwn) {
  Bench bench;
  Shard one;
  Shard other;
  std::vector<Block*> blocks;
  const base::MutexLock lock(one.mutex());
  const base::MutexLock other_lock(other.mutex());
  for (std::uint64_t i = 0; i < 6; ++i) {
    blocks.push_back(&bench.new_block(1'000));
    one.insert(*blocks.back(), 10 + i);
  }
  PlacedRange held;
  ASSERT_EQ(one.place({.size = 700}, held), OffsetError::none);
  EXPECT_EQ(one.empty_bytes(), 5'000u);
  one.share_with(other);
  EXPECT_EQ(one.block_count(), 3u);
  EXPECT_EQ(other.block_count(), 3u);
  EXPECT_EQ(one.empty_bytes() + other.empty_bytes(), 5'000u);
  std::uint32_t placed_count = 0;
  for (Shard* each : {&one, &other}) {
    PlacedRange placed;
    while (each->place({.size = 1'000}, placed) == OffsetError::none) {
      EXPECT_EQ(placed.block->shard.load(), each);
      ++placed_count;
      bool emptied = false;
      ASSERT_EQ(each->remove(*placed.block, placed.where.handle, 99, emptied), OffsetError::none);
      EXPECT_TRUE(emptied);
      EXPECT_EQ(each->longest_empty()->empty_since >= 10, true);
      each->take_out(*placed.block);
    }
  }
  EXPECT_EQ(placed_count, 5u);
  EXPECT_EQ(one.block_count() + other.block_count(), 1u);
  EXPECT_EQ(held.block->shard.load()->block_count(), 1u);
}

TEST(Arena, TheBlockThatIsEmptyLongestIsTakenOutAndTheMinimumStays) {
  Bench bench;
  Block& late = bench.add(1'000, 30);
  Block& early = bench.add(1'000, 10);
  Block& middle = bench.add(1'000, 20);
  EXPECT_EQ(bench.arena.oldest_empty(0), 10u);
  EXPECT_EQ(bench.arena.releasable_bytes(0), 3'000u);
  EXPECT_EQ(bench.arena.releasable_bytes(1), 2'000u);
  EXPECT_EQ(bench.arena.releasable_bytes(5), 0u);
  EXPECT_EQ(bench.arena.take_empty(9, 0), nullptr);
  EXPECT_EQ(bench.arena.take_empty(10, 0), &early);
  EXPECT_EQ(bench.arena.take_empty(100, 1), &middle);
  EXPECT_EQ(bench.arena.take_empty(100, 1), nullptr);
  EXPECT_EQ(bench.arena.oldest_empty(1), Arena::kNeverEmpty);
  EXPECT_EQ(bench.arena.take_empty(100, 0), &late);
}

TEST(Arena, ABlockInUseIsNotTakenUntilItIsEmptyAgain) {
  Bench bench;
  Block& block = bench.add(1'000, 5);
  const Arena::Placed a = bench.place(100);
  const Arena::Placed b = bench.place(100);
  EXPECT_EQ(bench.arena.releasable_bytes(0), 0u);
  EXPECT_EQ(bench.arena.take_empty(Arena::kNeverEmpty, 0), nullptr);
  EXPECT_FALSE(bench.remove(a, 7));
  EXPECT_TRUE(bench.remove(b, 9));
  EXPECT_EQ(bench.arena.oldest_empty(0), 9u);
  EXPECT_EQ(bench.arena.releasable_bytes(0), 1'000u);
  EXPECT_EQ(bench.arena.take_empty(9, 0), &block);
}

TEST(Arena, AskingWhetherThereIsRoomTakesNone) {
  for (const PoolAlgorithm algorithm :
       {PoolAlgorithm::tlsf, PoolAlgorithm::linear, PoolAlgorithm::buddy}) {
    Bench bench(algorithm);
    Block& block = bench.add(1'024, 3);
    EXPECT_TRUE(bench.arena.could_place({.size = 1'024}));
    EXPECT_FALSE(bench.arena.could_place({.size = 1'025}));
    EXPECT_TRUE(block.space->empty());
    EXPECT_EQ(bench.arena.releasable_bytes(0), 1'024u);
    EXPECT_EQ(bench.arena.oldest_empty(0), 3u);
    (void)bench.place(1'024);
    EXPECT_FALSE(bench.arena.could_place({.size = 1}));
  }
}

TEST(Arena, ARequestThatABlockCannotServeIsAnErrorAndTheBlockStaysTheCallers) {
  Bench bench;
  Block& block = bench.new_block(100);
  OffsetAllocation where;
  const OffsetRequest too_large{.size = 200};
  EXPECT_EQ(bench.arena.adopt(block, &too_large, 0, where), OffsetError::out_of_space);
  EXPECT_EQ(bench.arena.block_count(), 0u);
  bench.host.fail_from(bench.host.allocations());
  const OffsetRequest small{.size = 10};
  EXPECT_EQ(bench.arena.adopt(block, &small, 0, where), OffsetError::out_of_host_memory);
  EXPECT_EQ(bench.arena.block_count(), 0u);
  bench.host.fail_from(test::CountingHost::kNever);
  EXPECT_EQ(bench.arena.adopt(block, &small, 0, where), OffsetError::none);
}

TEST(Arena, AStaleRangeIsRefused) {
  Bench bench;
  (void)bench.add(1'000);
  const Arena::Placed placed = bench.place(100);
  (void)bench.remove(placed);
  bool emptied = false;
  EXPECT_EQ(bench.arena.remove(*placed.block, placed.where.handle, 0, emptied),
            OffsetError::stale_handle);
}

TEST(Arena, ManyNearlyFullBlocksDoNotHideOneWithRoom) {
  Bench bench;
  // Largest free ranges of the request's own class that are all a little too small.
  for (int i = 0; i < 100; ++i) {
    (void)bench.add(4'096);
    (void)bench.place(4'096 - 1'030);
  }
  Block& last = bench.add(4'096);
  EXPECT_EQ(bench.place(1'040).block, &last);
}

}  // namespace
}  // namespace quarry::heap
