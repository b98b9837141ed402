// SPDX-License-Identifier: MIT
#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include <quarry/buddy.hpp>

#include "base/seed.hpp"
#include "offset/interval_model.hpp"

namespace quarry::test {
namespace {

OffsetAllocation placed(Buddy& buddy, const OffsetRequest& request) {
  const auto result = buddy.allocate(request);
  EXPECT_TRUE(result) << request.size;
  return result ? *result : OffsetAllocation{};
}

TEST(Buddy, RangesArePowersOfTwoAtMultiplesOfTheirSize) {
  Buddy buddy({.size = 1 << 16});
  for (const std::uint64_t size : {1u, 3u, 5u, 64u, 65u, 1000u, 4096u}) {
    const OffsetAllocation one = placed(buddy, {.size = size});
    const OffsetRange range = *buddy.info(one.handle);
    EXPECT_EQ(range.size, std::bit_ceil(size));
    EXPECT_EQ(range.offset % range.size, 0u);
  }
}

TEST(Buddy, ATailThatIsNoPowerOfTwoIsUsedToTheLastByte) {
  for (const std::uint64_t seed : seeds(1)) {
    Random random(seed);
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t size = random.any_magnitude(64);
      Buddy buddy({.size = size});
      std::vector<OffsetHandle> live;
      for (std::uint64_t rest = size; rest != 0; rest -= std::bit_floor(rest)) {
        live.push_back(placed(buddy, {.size = std::bit_floor(rest)}).handle);
      }
      EXPECT_EQ(buddy.free_bytes(), 0u);
      for (const OffsetHandle handle : live) {
        EXPECT_EQ(buddy.free(handle), OffsetError::none);
      }
      EXPECT_EQ(buddy.statistics().largest_free, std::bit_floor(size));
      EXPECT_TRUE(buddy.validate());
    }
  }
}

TEST(Buddy, BytesGrownInSmallStepsJoinIntoLargePieces) {
  Buddy buddy({.size = 1});
  const OffsetAllocation pinned = placed(buddy, {.size = 1});
  for (std::uint64_t size = 2; size <= 4096; ++size) {
    ASSERT_EQ(buddy.grow(size), OffsetError::none);
    ASSERT_TRUE(buddy.validate()) << size;
  }
  EXPECT_EQ(buddy.statistics().largest_free, 2048u);
  EXPECT_EQ(buddy.free(pinned.handle), OffsetError::none);
  EXPECT_EQ(buddy.statistics().largest_free, 4096u);
  EXPECT_EQ(buddy.statistics().free_range_count, 1u);
}

TEST(Buddy, AnAlignmentAboveTheSizeTakesThePieceThatFits) {
  Buddy buddy({.size = 1 << 12});
  (void)placed(buddy, {.size = 16});
  EXPECT_EQ(placed(buddy, {.size = 16, .alignment = 1 << 11}).offset, 1u << 11);
  EXPECT_FALSE(buddy.allocate({.size = 16, .alignment = 1 << 11}));
}

// A request whose alignment is not above its size succeeds exactly if an aligned piece is free, in
// whatever pieces.
TEST(Buddy, ItRefusesExactlyWhatCannotBePlaced) {
  for (const std::uint64_t seed : seeds(4)) {
    Random random(seed);
    const std::uint64_t size = random.between(1 << 14, 1 << 16);
    Buddy buddy({.size = size});
    IntervalModel model(size);
    int refusals = 0;
    for (int i = 0; i < 5000; ++i) {
      if (!model.live().empty() && random.below(100) < 47) {
        auto victim = model.live().begin();
        std::advance(victim, static_cast<std::ptrdiff_t>(random.below(model.live().size())));
        ASSERT_EQ(buddy.free(victim->second.handle), OffsetError::none);
        model.remove(victim->first);
        continue;
      }
      const OffsetRequest request{.size = random.any_magnitude(13)};
      const std::uint64_t piece = std::bit_ceil(request.size);
      bool fits = false;
      for (const FreeInterval& free : model.free_intervals()) {
        const std::uint64_t offset = (free.offset + piece - 1) / piece * piece;
        fits = fits || offset + piece <= free.offset + free.size;
      }
      const auto result = buddy.allocate(request);
      ASSERT_EQ(static_cast<bool>(result), fits);
      if (result) {
        ASSERT_EQ(model.add(request, *result, piece), "");
      } else {
        ++refusals;
      }
    }
    EXPECT_GT(refusals, 10);
  }
}

TEST(Buddy, TheLargestFreeSizeIsExactlyWhatARequestCanGet) {
  for (const std::uint64_t seed : seeds(4)) {
    Random random(seed);
    Buddy space({.size = random.between(1, 20'000)});
    std::vector<OffsetHandle> live;
    for (int i = 0; i < 2'000; ++i) {
      const std::uint64_t largest = space.largest_free();
      EXPECT_FALSE(space.allocate({.size = largest + 1}));
      if (largest > 0) {
        const auto all = space.allocate({.size = largest});
        ASSERT_TRUE(all);
        ASSERT_EQ(space.free(all->handle), OffsetError::none);
      }
      if (random.one_in(2) && !live.empty()) {
        std::swap(live[random.index(live.size())], live.back());
        ASSERT_EQ(space.free(live.back()), OffsetError::none);
        live.pop_back();
      } else if (const auto made = space.allocate({.size = random.any_magnitude(11)})) {
        live.push_back(made->handle);
      }
    }
  }
}

}  // namespace
}  // namespace quarry::test
