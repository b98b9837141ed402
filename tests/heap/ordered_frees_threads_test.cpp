// SPDX-License-Identifier: MIT
// Threads that allocate behind each other's uses, free after points and collect, while another
// plays the queues. Meant for ThreadSanitizer as well as for the balance at the end.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::kKiB;

constexpr std::uint32_t kThreads = 4;

int rounds() {
  const char* given = std::getenv("QUARRY_TEST_OPERATIONS");
  return given == nullptr ? 600 : std::atoi(given);
}

/// A thread's queue: what was submitted, and how far the GPU is.
struct Queue {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::atomic<std::uint64_t> submitted{0};
  std::uint64_t reached = 0;
};

void work(Rig& rig, std::array<Queue, kThreads>& queues, std::uint32_t number, std::uint64_t seed) {
  Random random(seed);
  std::vector<Allocation> mine;
  for (int i = 0; i < rounds(); ++i) {
    if (mine.size() < 8 || random.one_in(2)) {
      const VkDeviceSize sizes[] = {kKiB, 40 * kKiB, 300 * kKiB};
      const auto made = rig.allocator.allocate_ordered(
          requirements(sizes[random.index(3)]), ResourceKind::linear, {},
          {.queue = number, .opportunistic = random.one_in(2), .wait = random.one_in(4)});
      ASSERT_TRUE(made);
      mine.push_back(made->allocation);
    } else {
      const std::size_t which = random.index(mine.size());
      const Allocation gone = mine[which];
      mine[which] = mine.back();
      mine.pop_back();
      if (random.one_in(3)) {
        ASSERT_TRUE(rig.allocator.free(gone));
      } else {
        Queue& queue = queues[number];
        ASSERT_TRUE(rig.allocator.free_after(gone, {queue.semaphore, ++queue.submitted, number}));
      }
    }
    if (random.one_in(10)) {
      ASSERT_TRUE(rig.allocator.collect());
    }
    if (random.one_in(50)) (void)rig.allocator.pending_frees();
  }
  for (const Allocation allocation : mine)
    ASSERT_TRUE(rig.allocator.free(allocation));
}

void play(Rig& rig, std::array<Queue, kThreads>& queues) {
  for (Queue& queue : queues) {
    const std::uint64_t submitted = queue.submitted.load();
    if (submitted == queue.reached) continue;
    queue.reached = submitted;
    rig.gpu.signal(queue.semaphore, submitted);
  }
}

TEST(OrderedFreesThreads, NothingIsLostOrFreedTwice) {
  const std::uint64_t seed = seeds(1).front();
  Rig rig(fakes::profiles::discrete());
  std::array<Queue, kThreads> queues;
  for (Queue& queue : queues)
    queue.semaphore = rig.gpu.create_timeline_semaphore();
  std::vector<std::thread> threads;
  std::atomic<bool> done{false};
  for (std::uint32_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { work(rig, queues, i, seed + i); });
  std::thread player([&] {
    while (!done.load()) {
      play(rig, queues);
      rig.allocator.tick();
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads)
    thread.join();
  done.store(true);
  player.join();
  play(rig, queues);
  ASSERT_TRUE(rig.allocator.collect());
  EXPECT_EQ(rig.allocator.pending_frees().count, 0u);
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
}

}  // namespace
}  // namespace quarry::test
