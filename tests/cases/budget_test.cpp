// SPDX-License-Identifier: MIT
// F24 to F31: budget, blocks, counts.
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::Function;
using fakes::image_info;
using fakes::kGiB;
using fakes::kKiB;
using fakes::kMiB;

HeapBudget budget_of(Rig& rig, std::size_t heap) {
  std::array<HeapBudget, 4> heaps{};
  (void)rig.allocator.budgets(heaps);
  return heaps[heap];
}

class F24UsedUpBudget : public testing::TestWithParam<bool> {};

TEST_P(F24UsedUpBudget, NothingMoreIsMadeWithinItOrTheNextTypeServes) {
  const bool has_next_type = GetParam();
  FakeProfile profile = fakes::profiles::small_first_device();
  profile.heaps[0].size = 1 * kGiB;
  if (!has_next_type) profile.buffer_type_bits = 1;
  Rig rig(profile);
  rig.gpu.set_budget_script(
      [](std::uint64_t, std::span<VkDeviceSize> budget, std::span<VkDeviceSize> usage) {
        budget[0] = 100 * kMiB;
        usage[0] = 100 * kMiB;
      });
  rig.allocator.tick();
  EXPECT_EQ(budget_of(rig, 0).usage, 100 * kMiB);
  for (const VkDeviceSize size : {1 * kMiB, 200 * kMiB}) {
    for (const Dedicated dedicated : {Dedicated::automatic, Dedicated::always, Dedicated::never}) {
      rig.gpu.reset_calls();
      const auto made = rig.allocator.create_buffer(
          buffer_info(size), {.dedicated = dedicated, .within_budget = true});
      EXPECT_EQ(static_cast<bool>(made), has_next_type);
      if (made) {
        EXPECT_EQ(rig.allocator.info(made->allocation)->memory_type, 1u);
        EXPECT_TRUE(rig.allocator.destroy(*made));
      } else {
        EXPECT_EQ(made.error().reason, Reason::over_budget);
        EXPECT_EQ(made.error().code, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        EXPECT_EQ(rig.driver_allocations(), 0u) << "the guard stands before the driver";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, F24UsedUpBudget, testing::Bool());

TEST(Cases, F25ManySmallImagesFillHeapAfterHeapInFewMemoryObjects) {
  FakeProfile profile = fakes::profiles::small_first_device();
  profile.small_image_alignment = 4 * kKiB;
  Rig rig(profile);
  std::vector<Image> images;
  bool first_heap_full = false;
  for (int i = 0; i < 70'000; ++i) {
    const auto image = rig.allocator.create_image(image_info(16, 16));
    ASSERT_TRUE(image);
    const std::uint32_t type = rig.allocator.info(image->allocations[0])->memory_type;
    if (type == 1) first_heap_full = true;
    EXPECT_EQ(type, first_heap_full ? 1u : 0u);
    images.push_back(*image);
  }
  EXPECT_TRUE(first_heap_full);
  EXPECT_GT(rig.gpu.used_bytes(0), 200 * kMiB);
  EXPECT_LE(rig.gpu.used_bytes(0), 256 * kMiB);
  EXPECT_LE(rig.gpu.live().memories, 60u);
  for (const Image& image : images)
    ASSERT_TRUE(rig.allocator.destroy(image));
}

TEST(Cases, F26SteadyFramesMakeNoDriverCall) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
    desc.blocks.first_block = 64 * kMiB;
    desc.blocks.largest_block = 64 * kMiB;
  });
  std::vector<Buffer> live;
  for (int i = 0; i < 40; ++i)
    live.push_back(*rig.allocator.create_buffer(buffer_info(12 * kMiB)));
  const auto frame = [&] {
    std::array<Buffer, 6> more;
    for (Buffer& buffer : more)
      buffer = *rig.allocator.create_buffer(buffer_info(12 * kMiB));
    for (const Buffer& buffer : more)
      EXPECT_TRUE(rig.allocator.destroy(buffer));
    rig.now += 16;
    rig.allocator.tick();
  };
  for (int i = 0; i < 3; ++i)
    frame();
  rig.gpu.reset_calls();
  for (int i = 0; i < 100; ++i)
    frame();
  EXPECT_EQ(rig.gpu.calls(Function::allocate_memory), 0u);
  EXPECT_EQ(rig.gpu.calls(Function::free_memory), 0u);
  for (const Buffer& buffer : live)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

TEST(Cases, F27ABudgetThatMovesByItselfIsSeenAtTheNextTick) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.budget_share = 1.0;
  Rig rig(profile);
  const VkDeviceSize before = budget_of(rig, 0).budget;
  rig.gpu.set_outside_bytes(0, 500 * kMiB);
  EXPECT_EQ(budget_of(rig, 0).budget, before);
  rig.allocator.tick();
  const VkDeviceSize after = budget_of(rig, 0).budget;
  EXPECT_EQ(after, before - 500 * kMiB);
  // All of it but 1 % of the heap can be had within the budget, and not a byte more.
  const VkDeviceSize headroom = profile.heaps[0].size / 100;
  const AllocationDesc desc{.dedicated = Dedicated::always, .within_budget = true};
  const VkDeviceSize most = (after - headroom) / 16 * 16;
  EXPECT_EQ(
      reason_of(rig.allocator.create_buffer(
          buffer_info(most + 16),
          {.dedicated = Dedicated::always, .within_budget = true, .memory_type_bits = 1u << 1})),
      Reason::over_budget);
  const auto all = rig.allocator.create_buffer(buffer_info(most), desc);
  ASSERT_TRUE(all);
  EXPECT_EQ(rig.allocator.info(all->allocation)->memory_type, 1u);
  EXPECT_TRUE(rig.allocator.destroy(*all));
}

TEST(Cases, F28BudgetsAreWrittenForAsManyHeapsAsThereIsRoomFor) {
  Rig rig(fakes::profiles::discrete());
  std::array<HeapBudget, 3> heaps{};
  heaps[2].size = 77;
  EXPECT_EQ(rig.allocator.budgets(std::span(heaps).first(2)), 3u);
  EXPECT_EQ(heaps[2].size, 77u);
  EXPECT_GT(heaps[1].size, 0u);
}

TEST(Cases, F29TheDriverIsAskedForItsBudgetByTicksAlone) {
  Rig rig(fakes::profiles::discrete());
  ASSERT_TRUE(rig.allocator.facts().uses_memory_budget);
  for (int i = 0; i < 1'000; ++i) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(70'000));
    ASSERT_TRUE(buffer);
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
  }
  EXPECT_EQ(rig.gpu.calls(Function::get_physical_device_memory_properties2), 0u);
  for (int i = 0; i < 7; ++i)
    rig.allocator.tick();
  EXPECT_EQ(rig.gpu.calls(Function::get_physical_device_memory_properties2), 7u);
}

