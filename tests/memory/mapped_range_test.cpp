// SPDX-License-Identifier: MIT
#include "memory/mapped_range.hpp"

#include <string>

#include <gtest/gtest.h>

#include "memory/topology.hpp"

namespace quarry::memory {
namespace {

namespace profiles = fakes::profiles;

TEST(AtomRange, F20EndsAtTheMemorysEndOrOnAnAtom) {
  const PlacedRange dedicated{.memory_size = 39'824, .offset = 0, .size = 39'824};
  const auto range = atom_range(64, dedicated, 0, 39'816);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->offset, 0u);
  EXPECT_EQ(range->size, 39'824u);

  const auto inner = atom_range(64, dedicated, 100, 28);
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->offset, 64u);
  EXPECT_EQ(inner->size, 64u);
}

TEST(AtomRange, F22RandomRangesStayOnTheirOwnAtoms) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  DeviceFacts facts = facts_of(profiles::non_coherent());
  constexpr std::uint32_t kNonCoherentType = 3;

  for (const VkDeviceSize atom : {64u, 256u}) {
    facts.properties.limits.nonCoherentAtomSize = atom;
    for (int round = 0; round < 4000; ++round) {
      const VkDeviceSize alignment =
          placement_alignment(facts, kNonCoherentType, VkDeviceSize{1} << (random() % 10));
      PlacedRange allocation;
      allocation.offset = alignment * (random() % 50);
      allocation.size = placement_size(facts, kNonCoherentType, 1 + random() % 5000);
      allocation.memory_size = allocation.offset + allocation.size + random() % 3 * 1000;
      const VkDeviceSize offset = random() % allocation.size;
      const VkDeviceSize size =
          random() % 5 == 0 ? VK_WHOLE_SIZE : 1 + random() % (allocation.size - offset);

      const auto range = atom_range(atom, allocation, offset, size);
      ASSERT_TRUE(range);
      const VkDeviceSize end = range->offset + range->size;
      const VkDeviceSize asked_end =
          allocation.offset + (size == VK_WHOLE_SIZE ? allocation.size : offset + size);
      ASSERT_EQ(range->offset % atom, 0u);
      ASSERT_TRUE(range->size % atom == 0 || end == allocation.memory_size);
      ASSERT_LE(range->offset, allocation.offset + offset);
      ASSERT_GE(end, asked_end);
      ASSERT_GE(range->offset, allocation.offset);
      ASSERT_LE(end, allocation.offset + allocation.size);
    }
  }
}

TEST(AtomRange, RefusesWhatLeavesTheAllocation) {
  const PlacedRange allocation{.memory_size = 4096, .offset = 1024, .size = 512};
  EXPECT_EQ(atom_range(64, allocation, 513, VK_WHOLE_SIZE).error(), Reason::out_of_range);
  EXPECT_EQ(atom_range(64, allocation, 0, 513).error(), Reason::out_of_range);
  EXPECT_EQ(atom_range(64, allocation, 1, VK_WHOLE_SIZE - 1).error(), Reason::out_of_range);
  EXPECT_EQ(atom_range(64, allocation, VK_WHOLE_SIZE, 1).error(), Reason::out_of_range);
}

TEST(AtomRange, NothingAskedIsNothingToDo) {
  const PlacedRange allocation{.memory_size = 4096, .offset = 1024, .size = 512};
  EXPECT_EQ(atom_range(64, allocation, 512, VK_WHOLE_SIZE)->size, 0u);
  EXPECT_EQ(atom_range(64, allocation, 17, 0)->size, 0u);
}

TEST(AtomRange, EndNearTheLastAddressIsNotRoundedPastIt) {
  constexpr VkDeviceSize kAll = ~VkDeviceSize{0};
  const PlacedRange allocation{.memory_size = kAll, .offset = 0, .size = kAll};
  const auto range = atom_range(256, allocation, kAll - 10, 5);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->offset + range->size, kAll);
}

TEST(Placement, OnlyNonCoherentTypesArePlacedByAtoms) {
  const DeviceFacts facts = facts_of(profiles::non_coherent());
  EXPECT_FALSE(is_non_coherent(facts, 0));
  EXPECT_TRUE(is_non_coherent(facts, 1));
  EXPECT_FALSE(is_non_coherent(facts, 2));
  EXPECT_TRUE(is_non_coherent(facts, 3));
  EXPECT_EQ(placement_alignment(facts, 0, 16), 16u);
  EXPECT_EQ(placement_alignment(facts, 1, 16), 256u);
  EXPECT_EQ(placement_alignment(facts, 1, 1024), 1024u);
  EXPECT_EQ(placement_size(facts, 2, 100), 100u);
  EXPECT_EQ(placement_size(facts, 3, 100), 256u);
  EXPECT_EQ(placement_size(facts, 3, ~VkDeviceSize{0} - 5), ~VkDeviceSize{0} - 5);
}

}  // namespace
}  // namespace quarry::memory
