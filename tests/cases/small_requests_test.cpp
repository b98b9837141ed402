// SPDX-License-Identifier: MIT
// F30 and F31 for what is cut out of slabs: one survivor, and a program that needs little.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "heap/modes.hpp"
#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::kKiB;
using fakes::kMiB;

class SmallRequests : public testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, SmallRequests, testing::ValuesIn(modes()), name_of_mode);

Allocation allocate(Allocator& allocator, VkDeviceSize size) {
  const auto made = allocator.allocate(requirements(size), ResourceKind::linear);
  EXPECT_TRUE(made);
  return made ? *made : Allocation{};
}

TEST_P(SmallRequests, F30ASurvivorHoldsASlabAndNoMore) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
    GetParam().apply(desc);
    desc.blocks.first_block = 16 * kMiB;
    desc.blocks.largest_block = 16 * kMiB;
  });
  for (const VkDeviceSize size : {200u, 4'096u, 30'000u, 65'536u}) {
    std::vector<Allocation> made;
    while (rig.allocator.totals().allocation_bytes < 40 * kMiB)
      made.push_back(allocate(rig.allocator, size));
    const Allocation survivor = made[made.size() / 2];
    made.erase(made.begin() + static_cast<std::ptrdiff_t>(made.size() / 2));
    for (const Allocation allocation : made)
      EXPECT_TRUE(rig.allocator.free(allocation));
    EXPECT_GT(rig.allocator.trim(), 0u);
    // Its block stays, and in it all but a slab, half a mebibyte at most, can be had in two pieces.
    EXPECT_EQ(rig.gpu.live().memories, 1u);
    const DetailedStatistics detailed = rig.allocator.detailed_statistics();
    EXPECT_GE(detailed.largest_free_range, (16 * kMiB - 512 * kKiB) / 2);
    const std::uint64_t before = rig.driver_allocations();
    std::vector<Allocation> large;
    for (int i = 0; i < 140; ++i)
      large.push_back(allocate(rig.allocator, 100 * kKiB));
    EXPECT_EQ(rig.driver_allocations(), before);
    for (const Allocation allocation : large)
      EXPECT_TRUE(rig.allocator.free(allocation));
    EXPECT_TRUE(rig.allocator.free(survivor));
    (void)rig.allocator.trim();
    EXPECT_EQ(rig.gpu.live().memories, 0u);
  }
}

TEST_P(SmallRequests, F31FortyMegabytesReserveLessThanSixtyFour) {
  for (const std::uint64_t seed : seeds(2)) {
    Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) { GetParam().apply(desc); });
    Random random(seed);
    std::vector<Allocation> made;
    VkDeviceSize asked = 0;
    while (asked < 40'000'000) {
      const VkDeviceSize size = std::min<VkDeviceSize>(random.any_magnitude(9) * 256, 100'000);
      made.push_back(allocate(rig.allocator, size));
      asked += size;
    }
    EXPECT_LT(rig.allocator.totals().block_bytes, 64'000'000u);
    for (const Allocation allocation : made)
      EXPECT_TRUE(rig.allocator.free(allocation));
  }
}

}  // namespace
}  // namespace quarry::test
