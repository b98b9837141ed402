// SPDX-License-Identifier: MIT
// Requests that want their memory mapped, where mapping fails: no ladder climbs over that.
#include <cstdint>

#include <gtest/gtest.h>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

constexpr AllocationDesc kMapped{.intent = MemoryIntent::upload, .mapped = true};

TEST(MappedCreation, BeyondTheMappingCapIsRefusedAfterOneBlock) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.blocks.mapped_address_space = fakes::kMiB; });
  const auto made = rig.allocator.create_buffer(fakes::buffer_info(2 * fakes::kMiB), kMapped);
  EXPECT_EQ(reason_of(made), Reason::over_limit);
  EXPECT_LE(rig.driver_allocations(), 1u);
}

TEST(MappedCreation, ADriverThatNeverMapsIsAskedABoundedNumberOfTimes) {
  for (const VkResult code : {VK_ERROR_MEMORY_MAP_FAILED, VK_ERROR_OUT_OF_DEVICE_MEMORY}) {
    Rig rig(fakes::profiles::discrete());
    rig.gpu.fail(fakes::Function::map_memory, 1, code, 1000);
    const auto made = rig.allocator.create_buffer(fakes::buffer_info(4096), kMapped);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, code);
    EXPECT_EQ(made.error().reason, Reason::driver);
    EXPECT_EQ(rig.gpu.calls(fakes::Function::map_memory), 1u);
    EXPECT_LE(rig.driver_allocations(), 1u);
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  }
}

}  // namespace
}  // namespace quarry::test
