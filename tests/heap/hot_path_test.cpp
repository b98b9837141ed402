// SPDX-License-Identifier: MIT
// Small requests through the public interface, in every mode: what is refused, what an allocation
// is, what is given back, what happens without host memory.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "heap/modes.hpp"
#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::kKiB;
using fakes::kMiB;

class HotPath : public testing::TestWithParam<Mode> {
 protected:
  static Rig::Change with(const Rig::Change& more = {}) {
    return [more](AllocatorDesc& desc) {
      GetParam().apply(desc);
      if (more) more(desc);
    };
  }
};

INSTANTIATE_TEST_SUITE_P(Modes, HotPath, testing::ValuesIn(modes()), name_of_mode);

FakeProfile one_heap(VkDeviceSize bytes) {
  FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = bytes;
  return profile;
}

std::vector<Allocation> allocate_many(Allocator& allocator, int count, VkDeviceSize size,
                                      const AllocationDesc& desc = {}) {
  std::vector<Allocation> made;
  for (int i = 0; i < count; ++i) {
    const auto one = allocator.allocate(requirements(size), ResourceKind::linear, desc);
    EXPECT_TRUE(one);
    if (one) made.push_back(*one);
  }
  return made;
}

void free_all(Allocator& allocator, std::vector<Allocation>& allocations) {
  for (const Allocation allocation : allocations)
    EXPECT_TRUE(allocator.free(allocation));
  allocations.clear();
}

/// So that a route is remembered, where there are routes, and slots lie ready.
void warm_up(Allocator& allocator, ResourceKind kind, const AllocationDesc& desc) {
  std::vector<Allocation> made;
  for (int i = 0; i < 40; ++i)
    made.push_back(*allocator.allocate(requirements(256), kind, desc));
  free_all(allocator, made);
}

// ---- What is refused

