// SPDX-License-Identifier: MIT
#include "base/name_table.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"

namespace quarry::base {
namespace {

TEST(NameTable, NumbersNamesInTheOrderOfArrival) {
  NameTable table(HostMemory::standard());
  EXPECT_EQ(table.find("textures"), 0u);
  EXPECT_EQ(table.add("textures"), 1u);
  EXPECT_EQ(table.add("meshes"), 2u);
  EXPECT_EQ(table.add("textures"), 1u);
  EXPECT_EQ(table.find("meshes"), 2u);
  EXPECT_EQ(table.count(), 2u);
  EXPECT_STREQ(table.name(1), "textures");
  EXPECT_STREQ(table.name(0), "");
  EXPECT_STREQ(table.name(3), "");
}

TEST(NameTable, ThousandsOfNamesKeepTheirNumbersAndPlaces) {
  test::CountingHost host;
  {
    NameTable table(host.memory());
    ASSERT_EQ(table.add("first"), 1u);
    const char* first = table.name(1);
    for (std::uint32_t i = 2; i < 5000; ++i) {
      ASSERT_EQ(table.add(std::to_string(i)), i);
    }
    for (std::uint32_t i = 2; i < 5000; ++i) {
      ASSERT_EQ(table.find(std::to_string(i)), i);
    }
    EXPECT_EQ(table.name(1), first);
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

TEST(NameTable, WithoutHostMemoryNothingChanges) {
  for (std::uint64_t n = 0; n < 30; ++n) {
    test::CountingHost host;
    host.fail_at(n);
    {
      NameTable table(host.memory());
      std::uint32_t failures = 0;
      for (std::uint32_t i = 1; i <= 40; ++i) {
        const std::string name = std::to_string(i);
        if (table.add(name) == 0) {
          ++failures;
          EXPECT_EQ(table.find(name), 0u);
          EXPECT_EQ(table.add(name), i);
        }
        EXPECT_EQ(table.find(name), i);
      }
      EXPECT_EQ(failures, 1u) << n;
    }
    EXPECT_EQ(host.outstanding(), 0u);
  }
}

}  // namespace
}  // namespace quarry::base
