// SPDX-License-Identifier: MIT
// What must hold in the random world at every moment, and at its end.
#include <algorithm>
#include <array>
#include <utility>

#include "heap/random_world.hpp"

namespace quarry::test {

VkDeviceSize RandomWorld::live_bytes() const {
  VkDeviceSize bytes = 0;
  for (const Live& live : live_) {
    const Allocation first = live.first();
    bytes += rig_.allocator.info(first)->size;
    if (live.kind != Kind::image) continue;
    for (const Allocation plane : live.image.allocations) {
      if (plane && plane != first) bytes += rig_.allocator.info(plane)->size;
    }
  }
  return bytes;
}

std::uint64_t RandomWorld::live_allocations() const {
  std::uint64_t count = 0;
  for (const Live& live : live_) {
    if (live.kind != Kind::image) {
      ++count;
    } else {
      count += static_cast<std::uint64_t>(std::ranges::count_if(
          live.image.allocations, [](Allocation plane) { return bool(plane); }));
    }
  }
  return count;
}

void RandomWorld::check() const {
  const Totals totals = rig_.allocator.totals();
  EXPECT_EQ(totals.allocation_count, live_allocations());
  EXPECT_EQ(totals.allocation_bytes, live_bytes());
  EXPECT_EQ(totals.block_count, rig_.gpu.live().memories);
  std::array<HeapBudget, VK_MAX_MEMORY_HEAPS> budgets{};
  EXPECT_EQ(rig_.allocator.budgets(budgets), profile_.heaps.size());
  for (std::uint32_t heap = 0; heap < profile_.heaps.size(); ++heap) {
    EXPECT_EQ(rig_.allocator.heap_totals(heap).block_bytes, rig_.gpu.used_bytes(heap));
    EXPECT_EQ(budgets[heap].own_bytes, rig_.gpu.used_bytes(heap));
  }
  const auto snapshot = rig_.allocator.snapshot();
  if (!snapshot) return expect_plausible(snapshot.error());
  EXPECT_EQ(snapshot->blocks().size(), totals.block_count);
  std::uint64_t used_ranges = 0;
  for (const SnapshotBlock& block : snapshot->blocks()) {
    VkDeviceSize end = 0;
    for (const SnapshotRange& range : snapshot->ranges(block)) {
      EXPECT_EQ(range.offset, end);
      end = range.offset + range.size;
      used_ranges += range.allocation ? 1 : 0;
    }
    EXPECT_EQ(end, block.size);
  }
  EXPECT_EQ(used_ranges, totals.allocation_count);
}

void RandomWorld::finish() {
  rig_.host.succeed();
  check();
  while (!live_.empty())
    destroy_any();
  for (const Pool pool : pools_)
    EXPECT_TRUE(rig_.allocator.destroy_pool(pool));
  rig_.allocator.trim();
  EXPECT_EQ(rig_.gpu.live().memories, 0u);
  EXPECT_EQ(rig_.allocator.totals().allocation_bytes, 0u);
  rig_.end();
}

}  // namespace quarry::test
