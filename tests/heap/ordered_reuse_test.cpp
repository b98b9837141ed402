// SPDX-License-Identifier: MIT
// Requests that follow earlier uses of their memory before these are over: who may, what they are
// told, and what their own frees wait for.
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::Function;
using fakes::kKiB;
using fakes::kMiB;

constexpr std::uint32_t kGraphics = 0;
constexpr std::uint32_t kCopy = 1;
constexpr GpuUse kOnGraphics{.queue = kGraphics, .opportunistic = false};
constexpr GpuUse kOnCopy{.queue = kCopy, .opportunistic = false};

class OrderedReuse : public ::testing::TestWithParam<VkDeviceSize> {
 protected:
  OrderedAllocation get(const GpuUse& use, const AllocationDesc& desc = {}) {
    const auto made =
        rig.allocator.allocate_ordered(requirements(GetParam()), ResourceKind::linear, desc, use);
    EXPECT_TRUE(made) << to_string(reason_of(made));
    return made ? *made : OrderedAllocation{};
  }
  std::pair<VkDeviceMemory, VkDeviceSize> place(Allocation allocation) {
    const auto info = rig.allocator.info(allocation);
    EXPECT_TRUE(info);
    return info ? std::pair(info->memory, info->offset)
                : std::pair(VkDeviceMemory{}, VkDeviceSize{});
  }
  /// Of that size, freed after a point on the graphics queue; where it lies.
  std::pair<VkDeviceMemory, VkDeviceSize> leave(std::uint64_t value,
                                                const AllocationDesc& desc = {}) {
    const Allocation allocation = get(kOnGraphics, desc).allocation;
    const auto where = place(allocation);
    EXPECT_TRUE(rig.allocator.free_after(
        allocation, {semaphore, value, kGraphics, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT}));
    return where;
  }
  void free(Allocation allocation) { EXPECT_TRUE(rig.allocator.free(allocation)); }
  void collect() { EXPECT_TRUE(rig.allocator.collect()); }

  Rig rig{fakes::profiles::discrete()};
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore();
};

TEST_P(OrderedReuse, TheSameQueueIsGivenTheBarrierToRecord) {
  const auto where = leave(5);
  const OrderedAllocation next = get(kOnGraphics);
  EXPECT_EQ(place(next.allocation), where);
  EXPECT_TRUE(next.order.taken_over);
  EXPECT_EQ(next.order.barrier_stages,
            static_cast<VkPipelineStageFlags>(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT));
  EXPECT_EQ(next.order.wait_count, 0u);
  EXPECT_EQ(rig.allocator.totals().allocation_count, 1u);
  free(next.allocation);
}

TEST_P(OrderedReuse, AnotherQueueGetsOtherMemory) {
  const auto where = leave(5);
  const OrderedAllocation next = get(kOnCopy);
  EXPECT_NE(place(next.allocation), where);
  EXPECT_FALSE(next.order.taken_over);
  free(next.allocation);
}

TEST_P(OrderedReuse, WhatIsFoundToBeOverNeedsNothing) {
  const auto where = leave(5);
  GpuUse use{.queue = kCopy};
  const OrderedAllocation too_early = get(use);
  EXPECT_NE(place(too_early.allocation), where);
  rig.gpu.signal(semaphore, 5);
  const OrderedAllocation next = get(use);
  EXPECT_EQ(place(next.allocation), where);
  EXPECT_TRUE(next.order.taken_over);
  EXPECT_EQ(next.order.barrier_stages, 0u);
  EXPECT_EQ(next.order.wait_count, 0u);
  free(too_early.allocation);
  free(next.allocation);
  EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
}