TEST_P(HotPath, ABadRequestIsRefusedOnAWarmRouteToo) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.granularity = 1'024;
  Rig rig(profile, with());
  Allocator& a = rig.allocator;
  for (const VkDeviceSize least : {1u, 16u, 256u}) {
    for (const ResourceKind kind :
         {ResourceKind::unknown, ResourceKind::linear, ResourceKind::optimal}) {
      for (const MemoryIntent intent : {MemoryIntent::device, MemoryIntent::upload}) {
        const AllocationDesc desc{.intent = intent, .minimum_alignment = least};
        warm_up(a, kind, desc);
        const auto reason = [&](const VkMemoryRequirements& needed, const AllocationDesc& wanted) {
          return reason_of(a.allocate(needed, kind, wanted));
        };
        EXPECT_EQ(reason({0, 16, ~0u}, desc), Reason::size_zero);
        for (const VkDeviceSize alignment : {0u, 3u, 5u, 12u, 17u, 255u, 384u, 1'000'000u})
          EXPECT_EQ(reason({256, alignment, ~0u}, desc), Reason::bad_alignment) << alignment;
        EXPECT_EQ(reason({256, ~VkDeviceSize{0}, ~0u}, desc), Reason::bad_alignment);
        EXPECT_EQ(reason({256, 16, 0}, desc), Reason::no_memory_type);
        AllocationDesc wrong = desc;
        for (const VkDeviceSize alignment : {0u, 3u, 96u}) {
          wrong.minimum_alignment = alignment;
          EXPECT_EQ(reason({256, 16, ~0u}, wrong), Reason::bad_alignment) << alignment;
        }
        wrong = desc;
        wrong.tag = Tag{1};
        EXPECT_EQ(reason({256, 16, ~0u}, wrong), Reason::bad_argument);
        wrong.tag = Tag{65'536};
        EXPECT_EQ(reason({256, 16, ~0u}, wrong), Reason::bad_argument);
        wrong = desc;
        wrong.memory_type_bits = 0;
        EXPECT_EQ(reason({256, 16, ~0u}, wrong), Reason::no_memory_type);
        wrong = desc;
        wrong.lifetime = static_cast<Lifetime>(3);
        EXPECT_EQ(reason({256, 16, ~0u}, wrong), Reason::bad_argument);
        wrong = desc;
        wrong.dedicated = static_cast<Dedicated>(3);
        EXPECT_EQ(reason({256, 16, ~0u}, wrong), Reason::bad_argument);
        wrong = desc;
        wrong.pool = Pool{12'345};
        EXPECT_NE(reason({256, 16, ~0u}, wrong), Reason::none);
        for (unsigned other = 6; other < 256; ++other) {
          wrong = desc;
          wrong.intent = static_cast<MemoryIntent>(other);
          EXPECT_EQ(reason({256, 16, ~0u}, wrong), Reason::bad_argument) << other;
        }
        for (unsigned other = 3; other < 256; ++other) {
          EXPECT_EQ(reason_of(a.allocate({256, 16, ~0u}, static_cast<ResourceKind>(other), desc)),
                    Reason::bad_argument)
              << other;
        }
      }
    }
  }
  EXPECT_EQ(a.totals().allocation_count, 0u);
  EXPECT_EQ(a.tag_totals(Tag{}).allocation_count, 0u);
}

TEST_P(HotPath, AHandleIsFreedOnceWhoeverHasTheSlotNow) {
  Rig rig(fakes::profiles::discrete(), with());
  std::vector<Allocation> dead;
  for (int round = 0; round < 50; ++round) {
    auto made = allocate_many(rig.allocator, 20, 4 * kKiB);
    for (const Allocation allocation : dead)
      EXPECT_EQ(reason_of(rig.allocator.free(allocation)), Reason::stale_handle);
    for (const Allocation allocation : made)
      EXPECT_TRUE(rig.allocator.info(allocation));
    dead = made;
    free_all(rig.allocator, made);
  }
  EXPECT_EQ(reason_of(rig.allocator.free({})), Reason::stale_handle);
  EXPECT_EQ(rig.allocator.counters().frees, 1'000u);
}

// ---- What an allocation is

TEST_P(HotPath, SizesAndAlignmentsAreHonoured) {
  FakeProfile profile = fakes::profiles::non_coherent();
  Rig rig(profile, with());
  Random random(1);
  std::vector<Allocation> made;
  for (int i = 0; i < 3'000; ++i) {
    const VkMemoryRequirements needed =
        requirements(random.any_magnitude(17), VkDeviceSize{1} << random.below(18));
    const auto kind = static_cast<ResourceKind>(random.below(3));
    const AllocationDesc desc{.intent = static_cast<MemoryIntent>(random.below(3)),
                              .minimum_alignment = VkDeviceSize{1} << random.below(12)};
    const auto one = rig.allocator.allocate(needed, kind, desc);
    ASSERT_TRUE(one);
    const auto info = rig.allocator.info(*one);
    ASSERT_GE(info->size, needed.size);
    ASSERT_EQ(info->offset % needed.alignment, 0u);
    ASSERT_EQ(info->offset % desc.minimum_alignment, 0u);
    rig.gpu.claim(info->memory, info->offset, info->size, kind);
    made.push_back(*one);
    if (random.one_in(2)) {
      std::swap(made[random.index(made.size())], made.back());
      const auto old = rig.allocator.info(made.back());
      rig.gpu.unclaim(old->memory, old->offset, old->size);
      EXPECT_TRUE(rig.allocator.free(made.back()));
      made.pop_back();
    }
  }
  for (const Allocation allocation : made) {
    const auto info = rig.allocator.info(allocation);
    rig.gpu.unclaim(info->memory, info->offset, info->size);
  }
  free_all(rig.allocator, made);
}

TEST_P(HotPath, WhatIsKnownOfAnAllocationGoesWithIt) {
  Rig rig(fakes::profiles::discrete(), with());
  Allocator& a = rig.allocator;
  const auto tag = a.register_tag("meshes");
  int mark = 0;
  for (int round = 0; round < 100; ++round) {
    const AllocationDesc desc{.intent = MemoryIntent::upload, .tag = *tag, .user_data = &mark};
    auto made = allocate_many(a, 3, 4 * kKiB, desc);
    for (const Allocation allocation : made) {
      const auto info = a.info(allocation);
      EXPECT_EQ(info->tag, *tag);
      EXPECT_EQ(info->user_data, &mark);
      EXPECT_EQ(info->name, nullptr) << "of an earlier life";
      EXPECT_EQ(info->mapped, nullptr);
      const auto explained = a.explain(allocation);
      EXPECT_EQ(explained->memory_type, info->memory_type);
      EXPECT_GE(explained->size, 4 * kKiB);
    }
    EXPECT_TRUE(a.set_name(made[0], "first"));
    EXPECT_STREQ(a.info(made[0])->name, "first");
    EXPECT_TRUE(a.set_user_data(made[1], nullptr));
    EXPECT_EQ(a.info(made[1])->user_data, nullptr);
    const auto mapped = a.map(made[2]);
    ASSERT_TRUE(mapped);
    std::memset(*mapped, round, 4 * kKiB);
    EXPECT_EQ(a.info(made[2])->mapped, *mapped);
    EXPECT_TRUE(a.flush(made[2]));
    std::array<std::byte, 1> seen{};
    EXPECT_TRUE(a.copy_from(made[2], 4'095, seen));
    EXPECT_EQ(seen[0], static_cast<std::byte>(round));
    // Freed while mapped and named.
    free_all(a, made);
    auto plain = allocate_many(a, 3, 4 * kKiB, {.intent = MemoryIntent::upload});
    for (const Allocation allocation : plain) {
      EXPECT_EQ(a.info(allocation)->name, nullptr);
      EXPECT_EQ(a.info(allocation)->tag, Tag{});
      EXPECT_EQ(a.info(allocation)->user_data, nullptr);
      EXPECT_EQ(reason_of(a.unmap(allocation)), Reason::not_mapped);
    }
    free_all(a, plain);
  }
  EXPECT_EQ(a.tag_totals(*tag).allocation_count, 0u);
}

TEST_P(HotPath, ASnapshotShowsSlotsOneByOneAndFreeOnesAsFree) {
  Rig rig(fakes::profiles::discrete(), with());
  Allocator& a = rig.allocator;
  const auto tag = a.register_tag("particles");
  Random random(3);
  std::vector<Allocation> made;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 60; ++i)
      made.push_back(
          *a.allocate(requirements(random.any_magnitude(16)), ResourceKind::linear, {.tag = *tag}));
    for (int i = 0; i < 50; ++i) {
      std::swap(made[random.index(made.size())], made.back());
      EXPECT_TRUE(a.free(made.back()));
      made.pop_back();
    }
    const auto snapshot = a.snapshot();
    ASSERT_TRUE(snapshot);
    VkDeviceSize used = 0;
    std::vector<std::uint64_t> seen;
    for (const SnapshotBlock& block : snapshot->blocks()) {
      VkDeviceSize end = 0;
      VkDeviceSize used_here = 0;
      for (const SnapshotRange& range : snapshot->ranges(block)) {
        ASSERT_EQ(range.offset, end);
        end += range.size;
        if (!range.allocation) continue;
        const auto info = a.info(range.allocation);
        ASSERT_TRUE(info);
        EXPECT_EQ(info->memory, block.memory);
        EXPECT_EQ(info->offset, range.offset);
        EXPECT_EQ(info->size, range.size);
        EXPECT_EQ(range.tag, *tag);
        used_here += range.size;
        seen.push_back(range.allocation.value);
      }
      EXPECT_EQ(end, block.size);
      EXPECT_EQ(used_here, block.used_bytes);
      used += used_here;
    }
    const Totals totals = a.totals();
    EXPECT_EQ(used, totals.allocation_bytes);
    EXPECT_EQ(seen.size(), totals.allocation_count);
    EXPECT_EQ(seen.size(), made.size());
    const DetailedStatistics detailed = a.detailed_statistics();
    EXPECT_EQ(detailed.free_bytes, totals.block_bytes - used);
    EXPECT_EQ(a.tag_totals(*tag).allocation_bytes, used);
  }
  free_all(a, made);
  EXPECT_EQ(a.detailed_statistics().smallest_allocation, 0u);
}

// ---- Custom pools

TEST_P(HotPath, CustomPoolsPlaceExactly) {
  Rig rig(fakes::profiles::discrete(), with());
  const auto pool = rig.allocator.create_pool({.memory_type = 0, .block_bytes = 64 * kKiB});
  ASSERT_TRUE(pool);
  const AllocationDesc desc{.pool = *pool};
  // On a route that the default pools know well.
  warm_up(rig.allocator, ResourceKind::linear, {});
  auto made = allocate_many(rig.allocator, 50, 100, desc);
  for (const Allocation allocation : made)
    EXPECT_EQ(rig.allocator.info(allocation)->size, 100u);
  EXPECT_EQ(rig.allocator.pool_totals(*pool)->allocation_bytes, 5'000u);
  EXPECT_EQ(reason_of(rig.allocator.destroy_pool(*pool)), Reason::still_in_use);
  free_all(rig.allocator, made);
  EXPECT_EQ(rig.allocator.pool_totals(*pool)->allocation_count, 0u);
  // All of the block can be had: nothing was kept back.
  made = allocate_many(rig.allocator, 1, 64 * kKiB, desc);
  EXPECT_EQ(rig.allocator.pool_totals(*pool)->block_count, 1u);
  free_all(rig.allocator, made);
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

// ---- What is given back

TEST_P(HotPath, TrimGivesEverythingBackFromAllThreads) {
  Rig rig(fakes::profiles::discrete(), with());
  constexpr int kThreads = 4;
  std::latch freed(kThreads);
  std::latch trimmed(1);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Random random(static_cast<std::uint64_t>(thread) + 1);
      std::vector<Allocation> made;
      for (int i = 0; i < 500; ++i) {
        made.push_back(*rig.allocator.allocate(
            requirements(random.any_magnitude(17)), static_cast<ResourceKind>(random.below(3)),
            {.lifetime = static_cast<Lifetime>(random.below(3))}));
      }
      free_all(rig.allocator, made);
      freed.count_down();
      trimmed.wait();
      // Goes on as if nothing had happened.
      made = allocate_many(rig.allocator, 100, 1'000);
      free_all(rig.allocator, made);
    });
  }
  freed.wait();
  const VkDeviceSize held = rig.gpu.used_bytes(0);
  EXPECT_GT(held, 0u);
  EXPECT_EQ(rig.allocator.trim(), held);
  EXPECT_EQ(rig.gpu.live().memories, 0u);
  trimmed.count_down();
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
}

TEST_P(HotPath, AThreadsEndGivesItsSlotsBack) {
  Rig rig(fakes::profiles::discrete(), with());
  std::thread([&] {
    auto made = allocate_many(rig.allocator, 200, 30'000);
    free_all(rig.allocator, made);
  }).join();
  const Totals totals = rig.allocator.totals();
  const DetailedStatistics detailed = rig.allocator.detailed_statistics();
  EXPECT_EQ(totals.allocation_count, 0u);
  EXPECT_EQ(detailed.free_bytes, totals.block_bytes);
  // All blocks count as empty, so that tick() lets go of them in time: what other threads left in
  // depots goes after a second look.
  for (int i = 0; i < 3; ++i) {
    rig.now += 1'001;
    rig.allocator.tick();
  }
  rig.now += 21'000;
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST_P(HotPath, EmptyBlocksBeyondTheRetainedBytesGoAfterAnIdleSecond) {
  Rig rig(fakes::profiles::discrete(),
          with([](AllocatorDesc& desc) { desc.blocks.retained_bytes = 0; }));
  auto made = allocate_many(rig.allocator, 100, 4 * kKiB);
  rig.allocator.tick();
  free_all(rig.allocator, made);
  for (int i = 0; i < 3; ++i) {
    rig.now += 1'001;
    rig.allocator.tick();
  }
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST_P(HotPath, CachesMakeWayBeforeAShortageIsReported) {
  constexpr VkDeviceSize kHeap = 8 * kMiB;
  Rig rig(one_heap(kHeap), with([](AllocatorDesc& desc) {
            desc.assumed_budget_share = 1.0;
            desc.blocks.first_block = kMiB;
            desc.blocks.largest_block = kMiB;
          }));
  std::latch cached(1);
  std::latch done(1);
  std::thread other([&] {
    auto made = allocate_many(rig.allocator, 60, 60'000);
    free_all(rig.allocator, made);
    cached.count_down();
    done.wait();
  });
  cached.wait();
  auto own = allocate_many(rig.allocator, 20, 60'000);
  free_all(rig.allocator, own);
  const auto all = rig.allocator.create_buffer(buffer_info(kHeap));
  EXPECT_TRUE(all);
  if (all) {
    // Nothing is cached now; the rung is not climbed in vain.
    const auto more = rig.allocator.create_buffer(buffer_info(100));
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().tried & static_cast<std::uint32_t>(LadderRung::thread_caches), 0u);
    EXPECT_TRUE(rig.allocator.destroy(*all));
  }
  if (GetParam().has_caches()) {
    own = allocate_many(rig.allocator, 1, 200);
    auto second = allocate_many(rig.allocator, 1, 200);
    free_all(rig.allocator, second);
    const auto refused = rig.allocator.create_buffer(buffer_info(kHeap));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().tried & static_cast<std::uint32_t>(LadderRung::thread_caches), 0u);
    free_all(rig.allocator, own);
  }
  done.count_down();
  other.join();
}

// ---- Without host memory

TEST_P(HotPath, WithoutHostMemoryARequestIsRefusedOrServedAndNothingIsLost) {
  for (std::uint64_t number = 1; number < 120; ++number) {
    SCOPED_TRACE("allocation " + std::to_string(number) + " fails");
    Rig rig(fakes::profiles::single_type(), with());
    const auto tag = rig.allocator.register_tag("tag");
    ASSERT_TRUE(tag);
    rig.host.fail(number, 1 + number % 3);
    std::vector<Allocation> made;
    std::uint64_t served = 0;
    for (int i = 0; i < 120; ++i) {
      const AllocationDesc desc{.tag = i % 2 == 0 ? *tag : Tag{},
                                .name = i % 5 == 0 ? "named" : nullptr};
      const auto one = rig.allocator.allocate(requirements(i % 3 == 0 ? 60'000 : 5'000),
                                              ResourceKind::linear, desc);
      if (one) {
        made.push_back(*one);
        ++served;
      } else {
        EXPECT_EQ(one.error().reason, Reason::out_of_host_memory);
      }
      if (i % 40 == 39) free_all(rig.allocator, made);
      EXPECT_EQ(rig.allocator.totals().allocation_count, made.size());
    }
    rig.host.succeed();
    EXPECT_EQ(rig.allocator.counters().allocations, served);
    EXPECT_EQ(rig.allocator.tag_totals(*tag).allocation_bytes, 0u);
    EXPECT_EQ(rig.allocator.tag_totals({}).allocation_bytes, 0u);
    (void)rig.allocator.trim();
    EXPECT_EQ(rig.gpu.live().memories, 0u);
  }
}

// ---- The same calls, the same places

std::vector<std::array<std::uint64_t, 4>> layout_after(std::uint64_t seed) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
    desc.hot_path.deterministic = true;
    desc.blocks.first_block = kMiB;
  });
  Random random(seed);
  std::vector<Allocation> made;
  for (int i = 0; i < 4'000; ++i) {
    if (random.below(100) < 55) {
      made.push_back(*rig.allocator.allocate(
          requirements(random.any_magnitude(18)), static_cast<ResourceKind>(random.below(3)),
          {.intent = static_cast<MemoryIntent>(random.below(3))}));
    } else if (!made.empty()) {
      std::swap(made[random.index(made.size())], made.back());
      EXPECT_TRUE(rig.allocator.free(made.back()));
      made.pop_back();
    }
    if (random.one_in(500)) (void)rig.allocator.trim();
  }
  std::vector<std::array<std::uint64_t, 4>> layout;
  const auto snapshot = rig.allocator.snapshot();
  for (std::size_t i = 0; i < snapshot->blocks().size(); ++i) {
    const SnapshotBlock& block = snapshot->blocks()[i];
    layout.push_back({i, block.size, block.memory_type, block.used_bytes});
    // Of the handle what does not name the allocator.
    for (const SnapshotRange& range : snapshot->ranges(block))
      layout.push_back({i, range.offset, range.size, range.allocation.value << 8});
  }
  free_all(rig.allocator, made);
  return layout;
}

TEST(HotPathDeterministic, TheSameCallsGiveTheSameSnapshot) {
  for (const std::uint64_t seed : seeds(2)) {
    const auto first = layout_after(seed);
    EXPECT_GT(first.size(), 100u);
    // Other allocators and threads in between do not matter.
    Rig other(fakes::profiles::discrete());
    std::thread([&] {
      auto made = allocate_many(other.allocator, 50, 1'000);
      free_all(other.allocator, made);
    }).join();
    EXPECT_EQ(layout_after(seed), first);
  }
}

}  // namespace
}  // namespace quarry::test
