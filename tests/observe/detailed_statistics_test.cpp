// SPDX-License-Identifier: MIT
#include <cstdint>
#include <vector>

#include <quarry/statistics.hpp>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::kKiB;
using fakes::kMiB;

Result<Allocation> take(Rig& rig, Pool pool, VkDeviceSize size) {
  return rig.allocator.allocate(requirements(size), ResourceKind::linear, {.pool = pool});
}

TEST(DetailedStatistics, OfNothingAreNothing) {
  Rig rig(fakes::profiles::discrete());
  const DetailedStatistics none = rig.allocator.detailed_statistics();
  EXPECT_EQ(none.free_range_count, 0u);
  EXPECT_EQ(none.free_bytes, 0u);
  EXPECT_EQ(none.smallest_allocation, 0u);
  EXPECT_EQ(none.largest_allocation, 0u);
  EXPECT_EQ(none.fragmentation, 0.0);
}

TEST(DetailedStatistics, FragmentationIsWhatTheLargestFreeRangeLacksOfAllFreeBytes) {
  Rig rig(fakes::profiles::discrete());
  const auto pool = rig.allocator.create_pool(
      {.memory_type = 2, .block_bytes = 1 * kMiB, .minimum_blocks = 1, .maximum_blocks = 1});
  ASSERT_TRUE(pool);
  EXPECT_EQ(rig.allocator.detailed_statistics(*pool)->fragmentation, 0.0) << "one free range";
  std::vector<Allocation> quarters;
  for (int i = 0; i < 4; ++i)
    quarters.push_back(*take(rig, *pool, 256 * kKiB));
  EXPECT_EQ(rig.allocator.detailed_statistics(*pool)->fragmentation, 0.0) << "nothing free";
  EXPECT_TRUE(rig.allocator.free(quarters[0]));
  EXPECT_TRUE(rig.allocator.free(quarters[2]));
  const auto halves = rig.allocator.detailed_statistics(*pool);
  EXPECT_EQ(halves->free_range_count, 2u);
  EXPECT_EQ(halves->free_bytes, 512 * kKiB);
  EXPECT_EQ(halves->largest_free_range, 256 * kKiB);
  EXPECT_DOUBLE_EQ(halves->fragmentation, 0.5);
  EXPECT_TRUE(rig.allocator.free(quarters[3]));
  const auto uneven = rig.allocator.detailed_statistics(*pool);
  EXPECT_EQ(uneven->largest_free_range, 512 * kKiB);
  EXPECT_DOUBLE_EQ(uneven->fragmentation, 1.0 - 512.0 / 768.0);
  EXPECT_TRUE(rig.allocator.free(quarters[1]));
  EXPECT_EQ(rig.allocator.detailed_statistics(*pool)->fragmentation, 0.0);
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(DetailedStatistics, CountEachScopeAlone) {
  Rig rig(fakes::profiles::discrete());
  const auto pool = rig.allocator.create_pool({.memory_type = 1, .block_bytes = 64 * kKiB});
  ASSERT_TRUE(pool);
  const auto small = rig.allocator.create_buffer(buffer_info(1'024));
  const auto large =
      rig.allocator.create_buffer(buffer_info(3 * kMiB), {.dedicated = Dedicated::always});
  const auto host = rig.allocator.create_buffer(buffer_info(512), {.intent = MemoryIntent::upload});
  const auto pooled = take(rig, *pool, 256);
  const auto pooled_own = rig.allocator.allocate(requirements(128 * kKiB), ResourceKind::linear,
                                                 {.dedicated = Dedicated::always, .pool = *pool});
  ASSERT_TRUE(small && large && host && pooled && pooled_own);
  const DetailedStatistics all = rig.allocator.detailed_statistics();
  EXPECT_EQ(all.totals.allocation_count, 5u);
  EXPECT_EQ(all.smallest_allocation, 256u);
  EXPECT_EQ(all.largest_allocation, 3 * kMiB);
  EXPECT_EQ(all.free_bytes + all.totals.allocation_bytes, all.totals.block_bytes);
  const DetailedStatistics device = rig.allocator.detailed_heap_statistics(0);
  EXPECT_EQ(device.totals.allocation_count, 4u);
  EXPECT_EQ(device.largest_allocation, 3 * kMiB);
  EXPECT_EQ(device.free_bytes, 4 * kMiB - 1'024 + 64 * kKiB - 256);
  const DetailedStatistics window = rig.allocator.detailed_heap_statistics(1);
  EXPECT_EQ(window.smallest_allocation, 512u);
  EXPECT_EQ(window.largest_allocation, 512u);
  const auto of_pool = rig.allocator.detailed_statistics(*pool);
  EXPECT_EQ(of_pool->totals.allocation_count, 2u);
  EXPECT_EQ(of_pool->free_bytes, 64 * kKiB - 256);
  EXPECT_EQ(of_pool->largest_allocation, 128 * kKiB);
  for (const Buffer& buffer : {*small, *large, *host})
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  EXPECT_TRUE(rig.allocator.free(*pooled));
  EXPECT_TRUE(rig.allocator.free(*pooled_own));
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

}  // namespace
}  // namespace quarry::test
