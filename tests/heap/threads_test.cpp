// SPDX-License-Identifier: MIT
// Many threads on one allocator. What one makes another frees; displays look on; blocks come and
// go. Meant for ThreadSanitizer as well as for the oracle and the final balance.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include <quarry/upload_ring.hpp>

#include "heap/modes.hpp"
#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::image_info;
using fakes::kKiB;
using fakes::kMiB;

constexpr int kThreads = 8;

/// Rounds of each thread: QUARRY_TEST_OPERATIONS, else few.
int rounds() {
  const char* given = std::getenv("QUARRY_TEST_OPERATIONS");
  return given == nullptr ? 400 : std::atoi(given);
}

struct Thing {
  Buffer buffer;
  Image image;
  Allocation raw;
};

/// Things on their way from one thread to another.
class Mailbox {
 public:
  void put(const Thing& thing) {
    const std::lock_guard lock(mutex_);
    things_.push_back(thing);
  }
  /// So many that long runs would fill the device.
  bool is_crowded() {
    const std::lock_guard lock(mutex_);
    return things_.size() > 500;
  }
  bool take(std::size_t which, Thing& thing) {
    const std::lock_guard lock(mutex_);
    if (things_.empty()) return false;
    std::swap(things_[which % things_.size()], things_.back());
    thing = things_.back();
    things_.pop_back();
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<Thing> things_;
};

/// Bytes of raw memory belong to whoever has the handle: the fake's byte map knows.
void claim(Rig& rig, Allocation raw) {
  const auto info = rig.allocator.info(raw);
  ASSERT_TRUE(info);
  rig.gpu.claim(info->memory, info->offset, info->size, ResourceKind::unknown);
}

void destroy(Rig& rig, const Thing& thing) {
  Allocator& allocator = rig.allocator;
  if (thing.buffer.allocation) {
    EXPECT_TRUE(allocator.destroy(thing.buffer));
  } else if (thing.image.image != VK_NULL_HANDLE) {
    EXPECT_TRUE(allocator.destroy(thing.image));
  } else if (thing.raw) {
    const auto info = allocator.info(thing.raw);
    ASSERT_TRUE(info);
    rig.gpu.unclaim(info->memory, info->offset, info->size);
    EXPECT_TRUE(allocator.free(thing.raw));
  }
}

/// What threads keep slots for: small, and nothing special.
Thing make_something_plain(Rig& rig, Random& random, Tag tag) {
  AllocationDesc desc;
  desc.intent = random.one_in(3) ? MemoryIntent::upload : MemoryIntent::device;
  desc.tag = random.one_in(2) ? tag : Tag{};
  Thing thing;
  const auto made =
      rig.allocator.allocate(requirements(random.any_magnitude(17)), ResourceKind::unknown, desc);
  EXPECT_TRUE(made);
  if (!made) return thing;
  thing.raw = *made;
  claim(rig, thing.raw);
  return thing;
}

Thing make_something(Rig& rig, Random& random, Pool pool, Tag tag) {
  Allocator& allocator = rig.allocator;
  if (random.one_in(2)) return make_something_plain(rig, random, tag);
  AllocationDesc desc;
  desc.lifetime = static_cast<Lifetime>(random.below(3));
  desc.tag = random.one_in(2) ? tag : Tag{};
  desc.name = random.one_in(3) ? "made by a thread" : nullptr;
  desc.dedicated = random.one_in(10) ? Dedicated::always : Dedicated::automatic;
  desc.movable = random.one_in(4);
  Thing thing;
  switch (random.below(4)) {
    case 0:
      if (const auto made =
              allocator.create_image(image_info(static_cast<std::uint32_t>(random.between(1, 300)),
                                                static_cast<std::uint32_t>(random.between(1, 300))),
                                     desc)) {
        thing.image = *made;
      }
      break;
    case 1:
      if (const auto made = allocator.allocate(requirements(random.any_magnitude(20)),
                                               ResourceKind::unknown, desc)) {
        thing.raw = *made;
        claim(rig, thing.raw);
      }
      break;
    case 2:
      desc.pool = pool;
      [[fallthrough]];
    default:
      desc.intent = MemoryIntent::upload;
      desc.mapped = random.one_in(3) && !desc.movable;
      if (const auto made = allocator.create_buffer(buffer_info(random.any_magnitude(20)), desc))
        thing.buffer = *made;
  }
  return thing;
}

void touch(Allocator& allocator, const Thing& thing) {
  if (!thing.buffer.allocation) return;
  const Allocation allocation = thing.buffer.allocation;
  std::array<std::byte, 1> byte{std::byte{7}};
  EXPECT_TRUE(allocator.copy_to(allocation, 0, byte));
  const auto mapped = allocator.map(allocation);
  ASSERT_TRUE(mapped);
  *static_cast<std::byte*>(*mapped) = std::byte{9};
  EXPECT_TRUE(allocator.flush(allocation));
  EXPECT_TRUE(allocator.unmap(allocation));
  EXPECT_TRUE(allocator.copy_from(allocation, 0, byte));
  EXPECT_EQ(byte[0], std::byte{9});
  EXPECT_TRUE(allocator.set_name(allocation, "touched"));
  EXPECT_TRUE(allocator.info(allocation));
  EXPECT_TRUE(allocator.explain(allocation));
}

void look_on(Allocator& allocator, Random& random, Pool pool) {
  switch (random.below(8)) {
    case 0: {
      const auto snapshot = allocator.snapshot();
      ASSERT_TRUE(snapshot);
      for (const SnapshotBlock& block : snapshot->blocks()) {
        VkDeviceSize used = 0;
        for (const SnapshotRange& range : snapshot->ranges(block)) {
          if (range.allocation) used += range.size;
        }
        EXPECT_EQ(used, block.used_bytes);
      }
      break;
    }
    case 1: {
      const DetailedStatistics statistics = allocator.detailed_statistics();
      EXPECT_LE(statistics.largest_free_range, statistics.free_bytes);
      EXPECT_TRUE(allocator.detailed_statistics(pool));
      break;
    }
    case 2:
      allocator.tick();
      break;
    case 3:
      (void)allocator.trim();
      break;
    case 4:
      allocator.reset_peaks();
      (void)allocator.counters();
      break;
    case 5: {
      std::array<HeapBudget, 4> heaps{};
      EXPECT_GT(allocator.budgets(heaps), 0u);
      break;
    }
    case 6:
      EXPECT_TRUE(allocator.explain(buffer_info(random.any_magnitude(20))));
      EXPECT_TRUE(allocator.explain(image_info(100, 100)));
      break;
    default:
      EXPECT_TRUE(allocator.pool_totals(pool));
      (void)allocator.totals();
      EXPECT_TRUE(allocator.register_tag("tag " + std::to_string(random.below(20))));
  }
}

void run_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
}

