// SPDX-License-Identifier: MIT
#include "hud/block_map.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::hud {
namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;

SnapshotRange used(VkDeviceSize offset, VkDeviceSize size, std::uint32_t name = 0,
                   std::uint32_t tag = 0) {
  return {offset, size, Allocation{1}, Tag{tag}, name};
}

SnapshotRange unused(VkDeviceSize offset, VkDeviceSize size) {
  return {offset, size, {}, {}, 0};
}

SnapshotBlock block(std::uint32_t heap, std::uint32_t type, VkDeviceSize size, bool dedicated,
                    std::uint32_t first, std::uint32_t count) {
  SnapshotBlock result;
  result.heap = heap;
  result.memory_type = type;
  result.size = size;
  result.used_bytes = size / 2;
  result.dedicated = dedicated;
  result.first_range = first;
  result.range_count = count;
  return result;
}

TEST(BlockMap, RowsComeByHeapWithDedicatedMemoryFirstThenByType) {
  const std::vector<SnapshotRange> ranges = {used(0, 10), used(0, 20), used(0, 30), used(0, 40),
                                             used(0, 50)};
  const std::vector<SnapshotBlock> blocks = {
      block(1, 7, 10, false, 0, 1), block(0, 1, 20, true, 1, 1), block(0, 2, 30, false, 2, 1),
      block(0, 5, 40, true, 3, 1), block(0, 1, 50, false, 4, 1)};
  BlockMap map;
  map.assign(blocks, ranges, "");
  ASSERT_EQ(map.rows().size(), 4u);
  EXPECT_EQ(map.block_count(), 5u);
  EXPECT_TRUE(map.rows()[0].dedicated);
  EXPECT_EQ(map.rows()[0].block_count, 2u);
  EXPECT_EQ(map.rows()[1].memory_type, 1u);
  EXPECT_EQ(map.rows()[2].memory_type, 2u);
  EXPECT_EQ(map.rows()[3].heap, 1u);
  EXPECT_EQ(map.cells(map.rows()[1])[0].size, 50u);
  EXPECT_EQ(map.cells(map.rows()[3])[0].size, 10u);
}

TEST(BlockMap, DedicatedMemoryOfAHeapIsOneRowSideBySide) {
  const std::vector<SnapshotRange> ranges = {used(0, 20), used(0, 40)};
  const std::vector<SnapshotBlock> blocks = {block(0, 1, 20, true, 0, 1),
                                             block(0, 5, 40, true, 1, 1)};
  BlockMap map;
  map.assign(blocks, ranges, "");
  ASSERT_EQ(map.rows().size(), 1u);
  const MapRow& row = map.rows()[0];
  EXPECT_EQ(row.block_count, 2u);
  EXPECT_EQ(row.size, 60u);
  EXPECT_EQ(row.used, 30u);
  ASSERT_EQ(row.cell_count, 2u);
  EXPECT_EQ(map.cells(row)[1].offset, 20u);
  EXPECT_EQ(map.cells(row)[1].block_offset, 0u);
}

TEST(BlockMap, KeepsNamesAndTagsAfterTheSnapshotIsGone) {
  BlockMap map;
  {
    std::string text(1, '\0');
    text += "albedo";
    text += '\0';
    text += "ring";
    const std::vector<SnapshotRange> ranges = {used(0, 4, 1, 3), used(4, 4, 8), used(8, 4),
                                               unused(12, 4)};
    map.assign(std::vector{block(0, 0, 16, false, 0, 4)}, ranges, text.c_str());
  }
  const std::span<const Cell> cells = map.cells(map.rows()[0]);
  EXPECT_STREQ(map.name(cells[0]), "albedo");
  EXPECT_EQ(cells[0].tag.index, 3u);
  EXPECT_STREQ(map.name(cells[1]), "ring");
  EXPECT_STREQ(map.name(cells[2]), "");
  EXPECT_TRUE(cells[2].used);
  EXPECT_FALSE(cells[3].used);
}

TEST(BlockMap, AssignReplacesWhatWasThere) {
  BlockMap map;
  map.assign(std::vector{block(0, 0, 16, false, 0, 1)}, std::vector{used(0, 16)}, "");
  map.assign({}, {}, "");
  EXPECT_TRUE(map.rows().empty());
  EXPECT_EQ(map.block_count(), 0u);
}

std::vector<Cell> cells_of_sizes(const std::vector<VkDeviceSize>& sizes, bool first_used) {
  std::vector<Cell> cells;
  VkDeviceSize offset = 0;
  bool is_used = first_used;
  for (const VkDeviceSize size : sizes) {
    Cell cell;
    cell.offset = offset;
    cell.size = size;
    cell.used = is_used;
    cells.push_back(cell);
    offset += size;
    is_used = !is_used;
  }
  return cells;
}

