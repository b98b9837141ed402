// SPDX-License-Identifier: MIT
// Threads, caches and allocators that begin and end beside each other, through the public
// interface. Meant for the sanitizers too.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::kKiB;

int rounds(int few) {
  const char* given = std::getenv("QUARRY_TEST_OPERATIONS");
  return given == nullptr ? few : few * std::atoi(given) / 400 + 1;
}

Allocation allocate(Allocator& allocator, VkDeviceSize size, const AllocationDesc& desc = {}) {
  const auto made = allocator.allocate(requirements(size), ResourceKind::linear, desc);
  EXPECT_TRUE(made);
  return made ? *made : Allocation{};
}

/// Runs when the thread ends. Made before the thread's first use of an allocator, it ends later
/// than what the library has for the thread.
struct AtTheEnd {
  ~AtTheEnd() {
    if (work) work();
  }
  std::function<void()> work;
};
thread_local AtTheEnd at_the_end;

TEST(HotPathThreads, AThreadsOwnObjectsMayFreeAfterItsCacheIsGone) {
  Rig rig(fakes::profiles::discrete());
  const auto tag = rig.allocator.register_tag("late");
  for (int round = 0; round < rounds(5); ++round) {
    std::latch adopted(1);
    std::latch freed(1);
    std::thread next;
    std::thread([&] {
      auto mine = std::make_shared<std::vector<Allocation>>();
      at_the_end.work = [&, mine] {
        // Another thread has the cache by now, and works with it.
        next = std::thread([&] {
          std::vector<Allocation> own;
          for (int i = 0; i < 50; ++i)
            own.push_back(allocate(rig.allocator, 4 * kKiB));
          adopted.count_down();
          while (!freed.try_wait()) {
            EXPECT_TRUE(rig.allocator.free(own.back()));
            own.back() = allocate(rig.allocator, 4 * kKiB);
          }
          for (const Allocation allocation : own)
            EXPECT_TRUE(rig.allocator.free(allocation));
        });
        adopted.wait();
        for (const Allocation allocation : *mine)
          EXPECT_TRUE(rig.allocator.free(allocation));
        const Allocation late = allocate(rig.allocator, 4 * kKiB, {.tag = *tag});
        EXPECT_TRUE(rig.allocator.free(late));
        freed.count_down();
      };
      for (int i = 0; i < 50; ++i)
        mine->push_back(allocate(rig.allocator, 4 * kKiB, {.tag = i % 2 == 0 ? *tag : Tag{}}));
    }).join();
    next.join();
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
    EXPECT_EQ(rig.allocator.tag_totals(*tag).allocation_count, 0u);
  }
}

TEST(HotPathThreads, AThreadsEndLeavesTheReleasingToOthers) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) { desc.blocks.retained_bytes = 0; });
  std::thread([&] {
    const Allocation one = allocate(rig.allocator, 4 * kKiB);
    EXPECT_TRUE(rig.allocator.free(one));
  }).join();
  EXPECT_EQ(rig.gpu.calls(fakes::Function::free_memory), 0u);
  EXPECT_EQ(rig.gpu.live().memories, 1u);
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(HotPathThreads, AThreadMayEndWhileItsAllocatorDoes) {
  Rig rig(fakes::profiles::discrete());
  std::latch cached(1);
  std::latch end(1);
  std::thread thread([&] {
    const Allocation one = allocate(rig.allocator, 4 * kKiB);
    EXPECT_TRUE(rig.allocator.free(one));
    cached.count_down();
    end.wait();
  });
  cached.wait();
  // At the allocator's end, while its blocks are being freed.
  bool ended = false;
  rig.gpu.set_hook([&](fakes::Function function) {
    if (function != fakes::Function::free_memory || ended) return;
    ended = true;
    end.count_down();
    thread.join();
  });
  rig.allocator = Allocator();
  EXPECT_TRUE(ended);
  rig.gpu.set_hook(nullptr);
  fakes::expect_clean_end(rig.gpu);
  EXPECT_EQ(rig.host.live_blocks(), 0u);
}

TEST(HotPathThreads, ManyAllocatorsServeManyThreadsAtOnce) {
  for (const std::size_t count : {1u, 2u, 20u}) {
    std::vector<std::unique_ptr<Rig>> rigs;
    for (std::size_t i = 0; i < count; ++i)
      rigs.push_back(std::make_unique<Rig>(fakes::profiles::discrete()));
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        Random random(thread + 1);
        std::vector<std::vector<Allocation>> held(count);
        for (int i = 0; i < rounds(3'000); ++i) {
          const std::size_t which = random.index(count);
          std::vector<Allocation>& own = held[which];
          if (own.size() < 30 && random.one_in(2)) {
            own.push_back(allocate(rigs[which]->allocator, random.any_magnitude(16)));
          } else if (!own.empty()) {
            std::swap(own[random.index(own.size())], own.back());
            // Another allocator knows that the handle is not its own.
            if (count > 1) {
              EXPECT_EQ(reason_of(rigs[(which + 1) % count]->allocator.free(own.back())),
                        Reason::foreign_handle);
            }
            EXPECT_TRUE(rigs[which]->allocator.free(own.back()));
            own.pop_back();
          }
        }
        for (std::size_t which = 0; which < count; ++which) {
          for (const Allocation allocation : held[which])
            EXPECT_TRUE(rigs[which]->allocator.free(allocation));
        }
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    for (const auto& rig : rigs)
      EXPECT_EQ(rig->allocator.totals().allocation_count, 0u);
  }
}

TEST(HotPathThreads, AllocatorsComeAndGoUnderThreadsThatStay) {
  constexpr int kThreads = 3;
  const int count = rounds(30);
  std::atomic<Allocator*> current{nullptr};
  std::atomic<int> round{0};
  std::atomic<int> finished{0};
  std::latch seen(1);  // a thread that ends is at work
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Random random(static_cast<std::uint64_t>(thread) + 1);
      for (int i = 1; i <= count; ++i) {
        while (round != i)
          std::this_thread::yield();
        std::vector<Allocation> own;
        for (int j = 0; j < 100; ++j)
          own.push_back(allocate(*current.load(), random.any_magnitude(16)));
        for (const Allocation allocation : own)
          EXPECT_TRUE(current.load()->free(allocation));
        ++finished;
      }
      seen.wait();
    });
  }
  for (int i = 1; i <= count; ++i) {
    Rig rig(fakes::profiles::discrete());
    current = &rig.allocator;
    finished = 0;
    round = i;
    while (finished != kThreads)
      std::this_thread::yield();
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
    // It ends with three full caches.
  }
  seen.count_down();
  for (std::thread& thread : threads)
    thread.join();
}

