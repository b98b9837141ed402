// SPDX-License-Identifier: MIT
// Frees that wait for the GPU, one rule at a time. What runs too long is shown by the oracle:
// reads that are in flight must not lose their buffer.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "heap/defragmentation_rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::Function;
using fakes::image_info;
using fakes::kKiB;
using fakes::kMiB;

class OrderedFrees : public ::testing::Test {
 protected:
  Allocation raw(VkDeviceSize size, const AllocationDesc& desc = {}) {
    const auto made = rig.allocator.allocate(requirements(size), ResourceKind::linear, desc);
    EXPECT_TRUE(made) << to_string(reason_of(made));
    return made ? *made : Allocation{};
  }
  Buffer buffer(VkDeviceSize size) {
    const auto made = rig.allocator.create_buffer(buffer_info(size));
    EXPECT_TRUE(made) << to_string(reason_of(made));
    return made ? *made : Buffer{};
  }
  VkDeviceSize collected() {
    const auto bytes = rig.allocator.collect();
    EXPECT_TRUE(bytes);
    return bytes ? *bytes : 0;
  }

  Rig rig{fakes::profiles::discrete(), [](AllocatorDesc& desc) {
            desc.ordered_frees = {.most_pending = 64, .stall_milliseconds = 100};
          }};
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
};

TEST_F(OrderedFrees, TheHandleIsStaleAtOnceAndTheMemoryFreeWhenTheValueIsReached) {
  for (const VkDeviceSize size : {4 * kKiB, 200 * kKiB, 8 * kMiB}) {
    const std::uint64_t value = size;
    const Allocation allocation = raw(size);
    ASSERT_TRUE(rig.allocator.free_after(allocation, {semaphore, value}));
    EXPECT_EQ(reason_of(rig.allocator.info(allocation)), Reason::stale_handle);
    EXPECT_EQ(reason_of(rig.allocator.free(allocation)), Reason::stale_handle);
    EXPECT_EQ(reason_of(rig.allocator.free_after(allocation, {semaphore, value})),
              Reason::stale_handle);
    EXPECT_EQ(rig.allocator.pending_frees().count, 1u);
    EXPECT_GE(rig.allocator.pending_frees().bytes, size);
    EXPECT_EQ(rig.allocator.totals().allocation_count, 1u) << "what waits is counted";
    EXPECT_EQ(collected(), 0u);
    rig.gpu.signal(semaphore, value);
    EXPECT_GE(collected(), size);
    EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  }
}

TEST_F(OrderedFrees, ResourcesLiveUntilTheirReadsAreDone) {
  const Buffer read = buffer(64 * kKiB);
  rig.gpu.submit_buffer_read(read.buffer, 0, 64, semaphore, 1);
  const auto image = rig.allocator.create_image(image_info(64, 64));
  ASSERT_TRUE(image);
  ASSERT_TRUE(rig.allocator.destroy_after(read, {semaphore, 1}));
  ASSERT_TRUE(rig.allocator.destroy_after(*image, {semaphore, 1}));
  EXPECT_EQ(collected(), 0u);
  EXPECT_EQ(rig.gpu.calls(Function::destroy_buffer), 0u);
  rig.gpu.signal(semaphore, 1);
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.calls(Function::destroy_buffer), 1u);
  EXPECT_EQ(rig.gpu.calls(Function::destroy_image), 1u);
}

TEST_F(OrderedFrees, OfPlanesEndWithTheirImage) {
  VkImageCreateInfo info = image_info(64, 64);
  info.format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
  info.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
  const auto image = rig.allocator.create_image(info);
  ASSERT_TRUE(image);
  ASSERT_TRUE(rig.allocator.destroy_after(*image, {semaphore, 1}));
  EXPECT_EQ(rig.allocator.pending_frees().count, 2u);
  rig.gpu.signal(semaphore, 1);
  EXPECT_GT(collected(), 0u);
  EXPECT_EQ(rig.gpu.calls(Function::destroy_image), 1u);
}

TEST_F(OrderedFrees, CollectAsksEachSemaphoreOnceAndNothingWhenNothingWaits) {
  const VkSemaphore other = rig.gpu.create_timeline_semaphore();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(rig.allocator.free_after(raw(kKiB), {i % 2 == 0 ? semaphore : other, 1}));
  (void)collected();
  EXPECT_EQ(rig.gpu.calls(Function::get_semaphore_counter_value), 2u);
  rig.gpu.signal(semaphore, 1);
  rig.gpu.signal(other, 1);
  (void)collected();
  EXPECT_EQ(rig.gpu.calls(Function::get_semaphore_counter_value), 4u);
  (void)collected();
  EXPECT_EQ(rig.gpu.calls(Function::get_semaphore_counter_value), 4u);
}

