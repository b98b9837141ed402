// SPDX-License-Identifier: MIT
// The out-of-memory ladder: for each rung a shortage that this rung alone can end, and the error
// that names the rungs when none does.
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::kMiB;

std::uint32_t rungs(std::initializer_list<LadderRung> list) {
  std::uint32_t bits = 0;
  for (const LadderRung rung : list)
    bits |= static_cast<std::uint32_t>(rung);
  return bits;
}

/// One heap, one type; the driver tells no budget.
FakeProfile one_heap(VkDeviceSize bytes) {
  FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = bytes;
  return profile;
}

/// Two heaps with a device-local type each.
FakeProfile two_heaps(VkDeviceSize first, VkDeviceSize second) {
  FakeProfile profile = fakes::profiles::small_first_device();
  profile.heaps[0].size = first;
  profile.heaps[1].size = second;
  return profile;
}

/// An empty block of that size is left behind.
void leave_empty_block(Rig& rig, VkDeviceSize bytes, Lifetime lifetime, std::uint64_t others = 0) {
  const auto buffer = rig.allocator.create_buffer(buffer_info(bytes), {.lifetime = lifetime});
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(rig.allocator.destroy(*buffer));
  ASSERT_EQ(rig.allocator.totals().allocation_count, others);
}

const auto kAllOfTheHeap = [](AllocatorDesc& desc) { desc.assumed_budget_share = 1.0; };

TEST(Ladder, EmptyBlocksOfTheArenaMakeRoom) {
  Rig rig(one_heap(128 * kMiB), kAllOfTheHeap);
  leave_empty_block(rig, 40 * kMiB, Lifetime::unspecified);
  ASSERT_EQ(rig.gpu.used_bytes(0), 40 * kMiB);
  const auto buffer = rig.allocator.create_buffer(buffer_info(100 * kMiB));
  ASSERT_TRUE(buffer);
  EXPECT_EQ(rig.gpu.used_bytes(0), 100 * kMiB);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Ladder, EmptyBlocksElsewhereOnTheHeapMakeRoomLongestEmptyFirst) {
  Rig rig(one_heap(128 * kMiB), kAllOfTheHeap);
  leave_empty_block(rig, 20 * kMiB, Lifetime::short_lived);
  rig.now += 1;
  leave_empty_block(rig, 30 * kMiB, Lifetime::long_lived);
  // 78 MiB are left. The one that was empty longest is enough.
  const auto first = rig.allocator.create_buffer(buffer_info(90 * kMiB));
  ASSERT_TRUE(first);
  EXPECT_EQ(rig.gpu.used_bytes(0), 120 * kMiB);
  const auto second = rig.allocator.create_buffer(buffer_info(32 * kMiB));
  ASSERT_TRUE(second);
  EXPECT_EQ(rig.gpu.used_bytes(0), 122 * kMiB);
  EXPECT_TRUE(rig.allocator.destroy(*first));
  EXPECT_TRUE(rig.allocator.destroy(*second));
}

