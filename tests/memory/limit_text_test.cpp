// SPDX-License-Identifier: MIT
#include "memory/limit_text.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::memory {
namespace {

constexpr VkDeviceSize kGiB = VkDeviceSize{1} << 30;

HeapLimits read(std::string_view text) {
  HeapLimits limits;
  EXPECT_TRUE(read_limits(text, limits)) << text;
  return limits;
}

TEST(LimitText, ReadsBytesAndShares) {
  const HeapLimits limits = read("0:2GiB,1:50%");
  ASSERT_EQ(limits.count, 2u);
  EXPECT_EQ(limits.limits[0].heap, 0u);
  EXPECT_EQ(limits.limits[0].bytes, 2 * kGiB);
  EXPECT_EQ(limits.limits[0].share, 1.0);
  EXPECT_EQ(limits.limits[1].heap, 1u);
  EXPECT_EQ(limits.limits[1].bytes, VK_WHOLE_SIZE);
  EXPECT_EQ(limits.limits[1].share, 0.5);
}

TEST(LimitText, KnowsEachUnitDecimalsAndBlanks) {
  EXPECT_EQ(read("3:17B").limits[0].bytes, 17u);
  EXPECT_EQ(read("3:17KiB").limits[0].bytes, 17u << 10);
  EXPECT_EQ(read("3:1.5MiB").limits[0].bytes, 3u << 19);
  EXPECT_EQ(read("3:2TiB").limits[0].bytes, 2'048 * kGiB);
  EXPECT_DOUBLE_EQ(read("0:12.5%").limits[0].share, 0.125);
  EXPECT_EQ(read(" 0 : 2 GiB , 15 : 1 B ").count, 2u);
  EXPECT_EQ(read("").count, 0u);
  EXPECT_EQ(read("  ").count, 0u);
  EXPECT_EQ(read("0:1GiB,0:2GiB").count, 2u);
}

TEST(LimitText, RefusesAnythingElse) {
  for (const char* text :
       {",",       "0",        "0:",      ":1GiB",         "0:1",      "0:GiB",
        "0:1GB",   "0:1GiBx",  "0:1GiB,", "0:1GiB;1:2GiB", "16:1GiB",  "99999999999999999999:1GiB",
        "-1:1GiB", "0.5:1GiB", "0:-1GiB", "0:0GiB",        "0:0%",     "0:101%",
        "0:0.4B",  "0:.GiB",   "0:1e3B",  "0:16777216TiB", "0:1 0GiB", "a:1GiB",
        "0:1gib",  "0:1%%",    "0x0:1GiB"}) {
    HeapLimits limits;
    EXPECT_FALSE(read_limits(text, limits)) << text;
  }
  std::string many = "0:1B";
  for (int i = 0; i < 16; ++i)
    many += ",0:1B";
  HeapLimits limits;
  EXPECT_FALSE(read_limits(many, limits));
}

TEST(LimitText, WhateverItReadsIsPossible) {
  constexpr std::string_view kLetters = "0123456789:,.% BKMGTi\t-x";
  for (const std::uint64_t seed : test::seeds(2)) {
    test::Random random(seed);
    int understood = 0;
    for (int i = 0; i < 200'000; ++i) {
      std::string text;
      for (std::uint64_t n = random.below(9); n > 0; --n)
        text += kLetters[random.index(kLetters.size())];
      HeapLimits limits;
      if (!read_limits(text, limits)) continue;
      understood += limits.count != 0 ? 1 : 0;
      for (std::uint32_t j = 0; j < limits.count; ++j) {
        ASSERT_LT(limits.limits[j].heap, VK_MAX_MEMORY_HEAPS) << text;
        ASSERT_GT(limits.limits[j].bytes, 0u) << text;
        ASSERT_GT(limits.limits[j].share, 0.0) << text;
        ASSERT_LE(limits.limits[j].share, 1.0) << text;
      }
    }
    EXPECT_GT(understood, 0);
  }
}

}  // namespace
}  // namespace quarry::memory