TEST_P(OrderedReuse, PlainRequestsAndThoseOfTheHostWait) {
  const auto where = leave(5);
  const auto plain = rig.allocator.allocate(requirements(GetParam()), ResourceKind::linear);
  ASSERT_TRUE(plain);
  EXPECT_NE(place(*plain), where);
  free(*plain);
  for (const MemoryIntent intent :
       {MemoryIntent::upload, MemoryIntent::readback, MemoryIntent::device_upload}) {
    (void)leave(6, {.intent = intent});
    const OrderedAllocation next = get(kOnGraphics, {.intent = intent});
    EXPECT_FALSE(next.order.taken_over);
    free(next.allocation);
  }
}

TEST_P(OrderedReuse, APlainFreeOfAnEarlyOwnerWaitsForTheUseBefore) {
  const auto where = leave(5);
  const OrderedAllocation early = get(kOnGraphics);
  ASSERT_EQ(place(early.allocation), where);
  free(early.allocation);
  EXPECT_EQ(rig.allocator.pending_frees().count, 1u);
  collect();
  const auto plain = rig.allocator.allocate(requirements(GetParam()), ResourceKind::linear);
  ASSERT_TRUE(plain);
  EXPECT_NE(place(*plain), where) << "the first use may still run there";
  rig.gpu.signal(semaphore, 5);
  collect();
  EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
  free(*plain);
}

TEST_P(OrderedReuse, AnEarlyOwnersPointJoinsTheOneBefore) {
  const VkSemaphore other = rig.gpu.create_timeline_semaphore();
  (void)leave(5);
  const OrderedAllocation early = get(kOnGraphics);
  ASSERT_TRUE(early.order.taken_over);
  ASSERT_TRUE(rig.allocator.free_after(early.allocation, {other, 1, kCopy}));
  rig.gpu.signal(other, 1);
  collect();
  EXPECT_EQ(rig.allocator.pending_frees().count, 1u);
  // A third owner on the copy queue has to wait for the first use all the same.
  const OrderedAllocation third = get({.queue = kCopy, .opportunistic = false});
  EXPECT_FALSE(third.order.taken_over);
  free(third.allocation);
  rig.gpu.signal(semaphore, 5);
  collect();
  EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
}

TEST_P(OrderedReuse, TheMemorysMapIsRefusedUntilTheUseBeforeIsOver) {
  Rig unified(fakes::profiles::integrated());
  const VkSemaphore waits = unified.gpu.create_timeline_semaphore();
  const auto first = unified.allocator.allocate(requirements(GetParam()), ResourceKind::linear);
  ASSERT_TRUE(first);
  ASSERT_TRUE(unified.allocator.free_after(*first, {waits, 3, kGraphics}));
  const auto early = unified.allocator.allocate_ordered(requirements(GetParam()),
                                                        ResourceKind::linear, {}, kOnGraphics);
  ASSERT_TRUE(early);
  ASSERT_TRUE(early->order.taken_over);
  const auto refused = unified.allocator.map(early->allocation);
  ASSERT_EQ(reason_of(refused), Reason::still_in_use);
  EXPECT_EQ(refused.error().retry_semaphore, waits);
  EXPECT_EQ(refused.error().retry_value, 3u);
  unified.gpu.signal(waits, 3);
  EXPECT_TRUE(unified.allocator.map(early->allocation));
  EXPECT_TRUE(unified.allocator.free(early->allocation));
}

TEST_P(OrderedReuse, AWaitIsNamedWhereBlocksHaveNoOtherRoom) {
  const auto where = leave(5);
  rig.allocator.trim();
  const OrderedAllocation room = get({.queue = kCopy, .opportunistic = false, .wait = true});
  // Fill what is left of the blocks, so that only the pending memory or a new block remains.
  std::vector<Allocation> filling{room.allocation};
  OrderedAllocation next = room;
  const std::uint64_t before = rig.driver_allocations();
  for (int i = 0; i < 100'000 && !next.order.taken_over; ++i) {
    next = get({.queue = kCopy, .opportunistic = false, .wait = true});
    filling.push_back(next.allocation);
  }
  EXPECT_EQ(rig.driver_allocations(), before) << "it waits before a block is made";
  EXPECT_EQ(place(next.allocation), where);
  ASSERT_EQ(next.order.wait_count, 1u);
  EXPECT_EQ(next.order.waits[0].semaphore, semaphore);
  EXPECT_EQ(next.order.waits[0].value, 5u);
  EXPECT_EQ(next.order.barrier_stages, 0u);
  for (const Allocation allocation : filling)
    free(allocation);
}