TEST(Ladder, EmptyBlocksOfPoolsGiveWayDownToTheirMinimum) {
  Rig rig(one_heap(128 * kMiB), kAllOfTheHeap);
  const auto pool = rig.allocator.create_pool({.block_bytes = 32 * kMiB, .minimum_blocks = 1});
  ASSERT_TRUE(pool);
  std::vector<Allocation> halves;
  for (int i = 0; i < 2; ++i) {
    halves.push_back(
        *rig.allocator.allocate(requirements(32 * kMiB), ResourceKind::linear, {.pool = *pool}));
  }
  for (const Allocation half : halves)
    EXPECT_TRUE(rig.allocator.free(half));
  const auto buffer = rig.allocator.create_buffer(buffer_info(90 * kMiB));
  ASSERT_TRUE(buffer);
  EXPECT_EQ(rig.allocator.pool_totals(*pool)->block_count, 1u);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(20 * kMiB))),
            Reason::out_of_device_memory);
  EXPECT_EQ(rig.allocator.pool_totals(*pool)->block_count, 1u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

struct Evictor {
  Rig* rig = nullptr;
  Buffer victim;
  int asked = 0;
  std::uint32_t heap = ~0u;
  VkDeviceSize bytes = 0;
  bool answer = true;
  std::function<void()> also;

  static bool on_shortage(void* user, std::uint32_t heap, VkDeviceSize bytes) {
    auto& self = *static_cast<Evictor*>(user);
    ++self.asked;
    self.heap = heap;
    self.bytes = bytes;
    if (self.rig != nullptr) {
      EXPECT_TRUE(self.rig->allocator.destroy(std::exchange(self.victim, {})));
    }
    if (self.also) self.also();
    return self.answer;
  }
  Rig::Change change() {
    return [this](AllocatorDesc& desc) {
      desc.assumed_budget_share = 1.0;
      desc.on_shortage = on_shortage;
      desc.shortage_user = this;
    };
  }
};

TEST(Ladder, TheOwnerMakesRoom) {
  Evictor evictor;
  Rig rig(one_heap(128 * kMiB), evictor.change());
  const auto victim =
      rig.allocator.create_buffer(buffer_info(60 * kMiB), {.dedicated = Dedicated::always});
  ASSERT_TRUE(victim);
  evictor.rig = &rig;
  evictor.victim = *victim;
  const auto buffer = rig.allocator.create_buffer(buffer_info(100 * kMiB));
  ASSERT_TRUE(buffer);
  EXPECT_EQ(evictor.asked, 1);
  EXPECT_EQ(evictor.heap, 0u);
  EXPECT_EQ(evictor.bytes, 100 * kMiB);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Ladder, AnOwnerWhoSaysNoIsBelieved) {
  Evictor evictor;
  evictor.answer = false;
  Rig rig(one_heap(128 * kMiB), evictor.change());
  rig.gpu.reset_calls();
  rig.gpu.refuse_allocations(
      [](const VkMemoryAllocateInfo&) { return VK_ERROR_OUT_OF_DEVICE_MEMORY; });
  const auto refused =
      rig.allocator.create_buffer(buffer_info(1 * kMiB), {.dedicated = Dedicated::always});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().tried, rungs({LadderRung::owner_callback}));
  EXPECT_EQ(evictor.asked, 1);
  EXPECT_EQ(rig.driver_allocations(), 2u) << "once within the budget and once beyond";
  rig.gpu.refuse_allocations(nullptr);
}

TEST(Ladder, TheOwnerMayAllocateWhileItIsAskedAndIsNotAskedAgain) {
  Evictor evictor;
  Rig rig(one_heap(128 * kMiB), evictor.change());
  Reason inner = Reason::none;
  evictor.also = [&] { inner = reason_of(rig.allocator.create_buffer(buffer_info(127 * kMiB))); };
  const auto all = rig.allocator.create_buffer(buffer_info(120 * kMiB));
  ASSERT_TRUE(all);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(100 * kMiB))),
            Reason::out_of_device_memory);
  EXPECT_EQ(inner, Reason::out_of_device_memory);
  EXPECT_EQ(evictor.asked, 1);
  EXPECT_TRUE(rig.allocator.destroy(*all));
}