class ThreadsInEachMode : public testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, ThreadsInEachMode, testing::ValuesIn(modes_of_threads()),
                         name_of_mode);

TEST_P(ThreadsInEachMode, F39MakeMapLookAndFreeWhatOthersMade) {
  for (const std::uint64_t seed : seeds(1)) {
    Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
      GetParam().apply(desc);
      desc.blocks.first_block = 256 * kKiB;
      desc.blocks.largest_block = 1 * kMiB;
      desc.blocks.retained_bytes = 2 * kMiB;
    });
    const auto pool = rig.allocator.create_pool({.memory_type = 2, .block_bytes = 1 * kMiB});
    const auto tag = rig.allocator.register_tag("shared");
    ASSERT_TRUE(pool && tag);
    Mailbox mailbox;
    run_threads([&](int thread) {
      Random random(seed + static_cast<std::uint64_t>(thread));
      for (int i = 0; i < rounds(); ++i) {
        const Thing made = make_something(rig, random, *pool, *tag);
        touch(rig.allocator, made);
        mailbox.put(made);
        Thing other;
        if ((mailbox.is_crowded() || random.below(100) < 55) &&
            mailbox.take(static_cast<std::size_t>(random.below(1'000)), other)) {
          touch(rig.allocator, other);
          destroy(rig, other);
        }
        // A few that come and go at once, as frames have them.
        for (std::uint64_t left = random.below(20); left > 0; --left)
          destroy(rig, make_something_plain(rig, random, *tag));
        // Somebody who comes, takes what others left, and ends.
        if (random.one_in(32)) {
          std::thread([&rig, &mailbox, tag = *tag, own_seed = random.below(1'000)] {
            Random own(own_seed);
            mailbox.put(make_something_plain(rig, own, tag));
            Thing thing;
            for (int j = 0; j < 4 && mailbox.take(own.index(1'000), thing); ++j)
              destroy(rig, thing);
          }).join();
        }
        if (random.one_in(8)) look_on(rig.allocator, random, *pool);
      }
    });
    Thing left;
    while (mailbox.take(0, left))
      destroy(rig, left);
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
    EXPECT_EQ(rig.allocator.totals().allocation_bytes, 0u);
    EXPECT_EQ(rig.allocator.tag_totals(*tag).allocation_count, 0u);
    const Counters counters = rig.allocator.counters();
    EXPECT_EQ(counters.allocations, counters.frees);
    EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
    (void)rig.allocator.trim();
    // Where a thread of the library's prepares for more growth, it ends with the allocator.
    if (GetParam().background) rig.end();
    EXPECT_EQ(rig.gpu.live().memories, 0u);
  }
}

TEST(Threads, PoolsComeAndGoUnderTheEyesOfDisplays) {
  Rig rig(fakes::profiles::discrete());
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> shared_pool{0};
  run_threads([&](int thread) {
    Random random(static_cast<std::uint64_t>(thread) + 1);
    if (thread >= 4) {
      while (!done) {
        const auto snapshot = rig.allocator.snapshot();
        EXPECT_TRUE(snapshot);
        (void)rig.allocator.detailed_statistics();
        (void)rig.allocator.trim();
        rig.allocator.tick();
        // A pool that another thread is about to destroy: figures or an error, never a crash.
        const Pool pool{shared_pool.load()};
        const Reason reason = reason_of(rig.allocator.pool_totals(pool));
        EXPECT_TRUE(reason == Reason::none || reason == Reason::stale_handle);
        (void)rig.allocator.detailed_statistics(pool);
      }
      return;
    }
    for (int i = 0; i < rounds() / 4; ++i) {
      const auto pool = rig.allocator.create_pool(
          {.memory_type = 2,
           .algorithm = static_cast<PoolAlgorithm>(random.below(3)),
           .block_bytes = 64 * kKiB,
           .minimum_blocks = static_cast<std::uint32_t>(random.below(3))});
      ASSERT_TRUE(pool);
      shared_pool = pool->value;
      const auto made = rig.allocator.create_buffer(buffer_info(random.between(1, 60'000)),
                                                    {.mapped = true, .pool = *pool});
      ASSERT_TRUE(made);
      EXPECT_EQ(reason_of(rig.allocator.destroy_pool(*pool)), Reason::still_in_use);
      EXPECT_TRUE(rig.allocator.destroy(*made));
      // Those who only look on never stand in the way.
      EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
    }
    if (thread == 0) done = true;
  });
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(Threads, OneOfManyFreesSucceeds) {
  Rig rig(fakes::profiles::discrete());
  for (int round = 0; round < rounds() / 8; ++round) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(100));
    ASSERT_TRUE(buffer);
    std::atomic<int> succeeded{0};
    run_threads([&](int) {
      const Reason reason = reason_of(rig.allocator.destroy(*buffer));
      if (reason == Reason::none) ++succeeded;
      EXPECT_TRUE(reason == Reason::none || reason == Reason::stale_handle);
    });
    EXPECT_EQ(succeeded, 1);
  }
}

TEST(Threads, NothingExceedsABudgetTogether) {
  fakes::FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = 256 * kMiB;
  Rig rig(profile, [](AllocatorDesc& desc) {
    desc.assumed_budget_share = 0.25;
    desc.blocks.retained_bytes = 0;
  });
  std::atomic<int> refused{0};
  run_threads([&](int thread) {
    Random random(static_cast<std::uint64_t>(thread) + 1);
    std::vector<Buffer> mine;
    for (int i = 0; i < rounds() / 2; ++i) {
      const auto made = rig.allocator.create_buffer(
          buffer_info(random.between(1, 4 * kMiB)),
          {.dedicated = random.one_in(2) ? Dedicated::always : Dedicated::never,
           .within_budget = true});
      if (made) mine.push_back(*made);
      if (!made) {
        EXPECT_EQ(reason_of(made), Reason::over_budget);
        ++refused;
      }
      EXPECT_LE(rig.gpu.used_bytes(0), 64 * kMiB);
      if ((!made || random.one_in(3)) && !mine.empty()) {
        EXPECT_TRUE(rig.allocator.destroy(mine.back()));
        mine.pop_back();
      }
    }
    for (const Buffer& buffer : mine)
      EXPECT_TRUE(rig.allocator.destroy(buffer));
  });
  EXPECT_GT(refused, 0);
  // What the ends of the threads emptied.
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.used_bytes(0), 0u);
}

TEST(Threads, ASlowDriverHoldsUpOnlyThoseWhoNeedIt) {
  Rig rig(fakes::profiles::discrete());
  const auto first = rig.allocator.create_buffer(buffer_info(1'000));
  ASSERT_TRUE(first);
  // While one thread is inside vkAllocateMemory for the same class of block, others place and free.
  std::atomic<bool> inside{false};
  std::atomic<int> placed_meanwhile{0};
  std::atomic<bool> placed_enough{false};
  rig.gpu.set_hook([&](fakes::Function function) {
    if (function != fakes::Function::allocate_memory) return;
    inside = true;
    while (!placed_enough)
      std::this_thread::yield();
  });
  std::thread maker([&] {
    const auto large = rig.allocator.create_buffer(buffer_info(8 * kMiB));
    ASSERT_TRUE(large);
    EXPECT_TRUE(rig.allocator.destroy(*large));
  });
  while (!inside)
    std::this_thread::yield();
  for (int i = 0; i < 100; ++i) {
    const auto small = rig.allocator.create_buffer(buffer_info(1'000));
    ASSERT_TRUE(small);
    ++placed_meanwhile;
    EXPECT_TRUE(rig.allocator.destroy(*small));
  }
  placed_enough = true;
  maker.join();
  EXPECT_EQ(placed_meanwhile, 100);
  rig.gpu.set_hook(nullptr);
  EXPECT_TRUE(rig.allocator.destroy(*first));
}

TEST(Threads, ARingServesSeveralAtOnce) {
  Rig rig(fakes::profiles::discrete());
  auto ring = UploadRing::create(rig.allocator, {.bytes = 64 * kKiB});
  ASSERT_TRUE(ring);
  const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore(1'000'000);
  // Who closes the batch sees to it that everybody has written: that is the program's part.
  std::shared_mutex writing;
  run_threads([&](int thread) {
    Random random(static_cast<std::uint64_t>(thread) + 1);
    for (int i = 0; i < rounds(); ++i) {
      {
        const std::shared_lock lock(writing);
        const auto span = ring->allocate(random.between(1, 2'000));
        if (span) std::memset(span->mapped, thread, static_cast<std::size_t>(span->size));
      }
      if (random.one_in(4)) {
        EXPECT_TRUE(ring->flush());
        const std::unique_lock lock(writing);
        EXPECT_TRUE(ring->close(semaphore, 1));
      }
      if (random.one_in(4)) {
        EXPECT_TRUE(ring->collect());
        EXPECT_LE(ring->used(), ring->capacity());
      }
    }
  });
}

}  // namespace
}  // namespace quarry::test