TEST_P(OrderedReuse, TheOldResourceLivesOnBesideTheNew) {
  const auto first = rig.allocator.create_buffer(buffer_info(GetParam()));
  ASSERT_TRUE(first);
  const auto where = rig.allocator.info(first->allocation);
  ASSERT_TRUE(where);
  rig.gpu.allow_aliasing(where->memory, where->offset, where->size);
  rig.gpu.submit_buffer_read(first->buffer, 0, 64, semaphore, 1);
  ASSERT_TRUE(rig.allocator.destroy_after(*first, {semaphore, 1, kGraphics}));
  const auto second =
      rig.allocator.create_buffer_ordered(buffer_info(GetParam()), {.name = "second"}, kOnGraphics);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->order.taken_over);
  EXPECT_EQ(place(second->buffer.allocation), std::pair(where->memory, where->offset));
  EXPECT_STREQ(rig.allocator.info(second->buffer.allocation)->name, "second");
  EXPECT_EQ(rig.gpu.calls(Function::destroy_buffer), 0u);
  rig.gpu.signal(semaphore, 1);
  collect();
  EXPECT_EQ(rig.gpu.calls(Function::destroy_buffer), 1u);
  EXPECT_TRUE(rig.allocator.destroy(second->buffer));
}

TEST_P(OrderedReuse, FiguresFollowTheOwner) {
  const auto tag = rig.allocator.register_tag("first");
  const auto other = rig.allocator.register_tag("second");
  ASSERT_TRUE(tag && other);
  (void)leave(5, {.tag = *tag});
  EXPECT_EQ(rig.allocator.tag_totals(*tag).allocation_count, 1u);
  const OrderedAllocation next = get(kOnGraphics, {.tag = *other});
  ASSERT_TRUE(next.order.taken_over);
  EXPECT_EQ(rig.allocator.tag_totals(*tag).allocation_count, 0u);
  EXPECT_EQ(rig.allocator.tag_totals(*other).allocation_count, 1u);
  EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
  free(next.allocation);
}

