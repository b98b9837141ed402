// SPDX-License-Identifier: MIT
// Properties and budgets, honest and not.
#include <algorithm>
#include <span>

#include <gtest/gtest.h>

#include "fakes/bench.hpp"
#include "fakes/expect.hpp"

namespace quarry::fakes {
namespace {

VkPhysicalDeviceMemoryBudgetPropertiesEXT budget_of(Bench& bench) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT, nullptr, {}, {}};
  std::ranges::fill(budget.heapBudget, 12'345);
  VkPhysicalDeviceMemoryProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget, {}};
  bench.vk.vkGetPhysicalDeviceMemoryProperties2(bench.gpu.physical_device(), &properties);
  return budget;
}

TEST(Queries, TellTheProfile) {
  for (const FakeProfile& profile : profiles::all()) {
    Bench bench(profile);
    VkPhysicalDeviceProperties properties{};
    bench.vk.vkGetPhysicalDeviceProperties(bench.gpu.physical_device(), &properties);
    EXPECT_EQ(properties.limits.bufferImageGranularity, profile.granularity);
    EXPECT_EQ(properties.limits.nonCoherentAtomSize, profile.atom);
    EXPECT_EQ(properties.limits.maxMemoryAllocationCount, profile.maximum_allocation_count);
    EXPECT_EQ(properties.deviceType, profile.device_type);
    EXPECT_STREQ(properties.deviceName, profile.name.c_str());
    VkPhysicalDeviceMemoryProperties memory{};
    bench.vk.vkGetPhysicalDeviceMemoryProperties(bench.gpu.physical_device(), &memory);
    EXPECT_EQ(memory.memoryHeapCount, profile.heaps.size());
    EXPECT_EQ(memory.memoryTypeCount, profile.types.size());
    expect_no_violations(bench.gpu);
  }
}

TEST(Queries, TellTheAllocationLimitThroughMaintenance3) {
  FakeProfile profile = profiles::discrete();
  profile.maximum_allocation_size = 4 * kGiB;
  Bench bench(profile);
  VkPhysicalDeviceMaintenance3Properties maintenance3{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, nullptr, 0, 0};
  VkPhysicalDeviceProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &maintenance3, {}};
  bench.vk.vkGetPhysicalDeviceProperties2(bench.gpu.physical_device(), &properties);
  EXPECT_EQ(maintenance3.maxMemoryAllocationSize, 4 * kGiB);
  expect_no_violations(bench.gpu);
}

TEST(Queries, BudgetsCountWhatIsAllocated) {
  Bench bench(profiles::discrete());
  bench.allocate(1, 100 * kMiB);
  const auto budget = budget_of(bench);
  EXPECT_EQ(budget.heapUsage[0], 100 * kMiB);
  EXPECT_EQ(budget.heapUsage[1], 0u);
  EXPECT_LT(budget.heapBudget[0], 8 * kGiB);
  EXPECT_GT(budget.heapBudget[0], 7 * kGiB);
  EXPECT_EQ(budget.heapBudget[3], 0u);  // beyond the heaps
  expect_no_violations(bench.gpu);
}

TEST(Queries, AnotherProcessLowersTheBudget) {
  Bench bench(profiles::discrete());
  const VkDeviceSize before = budget_of(bench).heapBudget[0];
  bench.gpu.set_outside_bytes(0, 500 * kMiB);
  EXPECT_EQ(before - budget_of(bench).heapBudget[0], 500 * kMiB);
  bench.gpu.set_outside_bytes(0, 8 * kGiB);
  EXPECT_EQ(budget_of(bench).heapBudget[0], 1u) << "never 0";
}

TEST(Queries, AScriptLies) {
  Bench bench(profiles::discrete());
  bench.gpu.set_budget_script(
      [](std::uint64_t query, std::span<VkDeviceSize> budget, std::span<VkDeviceSize> usage) {
        budget[0] = query == 1 ? 0 : ~VkDeviceSize{0};
        usage[0] = query;
      });
  EXPECT_EQ(budget_of(bench).heapBudget[0], 0u);
  const auto second = budget_of(bench);
  EXPECT_EQ(second.heapBudget[0], ~VkDeviceSize{0});
  EXPECT_EQ(second.heapUsage[0], 2u);
}

TEST(Queries, ABudgetNeedsTheExtension) {
  Bench bench(profiles::single_type());
  budget_of(bench);
  expect_violation(bench.gpu, Rule::chain_not_enabled);
}

}  // namespace
}  // namespace quarry::fakes
