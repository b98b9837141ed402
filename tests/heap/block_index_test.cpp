// SPDX-License-Identifier: MIT
#include "heap/block_index.hpp"

#include <cstdint>
#include <deque>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "base/seed.hpp"
#include "heap/block.hpp"

namespace quarry::heap {
namespace {

TEST(BlockIndex, FindsNothingWhereNothingIsPublished) {
  const BlockIndex index;
  EXPECT_EQ(index.next_class(0), BlockIndex::kNone);
  EXPECT_EQ(index.next_class(1), BlockIndex::kNone);
  EXPECT_EQ(index.next_class(Tlsf::kClassCount), BlockIndex::kNone);
  EXPECT_EQ(index.next_class(~0u), BlockIndex::kNone);
}

TEST(BlockIndex, GivesTheLowestClassThatHasABlock) {
  BlockIndex index;
  Block small;
  Block large;
  index.publish(small, 20);
  index.publish(large, 300);
  EXPECT_EQ(index.next_class(1), 20u);
  EXPECT_EQ(index.first(20), &small);
  EXPECT_EQ(index.next_class(21), 300u);
  EXPECT_EQ(index.first(300), &large);
  EXPECT_EQ(index.next_class(301), BlockIndex::kNone);
  index.publish(small, 0);
  EXPECT_EQ(index.next_class(1), 300u);
  EXPECT_EQ(index.first(20), nullptr);
  EXPECT_EQ(small.free_class, 0u);
}

TEST(BlockIndex, AgreesWithAModelWhateverIsPublished) {
  for (const std::uint64_t seed : test::seeds(4)) {
    test::Random random(seed);
    BlockIndex index;
    std::deque<Block> blocks(200);
    std::set<std::pair<std::uint32_t, Block*>> model;
    for (int step = 0; step < 4'000; ++step) {
      Block& block = blocks[static_cast<std::size_t>(random.below(blocks.size()))];
      // Few classes as well as many, so that lists are long as well as far apart.
      const std::uint64_t classes = random.one_in(2) ? 5 : Tlsf::kClassCount;
      const auto now = static_cast<std::uint32_t>(random.below(classes));
      model.erase({block.free_class, &block});
      index.publish(block, now);
      ASSERT_EQ(block.free_class, now);
      if (now != 0) model.insert({now, &block});
      const auto wanted = static_cast<std::uint32_t>(random.below(Tlsf::kClassCount));
      const auto expected = model.lower_bound({wanted, nullptr});
      ASSERT_EQ(index.next_class(wanted),
                expected == model.end() ? BlockIndex::kNone : expected->first);
    }
    std::set<std::pair<std::uint32_t, Block*>> seen;
    for (std::uint32_t c = index.next_class(1); c != BlockIndex::kNone;
         c = index.next_class(c + 1)) {
      for (Block* block = index.first(c); block != nullptr; block = block->index_next)
        ASSERT_TRUE(seen.insert({c, block}).second);
    }
    EXPECT_EQ(seen, model);
  }
}

}  // namespace
}  // namespace quarry::heap
