// SPDX-License-Identifier: MIT
// The allocator as a whole: created on every profile in both ways, used once through each of its
// main ways, and ended without a trace.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeGpu;
using fakes::FakeProfile;
using fakes::image_info;

class OnEveryProfile : public testing::TestWithParam<FakeProfile> {};

/// A little of everything, all of it given back.
void live_a_little(Rig& rig) {
  Allocator& allocator = rig.allocator;
  const auto buffer = allocator.create_buffer(buffer_info(70'000), {.name = "geometry"});
  ASSERT_TRUE(buffer);
  const auto staging = allocator.create_buffer(buffer_info(5'000, VK_BUFFER_USAGE_TRANSFER_SRC_BIT),
                                               {.intent = MemoryIntent::upload, .mapped = true});
  const auto image = allocator.create_image(image_info(256, 256), {.name = "albedo"});
  ASSERT_TRUE(image);
  const auto raw = allocator.allocate(requirements(3'000, 64), ResourceKind::unknown);
  ASSERT_TRUE(raw);
  if (staging) {
    const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
    std::array<std::byte, 3> back{};
    EXPECT_TRUE(allocator.copy_to(staging->allocation, 7, bytes));
    EXPECT_TRUE(allocator.copy_from(staging->allocation, 7, back));
    EXPECT_EQ(back, bytes);
    EXPECT_NE(allocator.info(staging->allocation)->mapped, nullptr);
    EXPECT_TRUE(allocator.destroy(*staging));
  }
  EXPECT_STREQ(allocator.info(buffer->allocation)->name, "geometry");
  EXPECT_EQ(allocator.totals().allocation_count, 3u);
  rig.gpu.use_buffer(buffer->buffer);
  rig.gpu.use_image(image->image);

  const auto type = allocator.select_memory_type(~0u, {});
  ASSERT_TRUE(type);
  const auto pool = allocator.create_pool({.memory_type = *type, .block_bytes = fakes::kMiB});
  ASSERT_TRUE(pool);
  const auto pooled = allocator.create_buffer(buffer_info(100), {.pool = *pool});
  ASSERT_TRUE(pooled);
  EXPECT_EQ(allocator.pool_totals(*pool)->allocation_count, 1u);
  EXPECT_EQ(reason_of(allocator.destroy_pool(*pool)), Reason::still_in_use);
  EXPECT_TRUE(allocator.destroy(*pooled));
  EXPECT_TRUE(allocator.destroy_pool(*pool));

  EXPECT_TRUE(allocator.destroy(*buffer));
  EXPECT_TRUE(allocator.destroy(*image));
  EXPECT_TRUE(allocator.free(*raw));
  allocator.tick();
  EXPECT_EQ(allocator.totals().allocation_count, 0u);
  EXPECT_EQ(allocator.totals().allocation_bytes, 0u);
  EXPECT_GT(allocator.trim(), 0u);
  EXPECT_EQ(allocator.totals().block_bytes, 0u);
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST_P(OnEveryProfile, LivesThroughTheLoader) {
  Rig rig(GetParam());
  ASSERT_TRUE(rig.allocator);
  live_a_little(rig);
}

TEST_P(OnEveryProfile, LivesThroughTheOwnersTable) {
  const VulkanFunctions table = FakeGpu::functions();
  Rig rig(GetParam(), [&](AllocatorDesc& desc) {
    desc.get_instance_proc_addr = nullptr;
    desc.functions = &table;
  });
  ASSERT_TRUE(rig.allocator);
  live_a_little(rig);
}

INSTANTIATE_TEST_SUITE_P(Profiles, OnEveryProfile, testing::ValuesIn(fakes::profiles::all()),
                         name_of);

}  // namespace
}  // namespace quarry::test
