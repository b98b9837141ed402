// SPDX-License-Identifier: MIT
// Threads under one hard quota, on every path, while another looks on: at no moment is it exceeded.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::kKiB;

int rounds() {
  const char* given = std::getenv("QUARRY_TEST_OPERATIONS");
  return given == nullptr ? 3000 : std::atoi(given);
}

TEST(QuotaThreads, AHardQuotaIsNeverExceeded) {
  constexpr std::uint32_t kThreads = 4;
  constexpr VkDeviceSize kAll = 3000 * kKiB;
  constexpr VkDeviceSize kOne = 900 * kKiB;
  const std::uint64_t seed = seeds(1).front();
  Rig rig(fakes::profiles::discrete());
  std::array<Tag, kThreads> tags;
  for (std::uint32_t i = 0; i < kThreads; ++i)
    tags[i] = *rig.allocator.register_tag("all/" + std::to_string(i));
  const Tag all = rig.allocator.tag_parent(tags[0]);
  ASSERT_TRUE(rig.allocator.set_quota(all, {.hard = kAll}));
  ASSERT_TRUE(rig.allocator.set_quota(tags[0], {.hard = kOne}));
  std::atomic<std::uint64_t> refused{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (std::uint32_t number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number] {
      Random random(seed + number);
      const VkDeviceSize sizes[] = {kKiB, 20 * kKiB, 150 * kKiB};
      std::vector<Allocation> mine;
      for (int i = 0; i < rounds(); ++i) {
        const Tag tag = tags[random.one_in(4) ? random.index(kThreads) : number];
        const auto made = rig.allocator.allocate(
            requirements(sizes[random.index(3)]), ResourceKind::linear,
            {.dedicated = random.one_in(50) ? Dedicated::always : Dedicated::automatic,
             .tag = tag});
        if (made) {
          mine.push_back(*made);
        } else {
          ASSERT_EQ(made.error().reason, Reason::over_quota);
          ++refused;
        }
        while (!made && mine.size() > random.below(4)) {
          ASSERT_TRUE(rig.allocator.free(mine.back()));
          mine.pop_back();
        }
      }
      for (const Allocation allocation : mine)
        ASSERT_TRUE(rig.allocator.free(allocation));
    });
  }
  std::thread watcher([&] {
    while (!done.load()) {
      EXPECT_LE(rig.allocator.tag_totals(all).allocation_bytes, kAll);
      EXPECT_LE(rig.allocator.tag_totals(tags[0]).allocation_bytes, kOne);
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads)
    thread.join();
  done.store(true);
  watcher.join();
  EXPECT_LE(rig.allocator.tag_totals(all).peak_allocation_bytes, kAll);
  EXPECT_LE(rig.allocator.tag_totals(tags[0]).peak_allocation_bytes, kOne);
  EXPECT_GT(refused.load(), 0u);
  EXPECT_EQ(rig.allocator.tag_totals(all).allocation_bytes, 0u);
  EXPECT_EQ(rig.allocator.tag_totals(Tag{}).allocation_bytes, 0u);
}

}  // namespace
}  // namespace quarry::test
