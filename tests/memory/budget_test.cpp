// SPDX-License-Identifier: MIT
#include "memory/budget.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "device/opened_device.hpp"
#include "fakes/expect.hpp"
#include "memory/topology.hpp"

namespace quarry::memory {
namespace {

namespace profiles = fakes::profiles;
using device::OpenedDevice;
using fakes::kGiB;
using fakes::kMiB;

/// A fake GPU of one device-local heap with the budget extension, and a budget on it.
struct OneHeap {
  OpenedDevice opened;
  Budget budget;

  explicit OneHeap(VkDeviceSize heap_size = kGiB, BudgetDesc desc = {})
      : opened(profile_of(heap_size)) {
    budget.open(opened.device, desc);
  }
  static fakes::FakeProfile profile_of(VkDeviceSize heap_size) {
    fakes::FakeProfile profile = profiles::small_first_device();
    profile.heaps = {{heap_size, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}};
    profile.types = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0}};
    return profile;
  }
  /// The driver answers these figures from the next refresh on.
  void say(VkDeviceSize driver_budget, VkDeviceSize driver_usage) {
    opened.gpu.set_budget_script(
        [=](std::uint64_t, std::span<VkDeviceSize> budgets, std::span<VkDeviceSize> usages) {
          budgets[0] = driver_budget;
          usages[0] = driver_usage;
        });
    budget.refresh();
  }
};

TEST(MakePlausible, BelievesGoodFigures) {
  const auto figures = make_plausible({.budget = 700, .usage = 300}, 1000, 100, 0.8);
  EXPECT_EQ(figures.budget, 700u);
  EXPECT_EQ(figures.foreign, 200u);
}

// The specification promises budgets that are not 0.
TEST(MakePlausible, ABudgetOfNothingBecomesTheShareAndOneAboveTheHeapTheHeap) {
  EXPECT_EQ(make_plausible({.budget = 0, .usage = 0}, 1000, 0, 0.8).budget, 800u);
  EXPECT_EQ(make_plausible({.budget = ~VkDeviceSize{0}, .usage = 0}, 1000, 0, 0.8).budget, 1000u);
}

TEST(MakePlausible, AbsurdUsageBecomesTheOwnBytes) {
  EXPECT_EQ(make_plausible({.budget = 900, .usage = ~VkDeviceSize{0}}, 1000, 100, 0.8).foreign, 0u);
  EXPECT_EQ(make_plausible({.budget = 900, .usage = 2002}, 1000, 100, 0.8).foreign, 0u);
  EXPECT_EQ(make_plausible({.budget = 900, .usage = 50}, 1000, 100, 0.8).foreign, 0u);
}

TEST(MakePlausible, OverCommittedUsageIsBelieved) {
  EXPECT_EQ(make_plausible({.budget = 900, .usage = 1500}, 1000, 100, 0.8).foreign, 1400u);
}

TEST(Headroom, IsOnePercentFrom4To256MiB) {
  EXPECT_EQ(headroom(16 * kMiB), 4 * kMiB);
  EXPECT_EQ(headroom(1000 * kMiB), 10 * kMiB);
  EXPECT_EQ(headroom(140 * kGiB), 256 * kMiB);
}

TEST(Budget, OnlyRefreshAsksTheDriver) {
  OneHeap heap;
  EXPECT_EQ(heap.opened.gpu.calls(fakes::Function::get_physical_device_memory_properties2), 1u);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(heap.budget.try_reserve(0, 1024, true), Reason::none);
    heap.budget.commit(0, 1024);
    (void)heap.budget.report(0);
    heap.budget.release(0, 1024);
  }
  EXPECT_EQ(heap.opened.gpu.calls(fakes::Function::get_physical_device_memory_properties2), 1u);
  heap.budget.refresh();
  EXPECT_EQ(heap.opened.gpu.calls(fakes::Function::get_physical_device_memory_properties2), 2u);
  Counters counters;
  heap.opened.device.counters().read_into(counters);
  EXPECT_EQ(counters.driver_budget_queries, 2u);
  fakes::expect_no_violations(heap.opened.gpu);
}

TEST(Budget, F24NothingMoreWithinABudgetThatIsUsedUp) {
  OneHeap heap(kGiB);
  heap.say(100 * kMiB, 100 * kMiB);
  EXPECT_EQ(heap.budget.try_reserve(0, 1 * kMiB, true), Reason::over_budget);
  EXPECT_EQ(heap.budget.try_reserve(0, 200 * kMiB, true), Reason::over_budget);
  EXPECT_EQ(heap.budget.left(0), 0u);
  EXPECT_EQ(heap.budget.object_count(), 0u);
  EXPECT_EQ(heap.budget.try_reserve(0, 1 * kMiB, false), Reason::none);
}

