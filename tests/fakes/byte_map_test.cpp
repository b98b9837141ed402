// SPDX-License-Identifier: MIT
#include "fakes/byte_map.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::fakes {
namespace {

TEST(ByteMap, NeighboursThatTouchDoNotOverlap) {
  ByteMap map;
  EXPECT_FALSE(map.insert({0, 256, ResourceKind::linear, 1}, 1).overlap);
  EXPECT_FALSE(map.insert({256, 256, ResourceKind::optimal, 2}, 1).overlap);
  EXPECT_TRUE(map.insert({511, 1, ResourceKind::linear, 3}, 1).overlap);
}

TEST(ByteMap, ErasesOnlyTheOwnersRange) {
  ByteMap map;
  map.insert({0, 256, ResourceKind::linear, 1}, 1);
  EXPECT_FALSE(map.erase(0, 2));
  EXPECT_TRUE(map.erase(0, 1));
  EXPECT_TRUE(map.empty());
}

TEST(ByteMap, KindsMayNotShareAGranule) {
  ByteMap map;
  map.insert({0, 100, ResourceKind::linear, 1}, 1024);
  EXPECT_FALSE(map.insert({100, 100, ResourceKind::linear, 2}, 1024).granule);
  EXPECT_TRUE(map.insert({1000, 100, ResourceKind::optimal, 3}, 1024).granule);
  EXPECT_FALSE(map.insert({2048, 100, ResourceKind::optimal, 4}, 1024).granule);
}

TEST(ByteMap, UnknownKindsShareAGranuleWithNothing) {
  ByteMap map;
  map.insert({0, 100, ResourceKind::unknown, 1}, 1024);
  EXPECT_TRUE(map.insert({512, 100, ResourceKind::unknown, 2}, 1024).granule);
}

/// Every pair compared, the obvious way.
struct Naive {
  std::vector<ByteRange> ranges;

  bool overlaps(const ByteRange& range) const {
    return std::ranges::any_of(ranges, [&](const ByteRange& other) {
      return range.offset < other.offset + other.size && other.offset < range.offset + range.size;
    });
  }
  bool shares_granule(const ByteRange& range, VkDeviceSize granularity) const {
    return std::ranges::any_of(ranges, [&](const ByteRange& other) {
      if (other.kind == range.kind) return false;
      const VkDeviceSize first = range.offset / granularity;
      const VkDeviceSize last = (range.offset + range.size - 1) / granularity;
      const VkDeviceSize other_first = other.offset / granularity;
      const VkDeviceSize other_last = (other.offset + other.size - 1) / granularity;
      return first <= other_last && other_first <= last;
    });
  }
};

void compare_with_naive(test::Random random) {
  constexpr VkDeviceSize kGranularity = 64;
  ByteMap map;
  Naive naive;
  for (std::uint64_t step = 1; step <= 20'000; ++step) {
    if (!naive.ranges.empty() && random.one_in(3)) {
      const auto victim = static_cast<std::size_t>(random.below(naive.ranges.size()));
      const ByteRange range = naive.ranges[victim];
      EXPECT_TRUE(map.erase(range.offset, range.owner));
      naive.ranges.erase(naive.ranges.begin() + static_cast<std::ptrdiff_t>(victim));
      continue;
    }
    const ByteRange range{random.below(16'384), random.between(1, 100),
                          random.one_in(2) ? ResourceKind::linear : ResourceKind::optimal, step};
    const bool overlaps = naive.overlaps(range);
    const bool shares = naive.shares_granule(range, kGranularity);
    const ByteMap::Conflicts conflicts = map.insert(range, kGranularity);
    ASSERT_EQ(conflicts.overlap.has_value(), overlaps) << "step " << step;
    ASSERT_TRUE(!conflicts.granule || shares) << "step " << step;
    // A faulty range is taken out again, so that the map stays as it would be in a program without
    // fault.
    if (overlaps || shares) {
      ASSERT_TRUE(overlaps || conflicts.granule.has_value()) << "step " << step;
      EXPECT_TRUE(map.erase(range.offset, step));
    } else {
      naive.ranges.push_back(range);
    }
    ASSERT_EQ(map.size(), naive.ranges.size());
  }
}

TEST(ByteMap, AgreesWithComparingEveryPair) {
  for (const std::uint64_t seed : test::seeds(2)) {
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(seed));
    compare_with_naive(test::Random(seed));
  }
}

}  // namespace
}  // namespace quarry::fakes