TEST_F(OrderedFrees, ABatchIsFreedWholeOrNotAtAll) {
  const std::array good{raw(kKiB), raw(kMiB)};
  const std::array bad{good[0], good[1], good[0]};
  EXPECT_EQ(reason_of(rig.allocator.free_after(bad, {semaphore, 1})), Reason::stale_handle);
  EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
  EXPECT_TRUE(rig.allocator.info(good[0]));
  ASSERT_TRUE(rig.allocator.free_after(good, {semaphore, 1}));
  EXPECT_EQ(rig.allocator.pending_frees().count, 2u);

  const std::array buffers{buffer(kKiB), buffer(kKiB)};
  const std::array swapped{Buffer{buffers[0].buffer, buffers[1].allocation}};
  EXPECT_EQ(reason_of(rig.allocator.destroy_after(swapped, {semaphore, 1})), Reason::bad_argument);
  ASSERT_TRUE(rig.allocator.destroy_after(buffers, {semaphore, 1}));
}

TEST_F(OrderedFrees, BadPointsAreRefused) {
  const Allocation allocation = raw(kKiB);
  EXPECT_EQ(reason_of(rig.allocator.free_after(allocation, {VK_NULL_HANDLE, 1})),
            Reason::bad_argument);
  constexpr auto kLast = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(reason_of(rig.allocator.free_after(allocation, {semaphore, kLast})),
            Reason::bad_argument);
  EXPECT_TRUE(rig.allocator.destroy_after(Buffer{}, {semaphore, 1}));
  EXPECT_TRUE(rig.allocator.destroy_after(Image{}, {semaphore, 1}));
  EXPECT_TRUE(rig.allocator.free(allocation));
}

TEST(OrderedFreesAlone, NeedTimelineSemaphores) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.features.timeline_semaphore = false; });
  const auto allocation = rig.allocator.allocate(requirements(kKiB), ResourceKind::linear);
  ASSERT_TRUE(allocation);
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  EXPECT_EQ(reason_of(rig.allocator.free_after(*allocation, {semaphore, 1})),
            Reason::feature_not_enabled);
  EXPECT_TRUE(rig.allocator.free(*allocation));
}

TEST_F(OrderedFrees, AtTheLimitWhatIsReachedMakesRoomAndThenTheOwnerKeepsIt) {
  for (std::uint64_t i = 1; i <= 64; ++i)
    ASSERT_TRUE(rig.allocator.free_after(raw(kKiB), {semaphore, i}));
  const Allocation one_more = raw(kKiB);
  EXPECT_EQ(reason_of(rig.allocator.free_after(one_more, {semaphore, 65})), Reason::over_limit);
  EXPECT_TRUE(rig.allocator.info(one_more));
  rig.gpu.signal(semaphore, 1);
  EXPECT_TRUE(rig.allocator.free_after(one_more, {semaphore, 65}));
  EXPECT_EQ(rig.allocator.pending_frees().count, 64u);
}

TEST(OrderedFreesAlone, BytesHaveALimitToo) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.ordered_frees.most_bytes = 3 * kMiB; });
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  const auto a = rig.allocator.allocate(requirements(2 * kMiB), ResourceKind::linear);
  const auto b = rig.allocator.allocate(requirements(2 * kMiB), ResourceKind::linear);
  ASSERT_TRUE(a && b);
  ASSERT_TRUE(rig.allocator.free_after(*a, {semaphore, 1}));
  EXPECT_EQ(reason_of(rig.allocator.free_after(*b, {semaphore, 2})), Reason::over_limit);
  EXPECT_TRUE(rig.allocator.free(*b));
}