TEST(Cut, WideCellsStandAlone) {
  std::vector<Segment> segments;
  cut(cells_of_sizes({25, 50, 25}, true), 100, 200.0f, 2.0f, {}, segments);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_FLOAT_EQ(segments[1].begin, 50.0f);
  EXPECT_FLOAT_EQ(segments[1].end, 150.0f);
  EXPECT_FLOAT_EQ(segments[0].used_share, 1.0f);
  EXPECT_FLOAT_EQ(segments[1].used_share, 0.0f);
  EXPECT_EQ(segments[2].first_cell, 2u);
}

TEST(Cut, NarrowNeighboursAreJoinedWithTheirShare) {
  // 100 bytes on 10 pixels: single bytes are a tenth of a pixel wide.
  std::vector<VkDeviceSize> sizes(20, 1);
  sizes.push_back(80);
  std::vector<Segment> segments;
  cut(cells_of_sizes(sizes, true), 100, 10.0f, 1.0f, {}, segments);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[0].cell_count, 10u);
  EXPECT_FLOAT_EQ(segments[0].used_share, 0.5f);
  EXPECT_EQ(segments[2].cell_count, 1u);
  EXPECT_EQ(segments[2].first_cell, 20u);
}

TEST(Cut, ANarrowCellBetweenWideOnesIsNotLost) {
  std::vector<Segment> segments;
  cut(cells_of_sizes({500, 1, 499}, false), 1000, 100.0f, 2.0f, {}, segments);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_FLOAT_EQ(segments[1].used_share, 1.0f);
}

TEST(Cut, MarksSegmentsWithTheTag) {
  std::vector<Cell> cells = cells_of_sizes({1, 1, 498, 500}, true);
  cells[2].tag = Tag{4};
  cells[2].used = true;
  cells[0].tag = Tag{5};
  std::vector<Segment> segments;
  cut(cells, 1000, 100.0f, 2.0f, Tag{4}, segments);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_FALSE(segments[0].marked);
  EXPECT_TRUE(segments[1].marked);
  cut(cells, 1000, 100.0f, 2.0f, Tag{5}, segments);
  EXPECT_TRUE(segments[0].marked);
  cut(cells, 1000, 100.0f, 2.0f, Tag{}, segments);
  EXPECT_FALSE(segments[0].marked || segments[1].marked || segments[2].marked);
}

TEST(Cut, AnEmptyRowGivesNothing) {
  std::vector<Segment> segments(3);
  cut({}, 0, 100.0f, 1.0f, {}, segments);
  EXPECT_TRUE(segments.empty());
}

TEST(Cut, CoversEveryCellOnceWithBoundedPieces) {
  for (const std::uint64_t seed : test::seeds(50)) {
    test::Random random(seed);
    std::vector<VkDeviceSize> sizes;
    VkDeviceSize total = 0;
    const std::uint64_t count = random.between(1, 5000);
    for (std::uint64_t i = 0; i < count; ++i) {
      sizes.push_back(random.one_in(50) ? random.between(1, kMiB) : random.between(1, 512));
      total += sizes.back();
    }
    const std::vector<Cell> cells = cells_of_sizes(sizes, random.one_in(2));
    const float pixels = static_cast<float>(random.between(50, 1050));
    const float least = static_cast<float>(random.between(1, 4));
    std::vector<Segment> segments;
    cut(cells, total, pixels, least, {}, segments);
    ASSERT_LE(static_cast<float>(segments.size()), 2.0f * pixels / least + 1.0f);
    std::uint32_t next = 0;
    float edge = 0.0f;
    for (const Segment& segment : segments) {
      ASSERT_EQ(segment.first_cell, next);
      ASSERT_FLOAT_EQ(segment.begin, edge);
      ASSERT_GE(segment.end, segment.begin);
      next += segment.cell_count;
      edge = segment.end;
    }
    ASSERT_EQ(next, cells.size());
    ASSERT_NEAR(edge, pixels, 1e-2f);
  }
}

TEST(SegmentAt, FindsTheSegmentUnderAPosition) {
  const std::vector<Segment> segments = {
      {0, 10, 0, 1, 1, false}, {10, 10.5f, 1, 1, 1, false}, {12, 20, 2, 1, 1, false}};
  EXPECT_EQ(segment_at(segments, -1.0f), 3u);
  EXPECT_EQ(segment_at(segments, 0.0f), 0u);
  EXPECT_EQ(segment_at(segments, 10.25f), 1u);
  EXPECT_EQ(segment_at(segments, 11.0f), 3u);
  EXPECT_EQ(segment_at(segments, 12.0f), 2u);
  EXPECT_EQ(segment_at(segments, 20.0f), 3u);
  EXPECT_EQ(segment_at({}, 0.0f), 0u);
}

}  // namespace
}  // namespace quarry::hud
