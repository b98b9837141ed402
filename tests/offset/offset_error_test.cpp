// SPDX-License-Identifier: MIT
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <quarry/offset.hpp>

namespace quarry::test {
namespace {

TEST(OffsetError, EachHasAWordOfItsOwn) {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(OffsetError::unsupported); ++i) {
    words.insert(to_string(static_cast<OffsetError>(i)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(OffsetError::unsupported) + 1);
  EXPECT_EQ(words.count("unknown"), 0u);
}

}  // namespace
}  // namespace quarry::test
