// SPDX-License-Identifier: MIT
#include "heap/thread_cache.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/seed.hpp"
#include "heap/slab_bench.hpp"

namespace quarry::heap {
namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;

const std::uint32_t k4KiB = offset::size_class_of(4096);
const std::uint32_t k64KiB = offset::size_class_of(65'536);

/// A cache, and its owner that takes and gives back slots as the hot path does.
struct Owner {
  Owner(SlabBench& of, VkDeviceSize most_bytes)
      : bench(of), cache(of.host.memory(), of.slabs(), most_bytes) {}

  CacheBin* bin(std::uint32_t size_class) {
    CacheSet* set = cache.set(bench.set().number);
    if (set == nullptr) set = cache.make_set(bench.set());
    return set == nullptr ? nullptr : &set->bins[size_class];
  }
  std::optional<Slot> take(std::uint32_t size_class) {
    CacheBin* from = bin(size_class);
    if (from == nullptr) return {};
    if (from->held.get() == 0) {
      const ThreadCache::Refill refilled = cache.refill(bench.set(), size_class, 0, bench.emptied);
      if (refilled == ThreadCache::Refill::no_magazine) return {};
      if (refilled == ThreadCache::Refill::no_slots) {
        Slab* slab = nullptr;
        Arena::Placed placed;
        if (!bench.make_slab(size_class, slab, placed)) return {};
        cache.refill_from(*slab, placed);
      }
    }
    return from->pop(from->held.get());
  }
  /// False: the slot went to its slab.
  bool put(std::uint32_t size_class, const Slot& slot) {
    CacheBin* to = bin(size_class);
    if (to == nullptr || (to->held.get() == to->room &&
                          !cache.make_room(bench.set(), size_class, 0, bench.emptied))) {
      bench.put({slot});
      return false;
    }
    to->push(to->held.get(), slot);
    return true;
  }
  VkDeviceSize cached_bytes() const {
    VkDeviceSize bytes = 0;
    cache.for_each_bin([&](std::uint32_t, const CacheBin& each) {
      bytes += VkDeviceSize{each.cached()} * each.slot_bytes;
    });
    return bytes;
  }
  std::int64_t untold(std::uint32_t size_class) { return bin(size_class)->untold(); }

  SlabBench& bench;
  ThreadCache cache;
};

TEST(ThreadCache, AThreadTakesAFreshSlabWhole) {
  SlabBench bench;
  {
    Owner owner(bench, 16 * kMiB);
    for (const std::uint32_t size_class : {0u, k4KiB, offset::size_class_of(9'000), k64KiB}) {
      const std::optional<Slot> slot = owner.take(size_class);
      ASSERT_TRUE(slot);
      EXPECT_EQ(owner.bin(size_class)->cached() + 1, offset::slots_of_class(size_class));
      EXPECT_EQ(owner.untold(size_class), 1);
      EXPECT_TRUE(owner.put(size_class, *slot));
      EXPECT_EQ(owner.untold(size_class), 0);
    }
    (void)owner.cache.drain(0, bench.emptied);
  }
  EXPECT_TRUE(bench.is_empty());
}

TEST(ThreadCache, TheLastMagazineOfAnothersDepotIsForWantOfRoomOnly) {
  SlabBench bench;
  {
    Owner owner(bench, 16 * kMiB);
    Magazine* magazine = Magazine::make(bench.host.memory(), 8);
    ASSERT_NE(magazine, nullptr);
    for (const Slot& slot : bench.open_all(k64KiB, 1))
      magazine->slots()[magazine->count++] = slot;
    Magazine* empty = bench.slabs().put_full(bench.set(), k64KiB, *magazine, 3);
    ASSERT_NE(empty, nullptr);
    base::release_storage(bench.host.memory(), empty);
    ASSERT_NE(owner.bin(k64KiB), nullptr);
    EXPECT_EQ(owner.cache.refill(bench.set(), k64KiB, 0, bench.emptied),
              ThreadCache::Refill::no_slots);
    EXPECT_TRUE(owner.cache.refill_from_any_depot(bench.set(), k64KiB));
    EXPECT_EQ(owner.bin(k64KiB)->cached(), 8u);
    EXPECT_EQ(owner.untold(k64KiB), 0);
    (void)owner.cache.drain(0, bench.emptied);
  }
  EXPECT_TRUE(bench.is_empty());
}

TEST(ThreadCache, WhatIsHandedOutAndTakenBackIsToldLessCached) {
  SlabBench bench;
  {
    Owner owner(bench, 16 * kMiB);
    std::vector<Slot> held;
    std::int64_t elsewhere = 0;  // went past the cache, so it is not the cache's to tell
    test::Random random(1);
    for (int i = 0; i < 5'000; ++i) {
      if (held.size() < 200 && random.one_in(2)) {
        const auto slot = owner.take(k4KiB);
        ASSERT_TRUE(slot);
        held.push_back(*slot);
      } else if (!held.empty()) {
        std::swap(held[random.index(held.size())], held.back());
        if (!owner.put(k4KiB, held.back())) ++elsewhere;
        held.pop_back();
      }
      ASSERT_EQ(owner.untold(k4KiB), static_cast<std::int64_t>(held.size()) + elsewhere);
    }
    for (const Slot& slot : held)
      owner.put(k4KiB, slot);
    EXPECT_EQ(owner.untold(k4KiB), elsewhere);
    EXPECT_EQ(elsewhere, 0);
    (void)bench.slabs().drain_depots(true, 0, bench.emptied);
    const VkDeviceSize cached = owner.cached_bytes();
    EXPECT_EQ(owner.cache.drain(0, bench.emptied), cached);
    EXPECT_EQ(owner.cached_bytes(), 0u);
    EXPECT_EQ(owner.untold(k4KiB), 0);
    EXPECT_TRUE(bench.is_empty());
    EXPECT_EQ(owner.cache.drain(0, bench.emptied), 0u);
  }
}

TEST(ThreadCache, UntoldSurvivesTheWrapOfWhatWasTold) {
  CacheBin bin;
  bin.told.set(65'530);
  bin.set_count(3);
  bin.told.add(20);
  EXPECT_EQ(bin.told.get(), 14u);
  bin.told.set(3);
  EXPECT_EQ(bin.untold(), 0);
  bin.set_count(10);
  EXPECT_EQ(bin.untold(), -7);
  bin.told.set(static_cast<std::uint16_t>(-1));
  EXPECT_EQ(bin.untold(), -11);
  bin.told.set(30'000);
  bin.set_count(0);
  EXPECT_EQ(bin.untold(), 30'000);
}

TEST(ThreadCache, TheCapInBytesIsHonouredWhateverTheSizes) {
  for (const VkDeviceSize cap :
       {VkDeviceSize{1}, VkDeviceSize{64} << 10, VkDeviceSize{600} << 10, 2 * kMiB, 16 * kMiB}) {
    SlabBench bench(base::kHandleMaxGeneration, 256 * kMiB);
    {
      Owner owner(bench, cap);
      test::Random random(cap);
      std::vector<std::pair<std::uint32_t, Slot>> held;
      std::uint32_t without_cache = 0;
      for (int i = 0; i < 20'000; ++i) {
        if (held.size() < 400 && random.one_in(2)) {
          const auto size_class = static_cast<std::uint32_t>(random.below(offset::kSizeClasses));
          if (const auto slot = owner.take(size_class)) {
            held.emplace_back(size_class, *slot);
          } else {
            ++without_cache;
            auto alone = bench.take(size_class, 1);
            if (alone.empty()) alone = bench.open(size_class, 1);
            ASSERT_FALSE(alone.empty());
            held.emplace_back(size_class, alone[0]);
          }
        } else if (!held.empty()) {
          std::swap(held[random.index(held.size())], held.back());
          owner.put(held.back().first, held.back().second);
          held.pop_back();
        }
        ASSERT_LE(owner.cached_bytes(), cap);
      }
      EXPECT_EQ(without_cache == 0, cap >= 16 * kMiB);
      for (const auto& [size_class, slot] : held)
        owner.put(size_class, slot);
      (void)owner.cache.drain(0, bench.emptied);
      (void)bench.slabs().drain_depots(true, 0, bench.emptied);
      EXPECT_TRUE(bench.is_empty());
    }
  }
}

TEST(ThreadCache, BinsThatCameLateGetTheirTurn) {
  SlabBench bench(base::kHandleMaxGeneration, 64 * kMiB);
  {
    // Room for one bin of the largest slots.
    Owner owner(bench, 1 << 20);
    const auto first = owner.take(k64KiB);
    ASSERT_TRUE(first);
    owner.put(k64KiB, *first);
    EXPECT_GT(owner.cached_bytes(), 0u);
    bool served = false;
    for (int i = 0; i < 10'000 && !served; ++i) {
      if (const auto slot = owner.take(k64KiB - 1)) {
        served = true;
        owner.put(k64KiB - 1, *slot);
      }
    }
    EXPECT_TRUE(served);
    (void)owner.cache.drain(0, bench.emptied);
    EXPECT_TRUE(bench.is_empty());
  }
}

TEST(ThreadCache, WhatOneTakesBackReachesTheOneThatHandsOut) {
  SlabBench bench;
  {
    Owner producer(bench, 16 * kMiB);
    Owner consumer(bench, 16 * kMiB);
    for (int round = 0; round < 500; ++round) {
      const auto slot = producer.take(k64KiB);
      ASSERT_TRUE(slot);
      consumer.put(k64KiB, *slot);
    }
    // What one gave out and the other took back: together nothing.
    EXPECT_EQ(producer.untold(k64KiB) + consumer.untold(k64KiB), 0);
    EXPECT_EQ(producer.untold(k64KiB), 500);
    // Three dozen slots in caches and the depot served all 500.
    EXPECT_LE(bench.used_bytes(), 80u * 65'536);
    (void)producer.cache.drain(0, bench.emptied);
    (void)consumer.cache.drain(0, bench.emptied);
    (void)bench.slabs().drain_depots(true, 0, bench.emptied);
    EXPECT_TRUE(bench.is_empty());
  }
}

TEST(ThreadCache, WithoutHostMemorySlotsGoPastTheCacheAndNoneIsLost) {
  std::uint64_t failures = 0;
  for (std::uint64_t number = 0; number < 400; ++number) {
    SlabBench bench;
    {
      (void)bench.set();
      bench.host.fail_at(bench.host.allocations() + number);
      Owner owner(bench, 16 * kMiB);
      std::map<std::uint64_t, std::uint32_t> classes;
      std::vector<std::pair<std::uint32_t, Slot>> held;
      test::Random random(number);
      for (int i = 0; i < 400; ++i) {
        const std::uint32_t size_class = random.one_in(2) ? k64KiB : k64KiB - 8;
        // Goes up to forty slots of a class, and down to none, so that spare magazines and the
        // depot come into play.
        const bool up = i / 80 % 2 == 0;
        if (up) {
          if (const auto slot = owner.take(size_class)) held.emplace_back(size_class, *slot);
        } else if (!held.empty()) {
          owner.put(held.back().first, held.back().second);
          held.pop_back();
        }
      }
      for (const auto& [size_class, slot] : held)
        owner.put(size_class, slot);
      failures += bench.host.refused();
      (void)owner.cache.drain(0, bench.emptied);
      (void)bench.slabs().drain_depots(true, 0, bench.emptied);
      EXPECT_TRUE(bench.is_empty()) << "allocation " << number << " failed";
    }
  }
  EXPECT_GT(failures, 20u);
}

TEST(ThreadCache, ItsEndReleasesMagazinesWithSlotsInThem) {
  SlabBench bench;
  Owner owner(bench, 16 * kMiB);
  std::vector<Slot> held;
  for (int i = 0; i < 20; ++i)
    held.push_back(*owner.take(k64KiB));
  for (const Slot& slot : held)
    owner.put(k64KiB, slot);
}

TEST(ThreadCacheThreads, AClaimedCacheIsNotEntered) {
  SlabBench bench;
  Owner owner(bench, 16 * kMiB);
  EXPECT_TRUE(owner.cache.enter());
  owner.cache.leave();
  owner.cache.claim();
  EXPECT_FALSE(owner.cache.enter());
  EXPECT_FALSE(owner.cache.enter_at_once());
  owner.cache.release();
  EXPECT_TRUE(owner.cache.enter());
  owner.cache.leave();
}

TEST(ThreadCacheThreads, OthersDrainWhileTheOwnerWorks) {
  SlabBench bench;
  {
    Owner owner(bench, 16 * kMiB);
    (void)owner.bin(k4KiB);
    std::atomic<bool> done{false};
    std::atomic<int> drains{0};  // that found something
    std::thread worker([&] {
      std::vector<Slot> held;
      test::Random random(5);
      while (drains < 200) {
        const bool more = held.size() < 100 && random.one_in(2);
        if (!owner.cache.enter()) continue;
        if (more) {
          if (const auto slot = owner.take(k4KiB)) held.push_back(*slot);
        } else if (!held.empty()) {
          owner.put(k4KiB, held.back());
          held.pop_back();
        }
        owner.cache.leave();
      }
      while (!held.empty()) {
        if (!owner.cache.enter()) continue;
        owner.put(k4KiB, held.back());
        held.pop_back();
        owner.cache.leave();
      }
      done = true;
    });
    while (!done) {
      Emptied emptied;
      owner.cache.claim();
      if (owner.cache.drain(0, emptied) != 0) ++drains;
      owner.cache.release();
      // Figures may be read by anybody at any time.
      (void)owner.cached_bytes();
      std::this_thread::yield();
    }
    worker.join();
    (void)owner.cache.drain(0, bench.emptied);
    (void)bench.slabs().drain_depots(true, 0, bench.emptied);
    EXPECT_EQ(owner.untold(k4KiB), 0);
    EXPECT_TRUE(bench.is_empty());
  }
}

}  // namespace
}  // namespace quarry::heap