TEST(Budget, F27TheBudgetMovesByItselfAndHeadroomIsKept) {
  OneHeap heap(1000 * kMiB);
  heap.say(900 * kMiB, 0);
  EXPECT_EQ(heap.budget.left(0), 890 * kMiB);
  ASSERT_EQ(heap.budget.try_reserve(0, 300 * kMiB, true), Reason::none);
  heap.budget.commit(0, 300 * kMiB);

  heap.say(400 * kMiB, 300 * kMiB);
  EXPECT_EQ(heap.budget.left(0), 90 * kMiB);
  EXPECT_EQ(heap.budget.try_reserve(0, 90 * kMiB + 1, true), Reason::over_budget);
  EXPECT_EQ(heap.budget.try_reserve(0, 90 * kMiB, true), Reason::none);
}

TEST(Budget, UsageFollowsOwnChangesBetweenRefreshes) {
  OneHeap heap(1000 * kMiB);
  ASSERT_EQ(heap.budget.try_reserve(0, 100 * kMiB, false), Reason::none);
  heap.budget.commit(0, 100 * kMiB);
  heap.say(900 * kMiB, 150 * kMiB);
  EXPECT_EQ(heap.budget.report(0).usage, 150 * kMiB);
  heap.budget.release(0, 100 * kMiB);
  EXPECT_EQ(heap.budget.report(0).usage, 50 * kMiB);
  EXPECT_EQ(heap.budget.report(0).own_bytes, 0u);
}

TEST(Budget, ReservedBytesCountBeforeTheDriverHasGivenThem) {
  OneHeap heap(1000 * kMiB);
  heap.say(500 * kMiB, 0);
  ASSERT_EQ(heap.budget.try_reserve(0, 400 * kMiB, true), Reason::none);
  EXPECT_EQ(heap.budget.report(0).own_bytes, 0u);
  EXPECT_EQ(heap.budget.try_reserve(0, 100 * kMiB, true), Reason::over_budget);
  heap.budget.cancel(0, 400 * kMiB);
  EXPECT_EQ(heap.budget.object_count(), 0u);
  EXPECT_EQ(heap.budget.try_reserve(0, 100 * kMiB, true), Reason::none);
}

TEST(Budget, TheHeapItselfIsTheLimitWhereNoneIsSet) {
  OneHeap heap(1000 * kMiB);
  EXPECT_EQ(heap.budget.try_reserve(0, 1000 * kMiB + 1, false), Reason::out_of_device_memory);
  ASSERT_EQ(heap.budget.try_reserve(0, 1000 * kMiB, false), Reason::none);
  EXPECT_EQ(heap.budget.try_reserve(0, 1, false), Reason::out_of_device_memory);
  EXPECT_EQ(heap.budget.report(0).limit, 1000 * kMiB);
}

TEST(Budget, LimitsHoldWithoutAnyWordOfBudget) {
  const VkDeviceSize limits[] = {100};
  OneHeap heap(kGiB, {.heap_limits = limits});
  EXPECT_EQ(heap.budget.try_reserve(0, 101, false), Reason::over_limit);
  ASSERT_EQ(heap.budget.try_reserve(0, 100, false), Reason::none);
  heap.budget.commit(0, 100);
  EXPECT_EQ(heap.budget.report(0).budget, 100u);
  EXPECT_EQ(heap.budget.left_to_limit(0), 0u);

  heap.budget.set_limit(0, 50);
  EXPECT_EQ(heap.budget.own_bytes(0), 100u);
  EXPECT_EQ(heap.budget.left(0), 0u);
  EXPECT_EQ(heap.budget.try_reserve(0, 1, false), Reason::over_limit);
  heap.budget.set_limit(0, VK_WHOLE_SIZE);
  EXPECT_EQ(heap.budget.try_reserve(0, kMiB, false), Reason::none);
  EXPECT_EQ(heap.budget.try_reserve(0, ~VkDeviceSize{0}, false), Reason::out_of_device_memory);
}