TEST(HotPathThreads, ThreadsComeAndGoUnderAnAllocatorThatStays) {
  Rig rig(fakes::profiles::discrete());
  std::vector<Allocation> passed_on;
  for (int i = 0; i < rounds(40); ++i) {
    std::vector<std::thread> threads;
    std::array<std::vector<Allocation>, 3> made;
    for (std::size_t thread = 0; thread < made.size(); ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t j = thread; j < passed_on.size(); j += made.size())
          EXPECT_TRUE(rig.allocator.free(passed_on[j]));
        for (int j = 0; j < 60; ++j)
          made[thread].push_back(allocate(rig.allocator, static_cast<VkDeviceSize>(1 + j * 1'000)));
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    passed_on.clear();
    for (const auto& each : made)
      passed_on.insert(passed_on.end(), each.begin(), each.end());
    EXPECT_EQ(rig.allocator.totals().allocation_count, passed_on.size());
    // What the dead left is used again: it never grows beyond what is live and a little.
    EXPECT_LE(rig.allocator.totals().block_bytes, 64 * fakes::kMiB);
  }
  for (const Allocation allocation : passed_on)
    EXPECT_TRUE(rig.allocator.free(allocation));
}

TEST(HotPathThreads, StaleHandlesAreFoundOutWhileSlabsChangeTheirSizes) {
  Rig rig(fakes::profiles::discrete());
  std::array<std::atomic<std::uint64_t>, 64> dead{};
  std::atomic<bool> done{false};
  std::vector<std::thread> misusers;
  for (std::uint64_t thread = 0; thread < 2; ++thread) {
    misusers.emplace_back([&, thread] {
      Random random(thread + 1);
      // With a cache of its own, so that it goes the short way.
      EXPECT_TRUE(rig.allocator.free(allocate(rig.allocator, 60 * kKiB)));
      while (!done) {
        const Allocation stale{dead[random.index(dead.size())].load()};
        EXPECT_EQ(reason_of(rig.allocator.free(stale)), Reason::stale_handle);
        EXPECT_EQ(reason_of(rig.allocator.info(stale)), Reason::stale_handle);
        EXPECT_EQ(reason_of(rig.allocator.set_name(stale, "x")), Reason::stale_handle);
      }
    });
  }
  Random random(9);
  for (int i = 0; i < rounds(200); ++i) {
    std::vector<Allocation> own;
    // One class at a time, so that the next one gets the records of the last.
    const VkDeviceSize size = random.between(60, 65) * kKiB - random.below(9 * kKiB);
    for (int j = 0; j < 40; ++j)
      own.push_back(allocate(rig.allocator, size));
    for (const Allocation allocation : own) {
      EXPECT_TRUE(rig.allocator.free(allocation));
      dead[random.index(dead.size())] = allocation.value;
    }
    (void)rig.allocator.trim();
  }
  done = true;
  for (std::thread& thread : misusers)
    thread.join();
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
}

TEST(HotPathThreads, ANameGivenWhileItIsFreedIsNobodys) {
  Rig rig(fakes::profiles::discrete());
  std::atomic<std::uint64_t> current{0};
  std::atomic<bool> done{false};
  std::thread namer([&] {
    while (!done) {
      const Reason reason = reason_of(rig.allocator.set_name(Allocation{current.load()}, "late"));
      EXPECT_TRUE(reason == Reason::none || reason == Reason::stale_handle);
    }
  });
  const int count = rounds(5'000);
  for (int i = 0; i < count; ++i) {
    const Allocation one = allocate(rig.allocator, 4 * kKiB);
    current = one.value;
    if (i % 8 == 0) std::this_thread::yield();
    EXPECT_TRUE(rig.allocator.free(one));
  }
  done = true;
  namer.join();
  for (int i = 0; i < 100; ++i) {
    const Allocation one = allocate(rig.allocator, 4 * kKiB);
    EXPECT_EQ(rig.allocator.info(one)->name, nullptr);
    EXPECT_TRUE(rig.allocator.free(one));
  }
}

}  // namespace
}  // namespace quarry::test