TEST_P(OrderedReuse, InAPoolItStaysThere) {
  const auto pool = rig.allocator.create_pool({.memory_type = 1});
  ASSERT_TRUE(pool);
  (void)leave(5, {.pool = *pool});
  const OrderedAllocation elsewhere = get(kOnGraphics);
  EXPECT_FALSE(elsewhere.order.taken_over);
  free(elsewhere.allocation);
  const OrderedAllocation next = get(kOnGraphics, {.pool = *pool});
  EXPECT_TRUE(next.order.taken_over);
  EXPECT_EQ(rig.allocator.info(next.allocation)->pool, *pool);
  free(next.allocation);
  rig.gpu.signal(semaphore, 5);
  collect();
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

INSTANTIATE_TEST_SUITE_P(Sizes, OrderedReuse, ::testing::Values(4 * kKiB, 300 * kKiB, 2 * kMiB));

/// Uses as they are, on a mock of queues and timelines: a piece of memory may be handed out only
/// when all earlier uses of it are over or the answer orders the new one behind them.
TEST(OrderedReuseProperty, MemoryIsNeverHandedOutWhileAnEarlierUseMayStillRun) {
  constexpr std::uint32_t kQueues = 3;
  for (const std::uint64_t seed : seeds(12)) {
    Rig rig(fakes::profiles::discrete());
    Random random(seed);
    struct Use {
      VkDeviceMemory memory;
      VkDeviceSize begin, end;
      std::uint32_t queue;
      std::uint64_t value;
    };
    struct Owned {
      Allocation allocation;
      VkDeviceMemory memory;
      VkDeviceSize begin, end;
    };
    std::vector<VkSemaphore> semaphores;
    std::vector<std::uint64_t> reached(kQueues), submitted(kQueues);
    for (std::uint32_t i = 0; i < kQueues; ++i)
      semaphores.push_back(rig.gpu.create_timeline_semaphore());
    std::vector<Use> uses;
    std::vector<Owned> owned;
    std::uint32_t taken_over = 0;
    for (int step = 0; step < 3000; ++step) {
      const auto queue = static_cast<std::uint32_t>(random.below(kQueues));
      switch (random.below(5)) {
        case 0:
        case 1: {
          const VkDeviceSize sizes[] = {kKiB, 20 * kKiB, 100 * kKiB, 3 * kMiB};
          const AllocationDesc desc{
              .intent = random.one_in(4) ? MemoryIntent::upload : MemoryIntent::device,
              .mapped = random.one_in(6)};
          const GpuUse use{.queue = queue,
                           .same_queue = random.one_in(2),
                           .opportunistic = random.one_in(2),
                           .wait = random.one_in(3)};
          const auto made = rig.allocator.allocate_ordered(requirements(sizes[random.index(4)]),
                                                           ResourceKind::linear, desc, use);
          ASSERT_TRUE(made);
          taken_over += made->order.taken_over ? 1 : 0;
          const auto info = rig.allocator.info(made->allocation);
          ASSERT_TRUE(info);
          const Owned mine{made->allocation, info->memory, info->offset, info->offset + info->size};
          for (const Use& before : uses) {
            if (before.memory != mine.memory || before.end <= mine.begin ||
                mine.end <= before.begin || before.value <= reached[before.queue])
              continue;
            bool waited = false;
            for (std::uint32_t i = 0; i < made->order.wait_count; ++i) {
              const GpuPoint& point = made->order.waits[i];
              waited |= point.semaphore == semaphores[before.queue] && point.value >= before.value;
            }
            const bool behind =
                use.same_queue && before.queue == queue && made->order.barrier_stages != 0;
            const bool by_host = desc.mapped || desc.intent == MemoryIntent::upload;
            ASSERT_TRUE((waited && use.wait) || behind) << "step " << step;
            ASSERT_FALSE(by_host) << "step " << step;
          }
          owned.push_back(mine);
          break;
        }
        case 2: {
          if (owned.empty()) break;
          const std::size_t which = random.index(owned.size());
          const Owned mine = owned[which];
          owned[which] = owned.back();
          owned.pop_back();
          if (random.one_in(4)) {
            ASSERT_TRUE(rig.allocator.free(mine.allocation));
            break;
          }
          const std::uint64_t value = ++submitted[queue];
          uses.push_back({mine.memory, mine.begin, mine.end, queue, value});
          ASSERT_TRUE(rig.allocator.free_after(mine.allocation, {semaphores[queue], value, queue}));
          break;
        }
        case 3:
          if (reached[queue] < submitted[queue]) {
            reached[queue] += 1 + random.below(submitted[queue] - reached[queue]);
            rig.gpu.signal(semaphores[queue], reached[queue]);
          }
          break;
        default:
          rig.now += random.below(50);
          if (random.one_in(3)) rig.allocator.tick();
          if (random.one_in(20)) rig.allocator.trim();
          break;
      }
    }
    EXPECT_GT(taken_over, 20u);
    for (const Owned& mine : owned)
      ASSERT_TRUE(rig.allocator.free(mine.allocation));
    for (std::uint32_t i = 0; i < kQueues; ++i) {
      if (reached[i] < submitted[i]) rig.gpu.signal(semaphores[i], submitted[i]);
    }
    ASSERT_TRUE(rig.allocator.collect());
    EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  }
}

}  // namespace
}  // namespace quarry::test