TEST(OrderedFreesAlone, APlainFreeIsKeptEvenBeyondTheLimit) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.ordered_frees.most_bytes = 3 * kMiB; });
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  const auto get = [&] {
    const auto made = rig.allocator.allocate_ordered(requirements(2 * kMiB), ResourceKind::linear,
                                                     {}, {.queue = 0});
    EXPECT_TRUE(made);
    return made ? made->allocation : Allocation{};
  };
  ASSERT_TRUE(rig.allocator.free_after(get(), {semaphore, 1, 0}));
  const Allocation early = get();
  EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
  ASSERT_TRUE(rig.allocator.free_after(get(), {semaphore, 1, 0}));
  ASSERT_TRUE(rig.allocator.free(early));
  EXPECT_EQ(rig.allocator.pending_frees().bytes, 4 * kMiB);
  const auto more = rig.allocator.allocate(requirements(kMiB), ResourceKind::linear);
  ASSERT_TRUE(more);
  EXPECT_EQ(reason_of(rig.allocator.free_after(*more, {semaphore, 1, 0})), Reason::over_limit);
  EXPECT_TRUE(rig.allocator.free(*more));
}

TEST_F(OrderedFrees, WithoutHostMemoryTheOwnerKeepsIt) {
  const Allocation allocation = raw(kKiB);
  rig.host.fail(1, 100);
  EXPECT_EQ(reason_of(rig.allocator.free_after(allocation, {semaphore, 1})),
            Reason::out_of_host_memory);
  rig.host.succeed();
  EXPECT_TRUE(rig.allocator.free(allocation));
}

TEST_F(OrderedFrees, ASemaphoreThatStandsStillIsToldOnce) {
  ASSERT_TRUE(rig.allocator.free_after(raw(kKiB), {semaphore, 7}));
  rig.now += 99;
  rig.allocator.tick();
  EXPECT_TRUE(rig.messages.empty());
  rig.now += 1;
  rig.allocator.tick();
  rig.allocator.tick();
  ASSERT_EQ(rig.messages.size(), 1u);
  EXPECT_NE(rig.messages[0].find("frees wait for 7"), std::string::npos) << rig.messages[0];
  EXPECT_EQ(rig.allocator.pending_frees().stalled, 1u);
  rig.messages.clear();
  rig.gpu.signal(semaphore, 3);
  rig.allocator.tick();
  EXPECT_EQ(rig.allocator.pending_frees().stalled, 0u);
  rig.now += 100;
  rig.allocator.tick();
  EXPECT_EQ(rig.messages.size(), 1u);
  rig.messages.clear();
}

TEST_F(OrderedFrees, ALostDeviceFreesNothingAndIsToldOnce) {
  ASSERT_TRUE(rig.allocator.free_after(raw(kKiB), {semaphore, 1}));
  rig.gpu.signal(semaphore, 1);
  rig.gpu.fail(Function::get_semaphore_counter_value, 1, VK_ERROR_DEVICE_LOST, 3);
  const auto lost = rig.allocator.collect();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(rig.allocator.pending_frees().count, 1u);
  rig.allocator.tick();
  rig.allocator.tick();
  EXPECT_EQ(rig.messages.size(), 1u);
  rig.messages.clear();
}

TEST_F(OrderedFrees, AreReleasedWithTheAllocator) {
  ASSERT_TRUE(rig.allocator.free_after(raw(8 * kMiB), {semaphore, 1}));
  ASSERT_TRUE(rig.allocator.destroy_after(buffer(kKiB), {semaphore, 1}));
  rig.end();
}

TEST_F(OrderedFrees, MappedMemoryIsUnmappedWhenItIsFreed) {
  const Allocation mapped = raw(kKiB, {.intent = MemoryIntent::upload, .mapped = true});
  ASSERT_TRUE(rig.allocator.free_after(mapped, {semaphore, 1}));
  rig.gpu.signal(semaphore, 1);
  EXPECT_GT(collected(), 0u);
}