TEST(Ladder, ASmallerBlockIsMadeWhereTheDriverRefusesTheNextInTheGrowth) {
  Rig rig(one_heap(512 * kMiB));
  rig.gpu.refuse_allocations([](const VkMemoryAllocateInfo& info) {
    return info.allocationSize > 1 * kMiB ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
  });
  const auto buffer = rig.allocator.create_buffer(buffer_info(600'000));
  ASSERT_TRUE(buffer);
  EXPECT_EQ(rig.gpu.used_bytes(0), 960 * fakes::kKiB);
  EXPECT_EQ(rig.driver_allocations(), 3u) << "six requests of 640 KiB, and halves of that";
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Ladder, TheSmallestBlockIsTheRequestInWholeGranules) {
  Rig rig(one_heap(512 * kMiB));
  std::vector<VkDeviceSize> sizes;
  rig.gpu.refuse_allocations([&](const VkMemoryAllocateInfo& info) {
    sizes.push_back(info.allocationSize);
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  });
  const auto refused = rig.allocator.create_buffer(buffer_info(600'000));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::out_of_device_memory);
  EXPECT_EQ(refused.error().code, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(refused.error().tried, rungs({LadderRung::smaller_block}));
  EXPECT_EQ(refused.error().memory_types_tried, 1u);
  EXPECT_EQ(refused.error().requested_bytes, 600'000u);
  EXPECT_EQ(sizes.back(), 655'360u);
  EXPECT_LE(sizes.size(), 10u) << "never a storm of driver calls";
  rig.gpu.refuse_allocations(nullptr);
}

TEST(Ladder, TheNextMemoryTypeServes) {
  Rig rig(two_heaps(64 * kMiB, 512 * kMiB));
  rig.gpu.refuse_allocations([](const VkMemoryAllocateInfo& info) {
    return info.memoryTypeIndex == 0 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
  });
  const auto buffer = rig.allocator.create_buffer(buffer_info(1 * kMiB));
  ASSERT_TRUE(buffer);
  EXPECT_EQ(rig.allocator.info(buffer->allocation)->memory_type, 1u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

/// A shortage that one rung can end.
struct OneRung {
  LadderRung rung;
  FakeProfile profile;
  Rig::Change change;
  std::function<bool(Rig&)> is_served;
};

void expect_served_by_that_rung_alone(const OneRung& one) {
  for (const bool allowed : {false, true}) {
    Rig rig(one.profile, [&](AllocatorDesc& desc) {
      if (one.change) one.change(desc);
      desc.ladder = allowed ? rungs({one.rung}) : 0;
    });
    EXPECT_EQ(one.is_served(rig), allowed);
    rig.gpu.refuse_allocations(nullptr);
  }
}

/// Served, and given back.
bool serves(Rig& rig, VkDeviceSize bytes) {
  const auto buffer = rig.allocator.create_buffer(buffer_info(bytes));
  return buffer && rig.allocator.destroy(*buffer);
}

TEST(LadderSwitches, ThreadCachesAlone) {
  expect_served_by_that_rung_alone(
      {LadderRung::thread_caches, one_heap(128 * kMiB), kAllOfTheHeap, [](Rig& rig) {
         // A slab's worth of slots; blocks full; no further block.
         std::vector<Buffer> slots;
         for (int i = 0; i < 8; ++i)
           slots.push_back(*rig.allocator.create_buffer(buffer_info(64 * fakes::kKiB)));
         EXPECT_TRUE(rig.allocator.set_heap_limit(0, rig.gpu.used_bytes(0)));
         std::vector<Buffer> others;
         for (auto more = rig.allocator.create_buffer(buffer_info(300 * fakes::kKiB)); more;
              more = rig.allocator.create_buffer(buffer_info(300 * fakes::kKiB)))
           others.push_back(*more);
         for (const Buffer& slot : slots)
           EXPECT_TRUE(rig.allocator.destroy(slot));
         const bool served = serves(rig, 300 * fakes::kKiB);
         for (const Buffer& other : others)
           EXPECT_TRUE(rig.allocator.destroy(other));
         return served;
       }});
}

TEST(LadderSwitches, EmptyBlocksOfTheArenaAlone) {
  expect_served_by_that_rung_alone(
      {LadderRung::empty_blocks_of_arena, one_heap(128 * kMiB), kAllOfTheHeap, [](Rig& rig) {
         leave_empty_block(rig, 40 * kMiB, Lifetime::unspecified);
         return serves(rig, 100 * kMiB);
       }});
}

TEST(LadderSwitches, EmptyBlocksOfTheHeapAlone) {
  expect_served_by_that_rung_alone(
      {LadderRung::empty_blocks_of_heap, one_heap(128 * kMiB), kAllOfTheHeap, [](Rig& rig) {
         leave_empty_block(rig, 40 * kMiB, Lifetime::short_lived);
         return serves(rig, 100 * kMiB);
       }});
}

TEST(LadderSwitches, TheOwnerAlone) {
  Evictor evictor;
  expect_served_by_that_rung_alone(
      {LadderRung::owner_callback, one_heap(128 * kMiB), evictor.change(), [&](Rig& rig) {
         const auto victim =
             rig.allocator.create_buffer(buffer_info(60 * kMiB), {.dedicated = Dedicated::always});
         evictor.rig = &rig;
         evictor.victim = *victim;
         const bool served = serves(rig, 100 * kMiB);
         EXPECT_EQ(rig.allocator.destroy(*victim).has_value(), !served);
         return served;
       }});
  EXPECT_EQ(evictor.asked, 1);
}

TEST(LadderSwitches, ASmallerBlockAlone) {
  expect_served_by_that_rung_alone(
      {LadderRung::smaller_block, one_heap(512 * kMiB), nullptr, [](Rig& rig) {
         rig.gpu.refuse_allocations([](const VkMemoryAllocateInfo& info) {
           return info.allocationSize > 1 * kMiB ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
         });
         return serves(rig, 600'000);
       }});
}

TEST(LadderSwitches, TheNextMemoryTypeAlone) {
  expect_served_by_that_rung_alone(
      {LadderRung::next_memory_type, two_heaps(64 * kMiB, 512 * kMiB), nullptr, [](Rig& rig) {
         rig.gpu.refuse_allocations([](const VkMemoryAllocateInfo& info) {
           return info.memoryTypeIndex == 0 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
         });
         return serves(rig, 1 * kMiB);
       }});
}

TEST(LadderSwitches, BitsOfNoRungAreRefused) {
  fakes::FakeGpu gpu(fakes::profiles::single_type());
  AllocatorDesc desc = gpu.allocator_desc();
  desc.ladder = kEveryRung + 1;
  const auto refused = Allocator::create(desc);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::bad_argument);
}

TEST(Ladder, AnErrorTellsEveryRungAndTypeThatWasTried) {
  Evictor evictor;
  Rig rig(two_heaps(256 * kMiB, 512 * kMiB), evictor.change());
  const auto first = rig.allocator.create_buffer(buffer_info(4 * kMiB));
  const auto second = rig.allocator.create_buffer(buffer_info(8 * kMiB));
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(rig.allocator.destroy(*first));
  leave_empty_block(rig, 1 * kMiB, Lifetime::short_lived, 1);
  ASSERT_EQ(rig.gpu.live().memories, 3u);
  rig.gpu.refuse_allocations(
      [](const VkMemoryAllocateInfo&) { return VK_ERROR_OUT_OF_DEVICE_MEMORY; });
  const auto refused = rig.allocator.create_buffer(buffer_info(5 * kMiB));
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().tried,
      rungs({LadderRung::empty_blocks_of_arena, LadderRung::empty_blocks_of_heap,
             LadderRung::owner_callback, LadderRung::smaller_block, LadderRung::next_memory_type}));
  EXPECT_EQ(refused.error().memory_types_tried, 3u);
  EXPECT_EQ(evictor.asked, 2) << "once for each heap";
  EXPECT_EQ(rig.gpu.live().memories, 1u);
  EXPECT_TRUE(rig.allocator.destroy(*second));
  rig.gpu.refuse_allocations(nullptr);
}

TEST(Ladder, OneTypeAloneIsNotTheNextType) {
  Rig rig(one_heap(64 * kMiB));
  const auto all = rig.allocator.create_buffer(buffer_info(60 * kMiB));
  ASSERT_TRUE(all) << "beyond the budget, which nobody asked to keep";
  const auto refused = rig.allocator.create_buffer(buffer_info(20 * kMiB));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().tried & rungs({LadderRung::next_memory_type}), 0u);
  EXPECT_TRUE(rig.allocator.destroy(*all));
}

TEST(Ladder, AnErrorThatIsNoShortageEndsTheClimbWithTheDriversCode) {
  Rig rig(two_heaps(64 * kMiB, 128 * kMiB));
  for (const Dedicated dedicated : {Dedicated::automatic, Dedicated::always}) {
    rig.gpu.reset_calls();
    rig.gpu.fail(fakes::Function::allocate_memory, 1, VK_ERROR_DEVICE_LOST);
    const auto refused =
        rig.allocator.create_buffer(buffer_info(1 * kMiB), {.dedicated = dedicated});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(refused.error().reason, Reason::driver);
    EXPECT_EQ(rig.driver_allocations(), 1u);
  }
  EXPECT_EQ(rig.allocator.counters().failed_allocations, 0u);
}

TEST(Ladder, ShortagesAreCounted) {
  Rig rig(one_heap(64 * kMiB));
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(65 * kMiB))),
            Reason::larger_than_heap);
  EXPECT_EQ(rig.allocator.counters().failed_allocations, 0u);
  const auto all = rig.allocator.create_buffer(buffer_info(60 * kMiB));
  ASSERT_TRUE(all);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(20 * kMiB))),
            Reason::out_of_device_memory);
  EXPECT_EQ(rig.allocator.counters().failed_allocations, 1u);
  EXPECT_TRUE(rig.allocator.destroy(*all));
}

TEST(Ladder, AMappingThatFailsLeavesNoAllocation) {
  Rig rig(fakes::profiles::single_type());
  rig.gpu.fail(fakes::Function::map_memory, 1, VK_ERROR_MEMORY_MAP_FAILED);
  const auto refused = rig.allocator.create_buffer(buffer_info(100), {.mapped = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, VK_ERROR_MEMORY_MAP_FAILED);
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  const auto buffer = rig.allocator.create_buffer(buffer_info(100), {.mapped = true});
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Ladder, ADriverThatIsKnownToBeFullIsNotAskedForEachSmallRequestThatAHoleCanTake) {
  Rig rig(one_heap(512 * kMiB), kAllOfTheHeap);
  // A block without room for a slab, but with many holes of 8 KiB.
  std::vector<Allocation> pieces;
  const auto allocate = [&](VkDeviceSize bytes) {
    return rig.allocator.allocate(requirements(bytes, 4'096), ResourceKind::linear,
                                  {.minimum_alignment = 4'096});
  };
  while (rig.driver_allocations() < 2)
    pieces.push_back(*allocate(72 << 10));
  EXPECT_TRUE(rig.allocator.free(pieces.back()));
  pieces.pop_back();
  (void)rig.allocator.trim();
  std::vector<Allocation> kept;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i % 2 == 0)
      kept.push_back(pieces[i]);
    else
      EXPECT_TRUE(rig.allocator.free(pieces[i]));
  }
  rig.gpu.reset_calls();
  rig.gpu.refuse_allocations(
      [](const VkMemoryAllocateInfo&) { return VK_ERROR_OUT_OF_DEVICE_MEMORY; });
  for (int i = 0; i < 40; ++i) {
    const auto small = allocate(8 << 10);
    ASSERT_TRUE(small) << i;
    kept.push_back(*small);
  }
  EXPECT_EQ(rig.driver_allocations(), 1u);
  // From time to time it is asked again.
  rig.gpu.refuse_allocations(nullptr);
  rig.allocator.tick();
  const auto small = allocate(8 << 10);
  ASSERT_TRUE(small);
  kept.push_back(*small);
  EXPECT_EQ(rig.driver_allocations(), 2u);
  for (const Allocation each : kept)
    EXPECT_TRUE(rig.allocator.free(each));
}

}  // namespace
}  // namespace quarry::test
