// SPDX-License-Identifier: MIT
// The budget as an owner sets and sees it: headroom, limits of the process, pressure, and when the
// driver is asked.
#include <cstdlib>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::Function;
using fakes::kMiB;

/// One device-local heap of 1,000 MiB whose driver tells a budget.
FakeProfile one_heap() {
  FakeProfile profile = fakes::profiles::small_first_device();
  profile.heaps = {{1'000 * kMiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}};
  profile.types = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0}};
  return profile;
}

/// Sets a variable of the environment while it lives.
class Variable {
 public:
  explicit Variable(const char* value) { ::setenv("QUARRY_HEAP_LIMIT", value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv("QUARRY_HEAP_LIMIT"); }
};

/// As many bytes as the allocator gives, in MiB.
VkDeviceSize fill(Rig& rig, bool within_budget) {
  std::vector<Buffer> buffers;
  VkDeviceSize bytes = 0;
  for (;;) {
    const auto buffer = rig.allocator.create_buffer(
        buffer_info(kMiB), {.dedicated = Dedicated::always, .within_budget = within_budget});
    if (!buffer) break;
    buffers.push_back(*buffer);
    bytes += kMiB;
  }
  EXPECT_EQ(rig.gpu.used_bytes(0), bytes);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  return bytes / kMiB;
}

VkDeviceSize budget_of(const Rig& rig) {
  std::array<HeapBudget, VK_MAX_MEMORY_HEAPS> heaps;
  (void)rig.allocator.budgets(heaps);
  return heaps[0].budget / kMiB;
}

TEST(BudgetGuard, TheHeadroomIsTheOwners) {
  VkDeviceSize usual = 0;
  {
    Rig rig(one_heap());
    usual = budget_of(rig);
    EXPECT_EQ(fill(rig, true), usual - 10);
  }
  Rig rig(one_heap(), [](AllocatorDesc& desc) {
    desc.budget.headroom_share = 0.2;
    desc.budget.most_headroom = VK_WHOLE_SIZE;
  });
  EXPECT_EQ(fill(rig, true), usual - 200);
  Rig none(one_heap(), [](AllocatorDesc& desc) {
    desc.budget.headroom_share = 0.0;
    desc.budget.least_headroom = 0;
  });
  EXPECT_EQ(fill(none, true), usual);
}

TEST(BudgetGuard, ALimitOfTheProcessHoldsOnEveryPath) {
  const std::array<ProcessLimit, 2> limits{
      {{.heap = 0, .bytes = 300 * kMiB}, {.heap = 0, .share = 0.25}}};
  Rig rig(one_heap(), [&](AllocatorDesc& desc) { desc.budget.process_limits = limits; });
  EXPECT_EQ(fill(rig, false), 250u);
  EXPECT_EQ(fill(rig, true), 250u);
  EXPECT_EQ(budget_of(rig), 250u);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(251 * kMiB))), Reason::over_limit);
  // A limit of the owner's stands beside it.
  ASSERT_TRUE(rig.allocator.set_heap_limit(0, 100 * kMiB));
  EXPECT_EQ(fill(rig, false), 100u);
  ASSERT_TRUE(rig.allocator.set_heap_limit(0, 900 * kMiB));
  EXPECT_EQ(fill(rig, false), 250u);
}

TEST(BudgetGuard, WhatOthersInTheProcessHoldCountsTowardsItsLimit) {
  const std::array<ProcessLimit, 1> limits{{{.heap = 0, .bytes = 300 * kMiB}}};
  Rig rig(one_heap(), [&](AllocatorDesc& desc) { desc.budget.process_limits = limits; });
  rig.gpu.set_budget_script([](std::uint64_t, std::span<VkDeviceSize>,
                               std::span<VkDeviceSize> usage) { usage[0] += 100 * kMiB; });
  rig.allocator.refresh_budget();
  EXPECT_EQ(fill(rig, false), 200u);
}

TEST(BudgetGuard, TheEnvironmentSetsLimitsUnlessTheOwnerForbidsIt) {
  const Variable variable("0:40%, 9:1B");
  Rig rig(one_heap());
  EXPECT_EQ(fill(rig, false), 400u);
  Rig deaf(one_heap(), [](AllocatorDesc& desc) { desc.budget.environment = false; });
  EXPECT_GT(fill(deaf, false), 400u);
}