TEST(Budget, WithoutTheExtensionAShareOfTheHeapIsTheBudget) {
  fakes::FakeProfile profile = profiles::integrated();
  profile.heaps = {{1000 * kMiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}};
  profile.device_extensions.clear();
  const OpenedDevice opened(profile);
  Budget budget;
  budget.open(opened.device, {.assumed_share = 0.5});
  budget.refresh();
  const HeapBudget report = budget.report(0);
  EXPECT_EQ(report.budget, 500 * kMiB);
  EXPECT_EQ(report.usage, 0u);
  EXPECT_FALSE(report.from_driver);
  EXPECT_EQ(report.flags, VkMemoryHeapFlags{VK_MEMORY_HEAP_DEVICE_LOCAL_BIT});
  EXPECT_EQ(budget.left(0), 490 * kMiB);
  EXPECT_EQ(opened.gpu.calls(), 0u);
}

TEST(Budget, LyingDriversDoNotStopTheProgram) {
  OneHeap heap(1000 * kMiB);
  heap.say(~VkDeviceSize{0}, ~VkDeviceSize{0});
  EXPECT_EQ(heap.budget.left(0), 990 * kMiB);
  heap.say(0, 0);
  EXPECT_EQ(heap.budget.left(0), 790 * kMiB);
  EXPECT_EQ(heap.budget.report(0).usage, 0u);
}

TEST(Budget, PeaksAreExactAndCanBeReset) {
  OneHeap heap;
  for (const VkDeviceSize bytes : {100u, 200u}) {
    ASSERT_EQ(heap.budget.try_reserve(0, bytes, false), Reason::none);
    heap.budget.commit(0, bytes);
  }
  heap.budget.release(0, 100);
  EXPECT_EQ(heap.budget.peak_own_bytes(0), 300u);
  heap.budget.reset_peaks();
  EXPECT_EQ(heap.budget.peak_own_bytes(0), 200u);
}

TEST(Budget, F17ThreeQuartersOfTheLargestCount) {
  OneHeap heap;
  EXPECT_TRUE(heap.budget.objects_to_spare());
  EXPECT_EQ(convenient_object_count(4'294'967'295u), 3'221'225'471u);
  EXPECT_EQ(convenient_object_count(4096), 3072u);
}

TEST(Budget, TheNumberOfObjectsIsLimitedAndAFailureTakesNoBytes) {
  fakes::FakeProfile profile = profiles::discrete();
  profile.maximum_allocation_count = 8;
  const OpenedDevice opened(profile);
  Budget budget;
  budget.open(opened.device, {});
  for (std::uint64_t count = 0; count < 8; ++count) {
    EXPECT_EQ(budget.objects_to_spare(), count < 6);
    ASSERT_EQ(budget.try_reserve(0, 1, false), Reason::none);
  }
  const VkDeviceSize left = budget.left_to_limit(0);
  EXPECT_EQ(budget.try_reserve(0, 1, false), Reason::too_many_allocations);
  EXPECT_EQ(budget.try_reserve(1, 1, false), Reason::too_many_allocations);
  EXPECT_EQ(budget.left_to_limit(0), left);
  budget.cancel(0, 1);
  EXPECT_EQ(budget.try_reserve(1, 1, false), Reason::none);
}

TEST(Budget, F23AddressSpaceHasACap) {
  OneHeap heap(kGiB, {.mapped_address_space = 100});
  EXPECT_FALSE(heap.budget.try_map(101));
  EXPECT_TRUE(heap.budget.try_map(60));
  EXPECT_FALSE(heap.budget.try_map(41));
  EXPECT_TRUE(heap.budget.try_map(40));
  heap.budget.release_map(60);
  EXPECT_EQ(heap.budget.mapped_bytes(), 40u);
  EXPECT_TRUE(heap.budget.try_map(60));
}

TEST(Budget, ThreadsNeverPassTheLimitTogether) {
  const VkDeviceSize limits[] = {1000};
  OneHeap heap(kGiB, {.heap_limits = limits});
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> taken{0};
  std::atomic<bool> passed{false};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        if (heap.budget.try_reserve(0, 300, false) != Reason::none) continue;
        heap.budget.commit(0, 300);
        if (taken.fetch_add(300) + 300 > 1000) passed = true;
        if (round % 16 == 0) heap.budget.refresh();
        if (round % 64 == 0) heap.budget.reset_peaks();
        taken.fetch_sub(300);
        heap.budget.release(0, 300);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_FALSE(passed);
  EXPECT_EQ(heap.budget.own_bytes(0), 0u);
  EXPECT_EQ(heap.budget.object_count(), 0u);
  EXPECT_LE(heap.budget.peak_own_bytes(0), 900u);
}

}  // namespace
}  // namespace quarry::memory
