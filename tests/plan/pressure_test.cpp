// SPDX-License-Identifier: MIT
#include "plan/pressure.hpp"

#include <array>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::plan {
namespace {

constexpr std::array<double, 3> kLevels{0.8, 0.9, 1.0};

TEST(Pressure, RisesWhereALevelBeginsAndFallsBelowIt) {
  PressureGauge gauge;
  EXPECT_EQ(gauge.observe(799, 1'000, kLevels, 0.05), 0u);
  EXPECT_EQ(gauge.observe(800, 1'000, kLevels, 0.05), 1u);
  EXPECT_EQ(gauge.observe(750, 1'000, kLevels, 0.05), 1u);
  EXPECT_EQ(gauge.observe(749, 1'000, kLevels, 0.05), 0u);
  EXPECT_EQ(gauge.observe(799, 1'000, kLevels, 0.05), 0u);
}

TEST(Pressure, MayJumpOverLevelsBothWays) {
  PressureGauge gauge;
  EXPECT_EQ(gauge.observe(2'000, 1'000, kLevels, 0.05), 3u);
  EXPECT_EQ(gauge.observe(0, 1'000, kLevels, 0.05), 0u);
}

TEST(Pressure, ABudgetOfNothingIsAllPressure) {
  PressureGauge gauge;
  EXPECT_EQ(gauge.observe(0, 0, kLevels, 0.05), 3u);
  EXPECT_EQ(gauge.observe(0, 1, kLevels, 0.05), 0u);
}

TEST(Pressure, AUsageAroundAThresholdDoesNotFlicker) {
  for (const std::uint64_t seed : test::seeds(3)) {
    test::Random random(seed);
    PressureGauge gauge;
    for (const std::uint64_t threshold : {800u, 900u, 1'000u}) {
      gauge.observe(threshold, 1'000, kLevels, 0.05);
      const std::uint32_t level = gauge.level();
      for (int i = 0; i < 1'000; ++i)
        ASSERT_EQ(
            gauge.observe(random.between(threshold - 50, threshold + 49), 1'000, kLevels, 0.05),
            level);
    }
  }
}

}  // namespace
}  // namespace quarry::plan
