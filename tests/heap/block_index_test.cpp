// SPDX-License-Identifier: MIT
#include "heap/block_index.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "base/seed.hpp"

namespace quarry::heap {
namespace {

TEST(BlockIndex, FindsNothingWhereNothingIsPublished) {
  test::CountingHost host;
  BlockIndex index(host.memory());
  EXPECT_EQ(index.find(1, 0), BlockIndex::kNone);
  ASSERT_TRUE(index.reserve(1));
  EXPECT_EQ(index.find(1, 0), BlockIndex::kNone);
  EXPECT_EQ(index.find(BlockIndex::kClassCount, 0), BlockIndex::kNone);
}

TEST(BlockIndex, GivesTheLowestRankWithEnough) {
  test::CountingHost host;
  BlockIndex index(host.memory());
  ASSERT_TRUE(index.reserve(10));
  index.publish(3, 0, 20);
  index.publish(7, 0, 30);
  EXPECT_EQ(index.find(1, 0), 3u);
  EXPECT_EQ(index.find(20, 0), 3u);
  EXPECT_EQ(index.find(21, 0), 7u);
  EXPECT_EQ(index.find(20, 4), 7u);
  EXPECT_EQ(index.find(31, 0), BlockIndex::kNone);
  index.publish(3, 20, 0);
  EXPECT_EQ(index.find(1, 0), 7u);
}

TEST(BlockIndex, AgreesWithALinearSearchWhateverIsPublished) {
  for (const std::uint64_t seed : test::seeds(4)) {
    test::Random random(seed);
    test::CountingHost host;
    BlockIndex index(host.memory());
    std::vector<std::uint32_t> model;
    for (int step = 0; step < 4'000; ++step) {
      if (model.empty() || random.one_in(4)) {
        // Sometimes far apart, so that summary words come into play.
        const std::uint64_t more = random.between(1, random.one_in(20) ? 3'000 : 3);
        model.resize(model.size() + static_cast<std::size_t>(more), 0);
        ASSERT_TRUE(index.reserve(static_cast<std::uint32_t>(model.size())));
      }
      const auto rank = static_cast<std::uint32_t>(random.below(model.size()));
      const auto now = static_cast<std::uint32_t>(random.below(BlockIndex::kClassCount));
      index.publish(rank, model[rank], now);
      model[rank] = now;
      const auto wanted = static_cast<std::uint32_t>(random.between(1, BlockIndex::kClassCount));
      const auto from = static_cast<std::uint32_t>(random.below(model.size() + 100));
      std::uint32_t expected = BlockIndex::kNone;
      for (std::uint32_t i = from; i < model.size() && expected == BlockIndex::kNone; ++i) {
        if (model[i] >= wanted) expected = i;
      }
      ASSERT_EQ(index.find(wanted, from), expected) << "class " << wanted << " from " << from;
    }
  }
}

TEST(BlockIndex, WithoutHostMemoryNothingChanges) {
  test::CountingHost host;
  {
    BlockIndex index(host.memory());
    ASSERT_TRUE(index.reserve(64));
    index.publish(5, 0, 9);
    host.fail_from(0);
    EXPECT_TRUE(index.reserve(64));
    EXPECT_FALSE(index.reserve(65));
    EXPECT_EQ(index.find(9, 0), 5u);
    host.fail_from(test::CountingHost::kNever);
    EXPECT_TRUE(index.reserve(65));
    EXPECT_EQ(index.find(9, 0), 5u);
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

}  // namespace
}  // namespace quarry::heap
