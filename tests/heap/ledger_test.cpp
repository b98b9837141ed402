// SPDX-License-Identifier: MIT
#include "heap/ledger.hpp"

#include <cstdint>
#include <map>

#include <gtest/gtest.h>

#include "base/bits.hpp"
#include "base/seed.hpp"

namespace quarry::heap {
namespace {

TEST(Ledger, TheUntaggedNeedNoCell) {
  const Ledger ledger;
  EXPECT_TRUE(ledger.has(0));
  for (std::uint32_t tag = 1; tag < 100; ++tag)
    EXPECT_FALSE(ledger.has(tag));
  EXPECT_EQ(ledger.used(), 0u);
}

TEST(Ledger, ACellGathersWhatATagChanged) {
  Ledger ledger;
  EXPECT_TRUE(ledger.make_room(5).empty());
  EXPECT_TRUE(ledger.has(5));
  ledger.note(5, 1, 4096);
  ledger.note(5, 1, 256);
  ledger.note(5, -1, -4096);
  const Ledger::Entry entry = ledger.read(5);
  EXPECT_EQ(entry.tag, 5u);
  EXPECT_EQ(entry.count, 1);
  EXPECT_EQ(entry.bytes, 256);
  EXPECT_FALSE(entry.empty());
  EXPECT_EQ(ledger.take(5).bytes, 256);
  EXPECT_TRUE(ledger.read(5).empty());
  EXPECT_TRUE(ledger.has(5));
  // As many frees as allocations, of other sizes: not empty.
  ledger.note(5, 1, 64);
  ledger.note(5, -1, -128);
  EXPECT_FALSE(ledger.read(5).empty());
}

TEST(Ledger, APrepaidCellIsNotFoundInPassing) {
  Ledger ledger;
  EXPECT_TRUE(ledger.make_prepaid_room(5).empty());
  EXPECT_FALSE(ledger.has(5));
  EXPECT_TRUE(ledger.has_prepaid(5));
  EXPECT_FALSE(ledger.has_prepaid(5 + Ledger::kCells));
  EXPECT_TRUE(ledger.is_prepaid(5));
  ledger.note(5, 0, -1000);
  ledger.note(5, 1, 400);
  EXPECT_EQ(ledger.credit(5), 600);
  const Ledger::Entry entry = ledger.make_room(5);
  EXPECT_EQ(entry.tag, 5u);
  EXPECT_EQ(entry.count, 1);
  EXPECT_EQ(entry.bytes, -600);
  EXPECT_TRUE(ledger.has(5));
  EXPECT_FALSE(ledger.is_prepaid(5));
}

TEST(Ledger, TagsThatShareACellTakeTurnsAndNothingIsLost) {
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    Ledger ledger;
    std::map<std::uint32_t, std::int64_t> told_count;
    std::map<std::uint32_t, std::int64_t> told_bytes;
    std::map<std::uint32_t, std::int64_t> count;
    std::map<std::uint32_t, std::int64_t> bytes;
    const auto tell = [&](const Ledger::Entry& entry) {
      if (entry.empty()) return;
      told_count[entry.tag] += entry.count;
      told_bytes[entry.tag] += entry.bytes;
    };
    for (int i = 0; i < 20'000; ++i) {
      const auto tag = static_cast<std::uint32_t>(random.between(1, 3 * Ledger::kCells));
      if (!ledger.has(tag)) tell(ledger.make_room(tag));
      ASSERT_TRUE(ledger.has(tag));
      const std::int32_t sign = random.one_in(2) ? 1 : -1;
      const auto size = static_cast<std::int64_t>(random.between(1, 65'536));
      ledger.note(tag, sign, sign * size);
      count[tag] += sign;
      bytes[tag] += sign * size;
    }
    for (std::uint32_t used = ledger.used(); used != 0; used &= used - 1)
      tell(ledger.take(base::lowest_bit(used)));
    for (const auto& [tag, sum] : bytes) {
      EXPECT_EQ(told_bytes[tag], sum) << tag;
      EXPECT_EQ(told_count[tag], count[tag]) << tag;
    }
  }
}

}  // namespace
}  // namespace quarry::heap
