// SPDX-License-Identifier: MIT
#include "base/bits.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::base {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Bits, PowersOfTwoHaveOneBit) {
  EXPECT_FALSE(is_power_of_two(0u));
  EXPECT_TRUE(is_power_of_two(1u));
  EXPECT_FALSE(is_power_of_two(3u));
  EXPECT_TRUE(is_power_of_two(std::uint64_t{1} << 63));
  EXPECT_FALSE(is_power_of_two(kMax));
}

TEST(Bits, AligningStaysBetweenTheNeighbouringMultiples) {
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t value = random.any_magnitude(40);
      const std::uint64_t alignment = std::uint64_t{1} << random.below(40);
      EXPECT_EQ(align_down(value, alignment), value / alignment * alignment);
      EXPECT_EQ(align_up(value, alignment), ceil_div(value, alignment) * alignment);
      EXPECT_EQ(is_aligned(value, alignment), value % alignment == 0);
    }
  }
}

TEST(Bits, CheckedArithmeticRefusesWhatDoesNotFit) {
  std::uint64_t result = 7;
  EXPECT_FALSE(checked_align_up(kMax, 2, result));
  EXPECT_FALSE(checked_align_up(kMax - 62, 64, result));
  EXPECT_FALSE(checked_add(kMax, 1, result));
  EXPECT_EQ(result, 7u);
  EXPECT_TRUE(checked_align_up(kMax, 1, result));
  EXPECT_EQ(result, kMax);
  EXPECT_TRUE(checked_align_up(kMax - 63, 64, result));
  EXPECT_EQ(result, kMax - 63);
  EXPECT_TRUE(checked_add(kMax - 1, 1, result));
  EXPECT_EQ(result, kMax);
}

TEST(Bits, LogarithmsRoundAsNamed) {
  EXPECT_EQ(floor_log2(1), 0u);
  EXPECT_EQ(ceil_log2(1), 0u);
  for (std::uint32_t order = 1; order < 64; ++order) {
    const std::uint64_t power = std::uint64_t{1} << order;
    EXPECT_EQ(floor_log2(power), order);
    EXPECT_EQ(ceil_log2(power), order);
    EXPECT_EQ(floor_log2(power - 1), order - 1);
    EXPECT_EQ(ceil_log2(power + 1), order + 1);
    EXPECT_EQ(lowest_bit(power), order);
    EXPECT_EQ(highest_bit(power | 1), order);
    EXPECT_EQ(floor_power_of_two(power | 1), power);
  }
  EXPECT_EQ(floor_power_of_two(0), 0u);
}

TEST(Bits, CeilDivNeverOverflows) {
  EXPECT_EQ(ceil_div(0, 5), 0u);
  EXPECT_EQ(ceil_div(10, 5), 2u);
  EXPECT_EQ(ceil_div(11, 5), 3u);
  EXPECT_EQ(ceil_div(kMax, 2), std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace quarry::base
