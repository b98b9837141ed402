// SPDX-License-Identifier: MIT
// The goals beside whole blocks: room for a request, a memory type without blocks; and moves by the
// owner that need the place of earlier ones.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "heap/defragmentation_rig.hpp"

namespace quarry::test {
namespace {

using Goal = DefragmentationDesc::Goal;

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;
constexpr VkDeviceSize kRequest = kMiB / 4 * 3;
constexpr std::uint32_t kDeviceType = 1;
constexpr std::uint32_t kHostType = 2;
constexpr std::uint32_t kVisibleType = 4;  ///< device-local, too

class DefragmentationGoals : public testing::Test {
 protected:
  Defragmentation begin(const DefragmentationDesc& desc) {
    auto pass = Defragmentation::begin(rig.allocator, desc);
    EXPECT_TRUE(pass);
    return pass ? std::move(*pass) : Defragmentation();
  }

  DefragmentationRig rig{[](AllocatorDesc& desc) { desc.blocks.large_request = VK_WHOLE_SIZE; }};
};

TEST_F(DefragmentationGoals, MakeRoomForARequest) {
  for (std::uint32_t i = 0; i < 64; ++i)
    rig.add_buffer(kMiB / 4);
  rig.destroy_every_other();
  {
    Defragmentation pass = begin({.goal = Goal::make_room, .bytes = kRequest, .alignment = 4096});
    EXPECT_TRUE(pass.reaches_goal());
    EXPECT_GT(pass.planned_bytes(), 0u);
    EXPECT_LE(pass.planned_bytes(), kRequest);
    rig.run(pass);
  }
  rig.gpu.reset_calls();
  rig.add_buffer(kRequest);
  EXPECT_EQ(rig.driver_allocations(), 0u);
  {
    Defragmentation pass = begin({.goal = Goal::make_room, .bytes = kMiB / 8});
    EXPECT_TRUE(pass.reaches_goal());
    EXPECT_TRUE(pass.done()) << "there is room already";
  }
  {
    Defragmentation pass = begin({.goal = Goal::make_room, .bytes = 64 * kMiB});
    EXPECT_FALSE(pass.reaches_goal()) << "no block is that large";
    EXPECT_TRUE(pass.done());
  }
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationGoals, RequestNeedsABlockWithoutTheRoom) {
  for (std::uint32_t i = 0; i < 64; ++i)
    rig.add_buffer(kMiB / 4);
  rig.destroy_every_other();
  rig.gpu.reset_calls();
  rig.add_buffer(kRequest);
  EXPECT_EQ(rig.driver_allocations(), 1u);
  rig.destroy_all();
}

TEST_F(DefragmentationGoals, EmptyATypeIntoAnother) {
  for (std::uint32_t i = 0; i < 40; ++i)
    rig.add_buffer(kMiB / 2);
  for (std::uint32_t i = 0; i < 8; ++i)
    rig.add_image(256, 256);
  for (const auto& resource : rig.resources)
    ASSERT_EQ(rig.allocator.info(resource.allocation)->memory_type, kDeviceType);
  const Totals before = rig.allocator.memory_type_totals(kDeviceType);
  {
    Defragmentation pass = begin(
        {.goal = Goal::empty_type, .into_type = kVisibleType, .memory_types = 1u << kDeviceType});
    EXPECT_TRUE(pass.reaches_goal());
    rig.run(pass);
    EXPECT_EQ(pass.figures().moves, rig.resources.size());
  }
  EXPECT_EQ(rig.allocator.memory_type_totals(kDeviceType).block_bytes, 0u);
  EXPECT_EQ(rig.allocator.memory_type_totals(kDeviceType).allocation_count, 0u);
  EXPECT_GE(rig.allocator.memory_type_totals(kVisibleType).allocation_bytes,
            before.allocation_bytes);
  for (const auto& resource : rig.resources)
    EXPECT_EQ(rig.allocator.info(resource.allocation)->memory_type, kVisibleType);
  rig.expect_contents();
  rig.destroy_all();
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  EXPECT_EQ(rig.allocator.memory_type_totals(kVisibleType).allocation_count, 0u);
}

TEST_F(DefragmentationGoals, WhatMayNotLieInTheOtherTypeStays) {
  rig.add_buffer(kMiB, {.movable = true});
  rig.add_buffer(kMiB, {.movable = true, .required_flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
  rig.add_buffer(kMiB, {.movable = true, .memory_type_bits = 1u << kDeviceType});
  {
    Defragmentation pass = begin(
        {.goal = Goal::empty_type, .into_type = kHostType, .memory_types = 1u << kDeviceType});
    EXPECT_FALSE(pass.reaches_goal());
    rig.run(pass);
    EXPECT_EQ(pass.figures().moves, 1u);
  }
  EXPECT_EQ(rig.allocator.info(rig.resources[0].allocation)->memory_type, kHostType);
  EXPECT_EQ(rig.allocator.memory_type_totals(kDeviceType).allocation_count, 2u);
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationGoals, ThatMakeNoSenseAreRefused) {
  const DefragmentationDesc wrong[] = {
      {.goal = Goal::make_room},
      {.goal = Goal::make_room, .bytes = 1, .alignment = 3},
      {.goal = Goal::empty_type, .into_type = 1, .memory_types = 2},
      {.goal = Goal::empty_type, .into_type = 31, .memory_types = 2},
      {.goal = Goal::empty_type, .into_type = 2, .memory_types = 2, .by_owner = true},
      {.goal = static_cast<Goal>(9)}};
  for (const DefragmentationDesc& desc : wrong)
    EXPECT_EQ(reason_of(Defragmentation::begin(rig.allocator, desc)), Reason::bad_argument);
}

TEST_F(DefragmentationGoals, ProposalsWaitForThePlaceOfEarlierOnes) {
  // In the first two blocks, gaps too narrow for what is in the third, next to small
  // pieces that have room elsewhere.
  const auto allocate = [&](VkDeviceSize size) {
    const auto made = rig.allocator.allocate({size, 256, ~0u}, ResourceKind::linear,
                                             {.dedicated = Dedicated::never, .movable = true});
    EXPECT_TRUE(made);
    return made ? *made : Allocation{};
  };
  std::vector<Allocation> live;
  std::vector<Allocation> gaps;
  constexpr VkDeviceSize kUnit = kMiB / 8;
  for (int block = 0; block < 2; ++block) {
    gaps.push_back(allocate(6 * kUnit));
    live.push_back(allocate(kUnit));
    gaps.push_back(allocate(6 * kUnit));
    live.push_back(allocate(17 * kUnit));
  }
  live.push_back(allocate(12 * kUnit));
  for (const Allocation gap : gaps)
    ASSERT_TRUE(rig.allocator.free(gap));
  std::uint32_t held_back = 0;
  {
    Defragmentation pass = begin({.by_owner = true});
    ASSERT_FALSE(pass.done());
    std::vector<Allocation> old_places;
    for (int round = 0; !pass.done() && round < 100; ++round) {
      const auto proposed = pass.propose(VK_WHOLE_SIZE, 16);
      ASSERT_TRUE(proposed);
      if (proposed->empty()) {
        ++held_back;
        for (const Allocation old : old_places)
          EXPECT_TRUE(rig.allocator.free(old));
        old_places.clear();
        continue;
      }
      for (const ProposedMove& move : *proposed) {
        ASSERT_TRUE(pass.commit(move));
        old_places.push_back(move.destination);
      }
    }
    EXPECT_TRUE(pass.done());
    EXPECT_EQ(pass.figures().given_up, 0u);
    for (const Allocation old : old_places)
      EXPECT_TRUE(rig.allocator.free(old));
  }
  EXPECT_GT(held_back, 0u);
  EXPECT_EQ(rig.allocator.memory_type_totals(kDeviceType).block_count, 2u);
  for (const Allocation each : live)
    EXPECT_TRUE(rig.allocator.free(each));
}

}  // namespace
}  // namespace quarry::test