TEST(Cases, F30LongLivedAllocationsDoNotKeepTheBlocksOfShortLivedOnes) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
    desc.blocks.first_block = 64 * kMiB;
    desc.blocks.largest_block = 64 * kMiB;
  });
  std::vector<Buffer> short_lived;
  std::vector<Buffer> long_lived;
  for (int i = 0; i < 24; ++i) {
    for (int part = 0; part < 3; ++part) {
      short_lived.push_back(*rig.allocator.create_buffer(buffer_info(20 * kMiB),
                                                         {.lifetime = Lifetime::short_lived}));
    }
    long_lived.push_back(
        *rig.allocator.create_buffer(buffer_info(1 * kKiB), {.lifetime = Lifetime::long_lived}));
  }
  // 24 x 60 MiB in blocks of 60, and one for the long-lived.
  EXPECT_GE(rig.gpu.live().memories, 24u);
  for (const Buffer& buffer : short_lived)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  EXPECT_GT(rig.allocator.trim(), 0u);
  EXPECT_EQ(rig.gpu.live().memories, 1u);
  for (const Buffer& buffer : long_lived)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

TEST(Cases, F31ALauncherThatNeedsLittleReservesLittle) {
  Rig rig(fakes::profiles::discrete());
  std::vector<Buffer> buffers;
  std::vector<Image> images;
  VkDeviceSize asked = 0;
  const auto buffer = [&](VkDeviceSize size, const AllocationDesc& desc) {
    buffers.push_back(*rig.allocator.create_buffer(buffer_info(size), desc));
    asked += size;
  };
  for (int i = 0; i < 20; ++i) {
    images.push_back(*rig.allocator.create_image(image_info(512, 512)));
    asked += 1 * kMiB;
  }
  for (int i = 0; i < 40; ++i)
    buffer(250'000, {});
  for (int i = 0; i < 8; ++i)
    buffer(1 * kMiB, {.intent = MemoryIntent::upload, .mapped = true});
  for (int i = 0; i < 4; ++i)
    buffer(100'000, {.intent = MemoryIntent::readback});
  for (int i = 0; i < 4; ++i)
    buffer(100'000, {.intent = MemoryIntent::device_upload});
  EXPECT_GT(asked, 38'000'000u);
  EXPECT_LT(asked, 42'000'000u);
  EXPECT_LT(rig.allocator.totals().block_bytes, 100'000'000u);
  for (const Buffer& each : buffers)
    EXPECT_TRUE(rig.allocator.destroy(each));
  for (const Image& each : images)
    EXPECT_TRUE(rig.allocator.destroy(each));
}

}  // namespace
}  // namespace quarry::test
