// SPDX-License-Identifier: MIT
// The reference must be right before it is compared with.
#include "bench/reference_allocator.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"
#include "bench/subjects.hpp"
#include "fakes/expect.hpp"

namespace quarry::bench {
namespace {

constexpr VkDeviceSize kKiB = VkDeviceSize{1} << 10;
constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;

VkMemoryRequirements bytes(VkDeviceSize size, VkDeviceSize alignment = 256) {
  return {.size = size, .alignment = alignment, .memoryTypeBits = ~0u};
}

struct Rig {
  explicit Rig(VkDeviceSize granularity = 1)
      : gpu(roomy_profile(granularity)), allocator(reference_desc(gpu)) {}
  std::uint64_t allocate(VkDeviceSize size) {
    return allocator.allocate(bytes(size), ResourceKind::linear, MemoryIntent::device);
  }

  fakes::FakeGpu gpu;
  ReferenceAllocator allocator;
};

TEST(ReferenceAllocator, BlocksDoubleFromFourMebibytes) {
  Rig rig;
  ASSERT_NE(rig.allocate(64 * kKiB), 0u);
  EXPECT_EQ(rig.allocator.totals().reserved_bytes, 4 * kMiB);
  for (int i = 0; i < 64; ++i)
    ASSERT_NE(rig.allocate(64 * kKiB), 0u);
  EXPECT_EQ(rig.allocator.totals().reserved_bytes, 12 * kMiB);
}

TEST(ReferenceAllocator, LargerThanHalfABlockGetsItsOwnMemory) {
  Rig rig;
  const std::uint64_t handle = rig.allocate(128 * kMiB + 1);
  ASSERT_NE(handle, 0u);
  EXPECT_EQ(rig.allocator.totals().reserved_bytes, 128 * kMiB + 1);
  EXPECT_TRUE(rig.allocator.free(handle));
  EXPECT_EQ(rig.allocator.totals().reserved_bytes, 0u);
}

TEST(ReferenceAllocator, KeepsOneEmptyBlock) {
  Rig rig;
  std::vector<std::uint64_t> handles;
  handles.reserve(40);
  for (int i = 0; i < 40; ++i)
    handles.push_back(rig.allocate(kMiB));
  EXPECT_GT(rig.allocator.totals().memory_count, 2u);
  for (const std::uint64_t handle : handles)
    EXPECT_TRUE(rig.allocator.free(handle));
  EXPECT_EQ(rig.allocator.totals().memory_count, 1u);
  EXPECT_EQ(rig.allocator.totals().live_bytes, 0u);
}

TEST(ReferenceAllocator, FreesOnlyWhatLives) {
  Rig rig;
  const std::uint64_t handle = rig.allocate(kKiB);
  EXPECT_TRUE(rig.allocator.free(handle));
  EXPECT_FALSE(rig.allocator.free(handle));
  EXPECT_NE(rig.allocate(kKiB), handle);
  EXPECT_FALSE(rig.allocator.free(12'345));
}

TEST(ReferenceAllocator, RefusesWhatTheDriverRefuses) {
  Rig rig;
  rig.gpu.refuse_allocations(
      [](const VkMemoryAllocateInfo&) { return VK_ERROR_OUT_OF_DEVICE_MEMORY; });
  EXPECT_EQ(rig.allocate(kKiB), 0u);
  EXPECT_EQ(rig.allocate(200 * kMiB), 0u);
  EXPECT_EQ(rig.allocator.totals().live_count, 0u);
}

TEST(ReferenceAllocator, RandomPairsBreakNoRuleAndLoseNothing) {
  for (const std::uint64_t seed : test::seeds(4)) {
    test::Random random(seed);
    fakes::FakeGpu gpu(roomy_profile(seed % 2 == 0 ? 1 : 65'536));
    {
      ReferenceAllocator allocator(reference_desc(gpu));
      const std::vector<Request> requests = make_requests(Workload::game, 2000, seed);
      std::vector<std::pair<std::uint64_t, VkDeviceSize>> live;
      VkDeviceSize live_bytes = 0;
      for (const Request& request : requests) {
        if (random.one_in(2) && !live.empty()) {
          auto& freed = live[random.index(live.size())];
          ASSERT_TRUE(allocator.free(freed.first));
          live_bytes -= freed.second;
          freed = live.back();
          live.pop_back();
        }
        const std::uint64_t handle =
            allocator.allocate(request.requirements, request.kind, MemoryIntent::device);
        ASSERT_NE(handle, 0u);
        live.emplace_back(handle, request.requirements.size);
        live_bytes += request.requirements.size;
        const ReferenceTotals totals = allocator.totals();
        ASSERT_EQ(totals.live_bytes, live_bytes);
        ASSERT_EQ(totals.live_count, live.size());
        ASSERT_GE(totals.reserved_bytes, live_bytes);
      }
      EXPECT_EQ(allocator.totals().reserved_bytes, gpu.used_bytes(0));
    }
    fakes::expect_clean_end(gpu);
  }
}

}  // namespace
}  // namespace quarry::bench