TEST(BudgetGuard, NonsenseIsRefusedWithAMessage) {
  fakes::FakeGpu gpu(one_heap());
  const auto refused = [&](const auto& change) {
    AllocatorDesc desc = gpu.allocator_desc();
    int messages = 0;
    desc.on_message = [](void* user, Severity severity, const char*) {
      EXPECT_EQ(severity, Severity::error);
      ++*static_cast<int*>(user);
    };
    desc.message_user = &messages;
    change(desc);
    EXPECT_EQ(reason_of(Allocator::create(desc)), Reason::bad_argument);
    EXPECT_EQ(messages, 1);
  };
  refused([](AllocatorDesc& desc) { desc.budget.headroom_share = -0.1; });
  refused([](AllocatorDesc& desc) { desc.budget.least_headroom = 257 * kMiB; });
  refused([](AllocatorDesc& desc) { desc.budget.pressure_levels = {0.9, 0.8, 1.0}; });
  refused([](AllocatorDesc& desc) { desc.budget.pressure_levels = {0.0, 0.8, 1.0}; });
  refused([](AllocatorDesc& desc) { desc.budget.hysteresis = 0.8; });
  refused([](AllocatorDesc& desc) { desc.budget.hysteresis = -0.1; });
  const std::array<ProcessLimit, 1> no_heap{{{.heap = 16}}};
  refused([&](AllocatorDesc& desc) { desc.budget.process_limits = no_heap; });
  const std::array<ProcessLimit, 1> no_share{{{.heap = 0, .share = 0.0}}};
  refused([&](AllocatorDesc& desc) { desc.budget.process_limits = no_share; });
  const Variable variable("2GiB");
  refused([](AllocatorDesc&) {});
}

TEST(BudgetGuard, OldFiguresAreRefreshedBeforeDeviceMemoryIsMade) {
  Rig rig(one_heap());
  const auto make = [&] {
    const auto buffer =
        rig.allocator.create_buffer(buffer_info(kMiB), {.dedicated = Dedicated::always});
    ASSERT_TRUE(buffer);
    ASSERT_TRUE(rig.allocator.destroy(*buffer));
  };
  make();
  EXPECT_EQ(rig.allocator.counters().driver_budget_queries, 1u) << "the one at creation";
  rig.now += 21;
  make();
  make();
  EXPECT_EQ(rig.allocator.counters().driver_budget_queries, 2u);
  // Another program took nearly all: what must stay within the budget learns of it in time.
  rig.gpu.set_outside_bytes(0, 990 * kMiB);
  rig.now += 21;
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(20 * kMiB), {.within_budget = true})),
            Reason::over_budget);
}

struct Told {
  std::vector<Pressure> pressures;
  Rig* rig = nullptr;

  Rig::Change change() {
    return [this](AllocatorDesc& desc) {
      desc.budget.on_pressure = [](void* user, const Pressure& pressure) {
        auto& self = *static_cast<Told*>(user);
        self.pressures.push_back(pressure);
        // The allocator may be used, and may look again.
        self.rig->allocator.tick();
      };
      desc.budget.pressure_user = this;
    };
  }
};

TEST(BudgetGuard, PressureIsToldOnceForEachChange) {
  Told told;
  Rig rig(one_heap(), told.change());
  told.rig = &rig;
  rig.allocator.tick();
  EXPECT_TRUE(told.pressures.empty());
  const VkDeviceSize budget = budget_of(rig) * kMiB;
  const auto most = rig.allocator.create_buffer(buffer_info(budget / 100 * 85));
  ASSERT_TRUE(most);
  EXPECT_TRUE(told.pressures.empty()) << "not within an allocation";
  rig.allocator.tick();
  rig.allocator.tick();
  ASSERT_EQ(told.pressures.size(), 1u);
  EXPECT_EQ(told.pressures[0].heap, 0u);
  EXPECT_EQ(told.pressures[0].level, 1u);
  EXPECT_EQ(told.pressures[0].before, 0u);
  EXPECT_GT(told.pressures[0].budget.usage, budget / 100 * 80);
  // Another program takes half: the budget shrinks below what is used.
  rig.gpu.set_outside_bytes(0, 500 * kMiB);
  rig.allocator.refresh_budget();
  ASSERT_EQ(told.pressures.size(), 2u);
  EXPECT_EQ(told.pressures[1].level, kPressureLevels);
  rig.gpu.set_outside_bytes(0, 0);
  ASSERT_TRUE(rig.allocator.destroy(*most));
  (void)rig.allocator.trim();
  rig.allocator.work();
  ASSERT_EQ(told.pressures.size(), 3u);
  EXPECT_EQ(told.pressures[2].level, 0u);
  EXPECT_EQ(told.pressures[2].before, kPressureLevels);
}

}  // namespace
}  // namespace quarry::test
