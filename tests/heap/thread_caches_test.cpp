// SPDX-License-Identifier: MIT
// Threads and allocators that come and go in any order, and the caches between them.
#include "heap/thread_caches.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "heap/slab_bench.hpp"

namespace quarry::heap {
namespace {

constexpr VkDeviceSize kCap = VkDeviceSize{16} << 20;
const std::uint32_t k64KiB = offset::size_class_of(65'536);

/// The caches of one allocator, with an owner that counts what it is asked.
struct Caches {
  explicit Caches(SlabBench& of, VkDeviceSize most_bytes = kCap)
      : bench(of), caches(of.host.memory(), of.slabs(), of.records(), most_bytes) {
    caches.set_owner({this, [](void* self) { return static_cast<Caches*>(self)->now.load(); },
                      [](void* self, ThreadCache&) { ++static_cast<Caches*>(self)->folds; }});
  }

  /// Puts all slots of a new slab into this thread's cache; how many the cache took.
  std::uint32_t fill() {
    ThreadCache* cache = caches.find_or_make();
    if (cache == nullptr || !cache->enter()) return 0;
    SlabSet& set = bench.set();
    CacheSet* cached = cache->set(set.number);
    if (cached == nullptr) cached = cache->make_set(set);
    EXPECT_NE(cached, nullptr);
    CacheBin& bin = cached->bins[k64KiB];
    std::uint32_t kept = 0;
    for (const Slot& slot : bench.open_all(k64KiB, 1)) {
      Emptied emptied;
      if (bin.held.get() == bin.room && !cache->make_room(set, k64KiB, now, emptied)) {
        bench.put({slot});
        continue;
      }
      bin.push(bin.held.get(), slot);
      bin.told.add(1);
      ++kept;
    }
    cache->count_allocation();
    cache->leave();
    return kept;
  }
  std::uint32_t count() const {
    std::uint32_t each = 0;
    caches.for_each([&](const ThreadCache&) { ++each; });
    return each;
  }
  std::uint32_t cached() const {
    std::uint32_t slots = 0;
    caches.for_each([&](const ThreadCache& cache) {
      cache.for_each_bin([&](std::uint32_t, const CacheBin& bin) { slots += bin.cached(); });
    });
    return slots;
  }

  SlabBench& bench;
  ThreadCaches caches;
  std::atomic<std::uint64_t> now{0};
  std::atomic<std::uint32_t> folds{0};
};

void in_a_thread(const std::function<void()>& work) {
  std::thread(work).join();
}

/// Runs when the thread ends. Made before the thread's first use of a cache, it ends after that.
struct AtTheEnd {
  ~AtTheEnd() {
    if (work) work();
  }
  std::function<void()> work;
};
thread_local AtTheEnd at_the_end;

TEST(ThreadCaches, AThreadHasOneCacheInEachAllocator) {
  SlabBench bench;
  Caches a(bench);
  EXPECT_EQ(a.caches.find(), nullptr);
  ThreadCache* mine = a.caches.find_or_make();
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(a.caches.find_or_make(), mine);
  EXPECT_EQ(a.caches.find(), mine);
  in_a_thread([&] {
    EXPECT_EQ(a.caches.find(), nullptr);
    EXPECT_NE(a.caches.find_or_make(), mine);
  });
  EXPECT_EQ(a.count(), 2u);
}

TEST(ThreadCaches, ManyAllocatorsServeOneThreadInTurns) {
  for (const std::size_t count : {1u, 2u, 20u}) {
    SlabBench bench;
    std::vector<std::unique_ptr<Caches>> allocators;
    std::set<ThreadCache*> seen;
    for (std::size_t i = 0; i < count; ++i) {
      allocators.push_back(std::make_unique<Caches>(bench));
      seen.insert(allocators.back()->caches.find_or_make());
    }
    EXPECT_EQ(seen.size(), count);
    for (int round = 0; round < 5; ++round) {
      for (const auto& each : allocators) {
        ThreadCache* cache = each->caches.find_or_make();
        EXPECT_EQ(seen.count(cache), 1u);
        EXPECT_EQ(each->caches.find(), cache);
      }
    }
    for (const auto& each : allocators)
      EXPECT_EQ(each->count(), 1u);
    // The middle one ends, with slots in its cache; the others go on.
    EXPECT_GT(allocators[count / 2]->fill(), 0u);
    allocators.erase(allocators.begin() + static_cast<std::ptrdiff_t>(count / 2));
    allocators.push_back(std::make_unique<Caches>(bench));
    for (const auto& each : allocators)
      EXPECT_NE(each->caches.find_or_make(), nullptr);
  }
}

TEST(ThreadCaches, AThreadsEndGivesItsSlotsBackAndItsCacheToTheNext) {
  SlabBench bench;
  Caches a(bench);
  Caches b(bench);
  for (int round = 0; round < 5; ++round) {
    in_a_thread([&] {
      EXPECT_EQ(a.fill(), 8u);
      EXPECT_EQ(b.fill(), 8u);
      EXPECT_EQ(a.cached(), 8u);
    });
    EXPECT_EQ(a.cached() + b.cached(), 0u);
    EXPECT_TRUE(bench.is_empty());
  }
  EXPECT_EQ(a.count(), 1u);
  EXPECT_EQ(b.count(), 1u);
  EXPECT_EQ(a.folds, 5u);
}

TEST(ThreadCaches, AThreadMayOutliveAnAllocatorAndTheReverse) {
  SlabBench bench;
  auto first = std::make_unique<Caches>(bench);
  Caches second(bench);
  std::latch used(1);
  std::latch ended(1);
  std::thread thread([&] {
    EXPECT_GT(first->fill(), 0u);
    EXPECT_GT(second.fill(), 0u);
    used.count_down();
    ended.wait();
    // The place of one that ended is no way to another.
    EXPECT_GT(second.fill(), 0u);
  });
  used.wait();
  first.reset();
  ended.count_down();
  thread.join();
  EXPECT_EQ(second.cached(), 0u);
}

TEST(ThreadCaches, WhatAThreadDoesAfterItsEndWasNotedGoesPastTheCaches) {
  SlabBench bench;
  Caches a(bench);
  Caches b(bench);
  bool came = false;
  in_a_thread([&] {
    at_the_end.work = [&] {
      came = true;
      EXPECT_EQ(a.caches.find(), nullptr);
      EXPECT_EQ(b.caches.find(), nullptr);
      EXPECT_FALSE(a.caches.owns(ThreadCaches::current()));
      EXPECT_FALSE(b.caches.owns(ThreadCaches::current()));
      EXPECT_EQ(a.caches.find_or_make(), nullptr);
      EXPECT_EQ(b.caches.find_or_make(), nullptr);
    };
    EXPECT_EQ(a.fill(), 8u);
    EXPECT_EQ(b.fill(), 8u);
  });
  EXPECT_TRUE(came);
  EXPECT_EQ(a.cached(), 0u);
  EXPECT_EQ(b.cached(), 0u);
}

TEST(ThreadCaches, AnIdleCacheIsDrainedOnceAndABusyOneIsNot) {
  SlabBench bench;
  Caches a(bench);
  EXPECT_EQ(a.fill(), 8u);
  a.caches.drain_idle(1'000);  // notes the work
  a.now = 999;
  a.caches.drain_idle(1'000);
  EXPECT_EQ(a.cached(), 8u);
  EXPECT_EQ(a.fill(), 8u);
  a.now = 1'500;
  a.caches.drain_idle(1'000);  // worked meanwhile
  EXPECT_GT(a.cached(), 0u);
  a.now = 2'500;
  a.caches.drain_idle(1'000);
  EXPECT_EQ(a.cached(), 0u);
  const std::uint32_t folds = a.folds;
  a.now = 9'000;
  a.caches.drain_idle(1'000);
  EXPECT_EQ(a.folds, folds);
  (void)bench.slabs().drain_depots(true, 0, bench.emptied);
  EXPECT_TRUE(bench.is_empty());
}

TEST(ThreadCaches, DrainAllTakesEveryThreadsSlots) {
  SlabBench bench;
  Caches a(bench);
  std::latch filled(3);
  std::latch drained(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      if (i == 0) {
        EXPECT_EQ(a.fill(), 8u);
      } else {
        EXPECT_NE(a.caches.find_or_make(), nullptr);
      }
      filled.count_down();
      drained.wait();
    });
  }
  filled.wait();
  EXPECT_EQ(a.caches.drain_all(), 8u * 65'536);
  EXPECT_EQ(a.cached(), 0u);
  EXPECT_TRUE(bench.is_empty());
  EXPECT_EQ(a.caches.drain_all(), 0u);
  drained.count_down();
  for (std::thread& thread : threads)
    thread.join();
}

TEST(ThreadCaches, WithoutCachesOrHostMemoryThereIsNone) {
  SlabBench bench;
  Caches without(bench, 0);
  EXPECT_EQ(without.caches.find_or_make(), nullptr);
  Caches a(bench);
  bench.host.fail_at(bench.host.allocations());
  EXPECT_EQ(a.caches.find_or_make(), nullptr);
  EXPECT_NE(a.caches.find_or_make(), nullptr);
  EXPECT_EQ(a.count(), 1u);
}

TEST(ThreadCachesThreads, ThreadsEndWhileAllocatorsComeAndGo) {
  SlabBench bench;
  for (int round = 0; round < 60; ++round) {
    auto a = std::make_unique<Caches>(bench);
    auto b = std::make_unique<Caches>(bench);
    std::latch used(3);
    std::vector<std::thread> threads;
    std::atomic<std::uint32_t> kept{0};
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        EXPECT_NE(a->caches.find_or_make(), nullptr);
        if (i == 0) kept += b->fill();
        used.count_down();
      });
    }
    used.wait();
    // Some of the threads are at their end now, some are past it.
    a.reset();
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(kept, 8u);
    EXPECT_EQ(b->cached(), 0u);
  }
  EXPECT_TRUE(bench.is_empty());
}

}  // namespace
}  // namespace quarry::heap
