// SPDX-License-Identifier: MIT
#include "plan/growth_ahead.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::plan {
namespace {

constexpr std::uint64_t kLead = 500;

TEST(GrowthAhead, WhatIsThereAtTheFirstLookIsNoGrowth) {
  GrowthAhead growth;
  EXPECT_EQ(growth.observe(1'000, 0, kLead), 0u);
  EXPECT_EQ(growth.observe(1'000, 100, kLead), 0u);
}

TEST(GrowthAhead, KeepsReadyWhatOneLeadTook) {
  GrowthAhead growth;
  growth.observe(0, 0, kLead);
  EXPECT_EQ(growth.observe(10, 100, kLead), 10u);
  EXPECT_EQ(growth.observe(30, 200, kLead), 30u);
  EXPECT_EQ(growth.observe(30, 499, kLead), 30u);
  // The next window has nothing yet; that before it counts.
  EXPECT_EQ(growth.observe(30, 501, kLead), 30u);
  EXPECT_EQ(growth.observe(35, 700, kLead), 30u);
  EXPECT_EQ(growth.observe(35, 1'001, kLead), 5u);
}

TEST(GrowthAhead, OneBlockStaysReadyForSomeLeadsAndThenNone) {
  GrowthAhead growth;
  growth.observe(0, 0, kLead);
  growth.observe(10, 100, kLead);
  EXPECT_EQ(growth.observe(10, 1'500, kLead), 1u);
  EXPECT_EQ(growth.observe(10, 100 + GrowthAhead::kLeadsOfInterest * kLead, kLead), 1u);
  EXPECT_EQ(growth.observe(10, 101 + GrowthAhead::kLeadsOfInterest * kLead, kLead), 0u);
}

TEST(GrowthAhead, ShrinkingIsNoGrowthAndComingBackIs) {
  GrowthAhead growth;
  growth.observe(100, 0, kLead);
  EXPECT_EQ(growth.observe(40, 10, kLead), 0u);
  EXPECT_EQ(growth.observe(60, 20, kLead), 20u);
}

TEST(GrowthAhead, NeverMoreThanTwoLeadsTook) {
  for (const std::uint64_t seed : test::seeds(3)) {
    test::Random random(seed);
    GrowthAhead growth;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> grown;  // when, how much
    std::uint64_t used = 0;
    std::uint64_t now = 0;
    growth.observe(used, now, kLead);
    for (int i = 0; i < 5'000; ++i) {
      now += random.below(300);
      if (random.one_in(2)) {
        const std::uint64_t more = random.below(1'000);
        used += more;
        grown.emplace_back(now, more);
      } else {
        used -= std::min<std::uint64_t>(used, random.below(900));
      }
      const std::uint64_t ready = growth.observe(used, now, kLead);
      std::uint64_t lately = 0;
      for (auto each = grown.rbegin(); each != grown.rend() && each->first + 2 * kLead > now;
           ++each)
        lately += each->second;
      ASSERT_LE(ready, std::max<std::uint64_t>(lately, 1)) << i;
    }
  }
}

}  // namespace
}  // namespace quarry::plan
