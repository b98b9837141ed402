// SPDX-License-Identifier: MIT
#include "viewer/slices.hpp"

#include <map>

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

constexpr ImageShape kBc1{8192, 8192, 4, 8};

std::uint64_t level_bytes(const ImageShape& shape, std::uint32_t level) {
  const auto blocks = [&](std::uint32_t texels) {
    return (std::max(texels >> level, 1u) + shape.block_edge - 1) / shape.block_edge;
  };
  return std::uint64_t{blocks(shape.width)} * blocks(shape.height) * shape.block_bytes;
}

/// Every byte of every level exactly once, in order.
void expect_whole(const ImageShape& shape, const std::vector<Slice>& slices, std::uint32_t finest,
                  std::uint32_t last) {
  std::map<std::uint32_t, std::uint64_t> next;
  std::map<std::uint32_t, std::uint32_t> next_y;
  for (const Slice& slice : slices) {
    EXPECT_EQ(slice.file_offset, next[slice.level]);
    EXPECT_EQ(slice.y, next_y[slice.level]);
    next[slice.level] += slice.bytes;
    next_y[slice.level] += slice.height;
  }
  for (std::uint32_t level = finest; level <= last; ++level) {
    EXPECT_EQ(next[level], level_bytes(shape, level)) << "level " << level;
    EXPECT_EQ(next_y[level], std::max(shape.height >> level, 1u)) << "level " << level;
  }
}

TEST(Slices, CoverEveryLevelOnceAndStayWithinTheirSize) {
  for (const ImageShape shape : {kBc1, ImageShape{8192, 8192, 4, 16}, ImageShape{1000, 37, 4, 8},
                                 ImageShape{33, 2048, 1, 4}, ImageShape{1, 1, 4, 16}}) {
    std::uint32_t last = 0;
    while (std::max(shape.width, shape.height) >> (last + 1) > 0)
      ++last;
    const auto slices = cut_into_slices(shape, 0, last, {4u << 20, {1, 1, 1}});
    ASSERT_TRUE(slices);
    expect_whole(shape, *slices, 0, last);
    for (const Slice& slice : *slices)
      EXPECT_LE(slice.bytes, 4u << 20);
  }
}

TEST(Slices, CoarsestMipsComeFirst) {
  const auto slices = cut_into_slices(kBc1, 2, 13, {1u << 20, {1, 1, 1}});
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices->front().level, 13u);
  EXPECT_EQ(slices->back().level, 2u);
}

TEST(Slices, StartOnTheGranularityOfTheQueue) {
  const auto slices = cut_into_slices(kBc1, 0, 13, {3'000'000, {16, 16, 1}});
  ASSERT_TRUE(slices);
  expect_whole(kBc1, *slices, 0, 13);
  for (const Slice& slice : *slices)
    EXPECT_EQ(slice.y % (16 * 4), 0u);
}

TEST(Slices, AQueueThatCopiesWholeMipsGetsWholeMipsOrNone) {
  EXPECT_FALSE(cut_into_slices(kBc1, 0, 13, {4u << 20, {0, 0, 0}}));
  const auto whole = cut_into_slices(kBc1, 2, 13, {4u << 20, {0, 0, 0}});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->size(), 12u);
}

TEST(Slices, ARowLargerThanASliceIsRefused) {
  EXPECT_FALSE(cut_into_slices(kBc1, 0, 0, {16 * 1024 - 1, {1, 1, 1}}));
  EXPECT_TRUE(cut_into_slices(kBc1, 0, 0, {16 * 1024, {1, 1, 1}}));
}

TEST(Slices, AlignmentIsAMultipleOfTheBlockAndOfFourBytes) {
  EXPECT_EQ(slice_alignment(kBc1), 8u);
  EXPECT_EQ(slice_alignment({8, 8, 4, 16}), 16u);
  EXPECT_EQ(slice_alignment({8, 8, 1, 4}), 4u);
}

}  // namespace
}  // namespace quarry::viewer