TEST_F(OrderedFrees, KeepTheirPoolUntilTheyAreReached) {
  const auto pool = rig.allocator.create_pool({.memory_type = 1});
  ASSERT_TRUE(pool);
  ASSERT_TRUE(rig.allocator.free_after(raw(kKiB, {.pool = *pool}), {semaphore, 1}));
  EXPECT_EQ(reason_of(rig.allocator.destroy_pool(*pool)), Reason::still_in_use);
  rig.gpu.signal(semaphore, 1);
  (void)collected();
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(OrderedFreesAlone, AShortageLooksForWhatIsReachedAndTellsWhatIsNot) {
  Rig rig(fakes::profiles::discrete());
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
  const AllocationDesc desc{.intent = MemoryIntent::flags, .memory_type_bits = 1u << 1};
  const std::uint32_t heap = rig.allocator.facts().memory.memoryTypes[1].heapIndex;
  ASSERT_TRUE(rig.allocator.set_heap_limit(heap, 16 * kMiB));
  const auto get = [&] {
    return rig.allocator.allocate(requirements(10 * kMiB), ResourceKind::linear, desc);
  };
  const auto first = get();
  ASSERT_TRUE(first);
  ASSERT_TRUE(rig.allocator.free_after(*first, {semaphore, 4}));
  const auto refused = get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().retry_semaphore, semaphore);
  EXPECT_EQ(refused.error().retry_value, 4u);
  rig.gpu.signal(semaphore, 4);
  const auto second = get();
  ASSERT_TRUE(second);
  const auto small =
      rig.allocator.allocate(requirements(kMiB), ResourceKind::linear, {.memory_type_bits = 2});
  ASSERT_TRUE(small);
  ASSERT_TRUE(rig.allocator.free_after(*small, {semaphore, 4}));
  const auto too_little = get();
  ASSERT_FALSE(too_little);
  EXPECT_NE(too_little.error().tried & static_cast<std::uint32_t>(LadderRung::pending_frees), 0u);
  EXPECT_EQ(too_little.error().retry_semaphore, VkSemaphore{VK_NULL_HANDLE}) << "nothing waits";
  EXPECT_TRUE(rig.allocator.free(*second));
}

TEST(OrderedFreesAlone, WhatMovesIsFreedWhenItIsThere) {
  DefragmentationRig rig;
  for (int i = 0; i < 32; ++i)
    ASSERT_NO_FATAL_FAILURE(rig.add_buffer(kMiB / 2));
  rig.destroy_every_other();
  auto pass = Defragmentation::begin(rig.allocator, {});
  ASSERT_TRUE(pass);
  const DefragmentationStep step = rig.step();
  const auto moved = pass->record(step);
  ASSERT_TRUE(moved);
  ASSERT_FALSE(moved->empty());
  const Allocation moving = moved->front().allocation;
  rig.rename(*moved);
  const GpuPoint point{rig.semaphore, step.value};
  EXPECT_EQ(reason_of(rig.allocator.free_after(moving, point)), Reason::being_moved);
  rig.gpu.submit({&step.commands, 1}, rig.semaphore, step.value);
  rig.gpu.signal(rig.semaphore, step.value);
  pass->complete(step.value);
  const auto gone = std::find_if(rig.resources.begin(), rig.resources.end(),
                                 [&](const auto& each) { return each.allocation == moving; });
  ASSERT_NE(gone, rig.resources.end());
  EXPECT_TRUE(rig.allocator.destroy_after(Buffer{gone->buffer, moving}, point));
  rig.resources.erase(gone);
  EXPECT_TRUE(rig.allocator.collect());
  pass = Defragmentation();
  rig.expect_contents();
  rig.destroy_all();
}

/// Each call that asks for host memory is refused it once.
TEST(OrderedFreesAlone, WithoutHostMemoryNothingIsLostAnywhere) {
  for (std::uint64_t failing = 1;; ++failing) {
    Rig rig(fakes::profiles::discrete());
    const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
    const auto first = rig.allocator.create_buffer(buffer_info(200 * kKiB), {.name = "first"});
    ASSERT_TRUE(first);
    const auto where = rig.allocator.info(first->allocation);
    ASSERT_TRUE(where);
    rig.gpu.allow_aliasing(where->memory, where->offset, where->size);
    const std::uint64_t before = rig.host.allocations();
    rig.host.fail(failing);
    const bool pending = rig.allocator.destroy_after(*first, {semaphore, 1, 0}).has_value();
    const auto second = rig.allocator.create_buffer_ordered(buffer_info(200 * kKiB),
                                                            {.name = "second"}, {.queue = 0});
    const bool never_failed = rig.host.allocations() - before < failing;
    rig.host.succeed();
    if (!pending) {
      EXPECT_TRUE(rig.allocator.destroy(*first));
    }
    if (second) {
      EXPECT_TRUE(rig.allocator.destroy(second->buffer));
    }
    rig.gpu.signal(semaphore, 1);
    EXPECT_TRUE(rig.allocator.collect());
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
    if (never_failed) {
      EXPECT_GT(failing, 3u);
      break;
    }
  }
}

}  // namespace
}  // namespace quarry::test
