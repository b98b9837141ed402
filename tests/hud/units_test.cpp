// SPDX-License-Identifier: MIT
#include "hud/units.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace quarry::hud {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = kKiB * 1024;
constexpr std::uint64_t kGiB = kMiB * 1024;
constexpr std::uint64_t kEiB = kGiB * kGiB;

TEST(BytesText, UsesTheUnitThatKeepsFourDigitsAway) {
  EXPECT_STREQ(bytes_text(0).c_str(), "0 B");
  EXPECT_STREQ(bytes_text(1023).c_str(), "1023 B");
  EXPECT_STREQ(bytes_text(kKiB).c_str(), "1.0 KiB");
  EXPECT_STREQ(bytes_text(kMiB - 1).c_str(), "1.0 MiB");
  EXPECT_STREQ(bytes_text(178'957'024).c_str(), "170.7 MiB");
  EXPECT_STREQ(bytes_text(8 * kGiB).c_str(), "8.0 GiB");
}

TEST(BytesText, RoundsHalfUp) {
  EXPECT_STREQ(bytes_text(kKiB + 51).c_str(), "1.0 KiB");  // 1.0498
  EXPECT_STREQ(bytes_text(kKiB + 52).c_str(), "1.1 KiB");  // 1.0508
  EXPECT_STREQ(bytes_text(1023 * kKiB + 972).c_str(), "1023.9 KiB");
  EXPECT_STREQ(bytes_text(1023 * kKiB + 973).c_str(), "1.0 MiB");
}

TEST(BytesText, HoldsTheLargestValue) {
  EXPECT_STREQ(bytes_text(15 * kEiB + kEiB / 2).c_str(), "15.5 EiB");
  EXPECT_STREQ(bytes_text(~std::uint64_t{0}).c_str(), "16.0 EiB");
}

TEST(CountText, SetsThousandsApart) {
  EXPECT_STREQ(count_text(0).c_str(), "0");
  EXPECT_STREQ(count_text(999).c_str(), "999");
  EXPECT_STREQ(count_text(1000).c_str(), "1,000");
  EXPECT_STREQ(count_text(1234567).c_str(), "1,234,567");
  EXPECT_STREQ(count_text(~std::uint64_t{0}).c_str(), "18,446,744,073,709,551,615");
}

TEST(HexText, HasAPrefix) {
  EXPECT_STREQ(hex_text(0).c_str(), "0x0");
  EXPECT_STREQ(hex_text(~std::uint64_t{0}).c_str(), "0xffffffffffffffff");
}

}  // namespace
}  // namespace quarry::hud
