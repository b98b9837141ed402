// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <quarry/tlsf.hpp>

#include "base/seed.hpp"
#include "offset/interval_model.hpp"

namespace quarry::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

OffsetAllocation placed(Tlsf& tlsf, const OffsetRequest& request) {
  const auto result = tlsf.allocate(request);
  EXPECT_TRUE(result) << request.size;
  return result ? *result : OffsetAllocation{};
}

// Fills the space with ranges of the given sizes in turn; the handles in address order.
std::vector<OffsetHandle> fill(Tlsf& tlsf, const std::vector<std::uint64_t>& sizes) {
  std::vector<OffsetHandle> handles;
  for (std::size_t i = 0;; ++i) {
    const auto result = tlsf.allocate({.size = sizes[i % sizes.size()]});
    if (!result) return handles;
    handles.push_back(result->handle);
  }
}

TEST(Tlsf, AnySizeOfPoolSatisfiesARequestOfAllItsBytes) {
  for (const std::uint64_t seed : seeds(1)) {
    Random random(seed);
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t size = random.any_magnitude(64);
      Tlsf tlsf({.size = size});
      const OffsetAllocation whole =
          placed(tlsf, {.size = size, .alignment = std::uint64_t{1} << random.below(64)});
      EXPECT_EQ(whole.offset, 0u);
      EXPECT_EQ(tlsf.free_bytes(), 0u);
    }
  }
}

TEST(Tlsf, FreeMergesBothNeighbours) {
  Tlsf tlsf({.size = 300});
  const OffsetHandle a = placed(tlsf, {.size = 100}).handle;
  const OffsetHandle b = placed(tlsf, {.size = 100}).handle;
  const OffsetHandle c = placed(tlsf, {.size = 100}).handle;
  EXPECT_EQ(tlsf.free(a), OffsetError::none);
  EXPECT_EQ(tlsf.free(c), OffsetError::none);
  EXPECT_EQ(tlsf.statistics().free_range_count, 2u);
  EXPECT_EQ(tlsf.free(b), OffsetError::none);
  EXPECT_EQ(tlsf.statistics().free_range_count, 1u);
  EXPECT_EQ(tlsf.statistics().largest_free, 300u);
}

TEST(Tlsf, PaddingBeforeAnAlignedRangeStaysFree) {
  Tlsf tlsf({.size = 1024});
  (void)placed(tlsf, {.size = 10});
  EXPECT_EQ(placed(tlsf, {.size = 256, .alignment = 256}).offset, 256u);
  EXPECT_EQ(tlsf.free_bytes(), 1024u - 266u);
  EXPECT_EQ(placed(tlsf, {.size = 246}).offset, 10u);
}

TEST(Tlsf, F14FreeingInEitherOrderLeavesTheBlockEmpty) {
  Tlsf aligned({.size = 64 * 1024});
  const OffsetHandle first = placed(aligned, {.size = 480, .alignment = 256}).handle;
  const OffsetHandle second = placed(aligned, {.size = 400, .alignment = 256}).handle;
  EXPECT_EQ(aligned.free(second), OffsetError::none);
  EXPECT_EQ(aligned.free(first), OffsetError::none);
  EXPECT_EQ(aligned.statistics().largest_free, 64u * 1024);

  Tlsf reused({.size = 64 * 1024});
  const OffsetHandle old = placed(reused, {.size = 400, .alignment = 16}).handle;
  const OffsetHandle small = placed(reused, {.size = 64, .alignment = 16}).handle;
  EXPECT_EQ(reused.free(old), OffsetError::none);
  const OffsetHandle refill = placed(reused, {.size = 384, .alignment = 16}).handle;
  EXPECT_EQ(reused.free(small), OffsetError::none);
  EXPECT_EQ(reused.free(refill), OffsetError::none);
  EXPECT_EQ(reused.statistics().free_range_count, 1u);
  EXPECT_EQ(reused.statistics().largest_free, 64u * 1024);
}

TEST(Tlsf, F18HolesThatAreLargeEnoughButMisalignedCostBoundedWork) {
  Tlsf tlsf({.size = 256 * kMiB});
  (void)placed(tlsf, {.size = 16});
  std::vector<OffsetHandle> holes;
  while (tlsf.free_bytes() != 0) {
    holes.push_back(placed(tlsf, {.size = 480}).handle);
    (void)placed(tlsf, {.size = std::min<std::uint64_t>(544, tlsf.free_bytes())});
  }
  ASSERT_EQ(holes.size(), 262'144u);
  for (const OffsetHandle hole : holes) {
    ASSERT_EQ(tlsf.free(hole), OffsetError::none);
  }
  for (const OffsetStrategy strategy :
       {OffsetStrategy::balanced, OffsetStrategy::min_time, OffsetStrategy::min_memory}) {
    const std::uint64_t before = tlsf.ranges_examined();
    const auto result = tlsf.allocate({.size = 256, .alignment = 256, .strategy = strategy});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), OffsetError::out_of_space);
    EXPECT_LE(tlsf.ranges_examined() - before, Tlsf::kMaxRangesExamined);
  }
}

TEST(Tlsf, F19EnoughBytesInHolesTooSmallAreRefusedWithBoundedWork) {
  Tlsf tlsf({.size = 64 * kMiB});
  const std::vector<OffsetHandle> all = fill(tlsf, {4000, 96});
  for (std::size_t i = 0; i < all.size(); i += 2) {
    ASSERT_EQ(tlsf.free(all[i]), OffsetError::none);
  }
  EXPECT_GT(tlsf.free_bytes(), 32 * kMiB);
  for (const std::uint64_t size : {std::uint64_t{4001}, std::uint64_t{4096}, kMiB}) {
    const std::uint64_t before = tlsf.ranges_examined();
    EXPECT_FALSE(tlsf.allocate({.size = size}));
    EXPECT_LE(tlsf.ranges_examined() - before, Tlsf::kMaxRangesExamined);
  }
}

TEST(Tlsf, EveryAllocationLooksAtABoundedNumberOfRanges) {
  for (const std::uint64_t seed : seeds(2)) {
    Random random(seed);
    Tlsf tlsf({.size = 16 * kMiB});
    std::vector<OffsetHandle> live;
    for (int i = 0; i < 30'000; ++i) {
      if (!live.empty() && random.one_in(2)) {
        std::swap(live[random.index(live.size())], live.back());
        ASSERT_EQ(tlsf.free(live.back()), OffsetError::none);
        live.pop_back();
        continue;
      }
      const std::uint64_t before = tlsf.ranges_examined();
      const auto result = tlsf.allocate({.size = random.any_magnitude(18),
                                         .alignment = std::uint64_t{1} << random.below(17),
                                         .strategy = static_cast<OffsetStrategy>(random.below(3))});
      ASSERT_LE(tlsf.ranges_examined() - before, Tlsf::kMaxRangesExamined);
      if (result) live.push_back(result->handle);
    }
  }
}

TEST(Tlsf, TheExactBinIsTriedBeforeALargerRangeIsCut) {
  Tlsf tlsf({.size = kMiB});
  const OffsetAllocation hole = placed(tlsf, {.size = 1000});
  (void)placed(tlsf, {.size = 64});
  EXPECT_EQ(tlsf.free(hole.handle), OffsetError::none);
  // 1000 lies in the middle of its bin, so that rounding up would cut the rest of the space.
  EXPECT_EQ(placed(tlsf, {.size = 1000}).offset, hole.offset);
}

TEST(Tlsf, AHoleThatFitsByItsAlignmentIsTriedBeforeALargerRangeIsCut) {
  Tlsf tlsf({.size = kMiB});
  const OffsetAllocation hole = placed(tlsf, {.size = 1280});
  (void)placed(tlsf, {.size = 64});
  EXPECT_EQ(tlsf.free(hole.handle), OffsetError::none);
  // 1280 lies in a bin above that of 1024, but not above that of 1024 + 512 - 1.
  EXPECT_EQ(placed(tlsf, {.size = 1024, .alignment = 512}).offset, hole.offset);
}

TEST(Tlsf, TheOnlyFitAmong32OfItsBinIsFoundBeforeSpaceIsRefused) {
  Tlsf tlsf({.size = 32 * (1006 + 64)});
  // Sizes 992 to 1007 share a bin. The fit is freed first, so that it stands last in the list.
  std::vector<OffsetAllocation> holes;
  while (tlsf.free_bytes() != 0) {
    const bool first = holes.empty();
    holes.push_back(placed(tlsf, {.size = first ? 1006u : 1000u}));
    (void)placed(tlsf, {.size = std::min<std::uint64_t>(first ? 64 : 70, tlsf.free_bytes())});
  }
  ASSERT_EQ(holes.size(), 32u);
  for (const OffsetAllocation& hole : holes) {
    ASSERT_EQ(tlsf.free(hole.handle), OffsetError::none);
  }
  EXPECT_EQ(placed(tlsf, {.size = 1005}).offset, holes.front().offset);
}

TEST(Tlsf, MinMemoryTakesTheTightestOfTheBin) {
  Tlsf tlsf({.size = kMiB});
  std::vector<OffsetAllocation> holes;
  for (const std::uint64_t size : {10'000u, 10'030u, 10'010u, 10'020u}) {
    holes.push_back(placed(tlsf, {.size = size}));
    (void)placed(tlsf, {.size = 1});
  }
  for (const OffsetAllocation& hole : holes) {
    EXPECT_EQ(tlsf.free(hole.handle), OffsetError::none);
  }
  EXPECT_EQ(placed(tlsf, {.size = 10'005, .strategy = OffsetStrategy::min_memory}).offset,
            holes[2].offset);
}

TEST(Tlsf, MinOffsetTakesTheLowestFit) {
  for (const std::uint64_t seed : seeds(2)) {
    Random random(seed);
    Tlsf tlsf({.size = kMiB});
    std::vector<OffsetHandle> all = fill(tlsf, {1000, 300, 5000, 64, 2000});
    IntervalModel model(kMiB);
    for (const OffsetHandle handle : all) {
      if (random.one_in(2)) {
        ASSERT_EQ(tlsf.free(handle), OffsetError::none);
      } else {
        const OffsetRange range = *tlsf.info(handle);
        ASSERT_EQ(model.add({.size = range.size}, {range.offset, handle}, range.size), "");
      }
    }
    for (int i = 0; i < 200; ++i) {
      const OffsetRequest request{.size = random.between(1, 6000),
                                  .alignment = std::uint64_t{1} << random.below(10),
                                  .strategy = OffsetStrategy::min_offset};
      std::uint64_t lowest = kMiB;
      for (const FreeInterval& free : model.free_intervals()) {
        const std::uint64_t offset =
            (free.offset + request.alignment - 1) / request.alignment * request.alignment;
        if (offset + request.size <= free.offset + free.size) lowest = std::min(lowest, offset);
      }
      const auto result = tlsf.allocate(request);
      ASSERT_EQ(static_cast<bool>(result), lowest != kMiB);
      if (!result) continue;
      ASSERT_EQ(result->offset, lowest);
      ASSERT_EQ(model.add(request, *result, request.size), "");
    }
  }
}

// The promises of the header about refusals, against a search of all free ranges.
TEST(Tlsf, ItRefusesOnlyWhatItsPromiseAllows) {
  for (const std::uint64_t seed : seeds(3)) {
    Random random(seed);
    Tlsf tlsf({.size = kMiB});
    IntervalModel model(kMiB);
    int refusals = 0;
    for (int i = 0; i < 6000; ++i) {
      if (!model.live().empty() && random.below(100) < 48) {
        auto victim = model.live().begin();
        std::advance(victim, static_cast<std::ptrdiff_t>(random.below(model.live().size())));
        ASSERT_EQ(tlsf.free(victim->second.handle), OffsetError::none);
        model.remove(victim->first);
        continue;
      }
      const OffsetRequest request{.size = random.any_magnitude(17),
                                  .alignment = std::uint64_t{1} << random.below(12),
                                  .strategy = static_cast<OffsetStrategy>(random.below(3))};
      const auto result = tlsf.allocate(request);
      if (result) {
        ASSERT_EQ(model.add(request, *result, request.size), "");
        continue;
      }
      ++refusals;
      std::uint32_t candidates = 0;  // may lie in the bins that are searched in part
      bool fits = false;
      const std::uint64_t padded = request.size + request.alignment - 1;
      for (const FreeInterval& free : model.free_intervals()) {
        ASSERT_LT(free.size, padded + padded / 16 + 2)
            << "a range of a larger class was passed over";
        const std::uint64_t offset =
            (free.offset + request.alignment - 1) / request.alignment * request.alignment;
        fits = fits || offset + request.size <= free.offset + free.size;
        if (free.size >= request.size - request.size / 16) ++candidates;
      }
      ASSERT_TRUE(!fits || candidates > 32) << "the only fit was passed over";
    }
    EXPECT_GT(refusals, 10);
  }
}

TEST(Tlsf, ClassesAreMonotonicAnd32ToEachPowerOfTwo) {
  for (std::uint64_t size = 1; size < 64; ++size)
    EXPECT_EQ(Tlsf::class_of(size), size + 1);
  for (std::uint32_t order = 6; order < 64; ++order) {
    const std::uint64_t power = std::uint64_t{1} << order;
    EXPECT_EQ(Tlsf::class_of(power), Tlsf::class_of(power - 1) + 1);
    EXPECT_EQ(Tlsf::class_of(power + power / 32 - 1), Tlsf::class_of(power));
    EXPECT_EQ(Tlsf::class_of(power + power / 32), Tlsf::class_of(power) + 1);
    EXPECT_EQ(Tlsf::class_of(power), Tlsf::class_of(power / 2) + 32);
  }
  EXPECT_EQ(Tlsf::class_of(~std::uint64_t{0}), Tlsf::kClassCount - 1);
}

TEST(Tlsf, TheLargestFreeClassTellsWhatCannotBeServed) {
  EXPECT_EQ(Tlsf({.size = 0}).largest_free_class(), 0u);
  for (const std::uint64_t seed : seeds(2)) {
    Random random(seed);
    Tlsf tlsf({.size = kMiB});
    EXPECT_EQ(tlsf.largest_free_class(), Tlsf::class_of(kMiB));
    std::vector<OffsetHandle> live;
    for (int i = 0; i < 3000; ++i) {
      if (!live.empty() && random.below(100) < 45) {
        std::swap(live[random.index(live.size())], live.back());
        ASSERT_EQ(tlsf.free(live.back()), OffsetError::none);
        live.pop_back();
      } else {
        const std::uint64_t size = random.any_magnitude(18);
        const std::uint32_t largest = tlsf.largest_free_class();
        const auto result = tlsf.allocate({.size = size});
        if (largest < Tlsf::class_of(size)) {
          ASSERT_FALSE(result);
        }
        if (largest > Tlsf::class_of(size)) {
          ASSERT_TRUE(result);
        }
        if (result) live.push_back(result->handle);
      }
      const std::uint64_t largest_free = tlsf.statistics().largest_free;
      ASSERT_EQ(tlsf.largest_free_class(), largest_free == 0 ? 0 : Tlsf::class_of(largest_free));
    }
  }
}

// Free ranges, unused records and the end of the space have handles of no value whatever.
TEST(Tlsf, NoMadeUpHandleNamesAnythingButALiveRange) {
  Tlsf tlsf({.size = 64 * 1024});
  std::vector<OffsetHandle> all = fill(tlsf, {1024});
  ASSERT_EQ(all.size(), 64u);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    ASSERT_EQ(tlsf.free(all[i]), OffsetError::none);
  }
  ASSERT_EQ(tlsf.free(all[1]), OffsetError::none);
  std::uint32_t found = 0;
  for (const std::uint64_t mark : {0u, 0x8000'0000u}) {
    for (std::uint64_t index = 0; index < 200; ++index) {
      for (std::uint64_t serial = 0; serial < 200; ++serial) {
        found += tlsf.info({(serial | mark) << 32 | index}) ? 1 : 0;
        EXPECT_FALSE(tlsf.info({serial << 32 | index | 0x8000'0000u}));
      }
    }
  }
  EXPECT_EQ(found, tlsf.allocation_count());
}

TEST(Tlsf, BookkeepingTakes32BytesARange) {
  std::uint64_t bytes = 0;
  const HostMemory host{&bytes,
                        [](void* user, std::size_t size, std::size_t alignment) noexcept {
                          *static_cast<std::uint64_t*>(user) += size;
                          const HostMemory standard = HostMemory::standard();
                          return standard.allocate(standard.user, size, alignment);
                        },
                        [](void*, void* memory) noexcept {
                          const HostMemory standard = HostMemory::standard();
                          standard.release(standard.user, memory);
                        }};
  constexpr std::uint64_t kRanges = 100'000;
  Tlsf tlsf({.size = kRanges * 1024, .host = host});
  (void)placed(tlsf, {.size = 1024});
  const std::uint64_t first = bytes;
  EXPECT_LT(first, 8192u);
  for (std::uint64_t i = 1; i < kRanges; ++i) {
    (void)placed(tlsf, {.size = 1024});
  }
  // The table of chunks doubles, all its sizes are counted here.
  EXPECT_LT(bytes - first, kRanges * 33);
}

TEST(Tlsf, GrowingExtendsTheLastFreeRangeOrAddsOne) {
  Tlsf tlsf({.size = 100});
  const OffsetAllocation low = placed(tlsf, {.size = 60});
  EXPECT_EQ(tlsf.grow(200), OffsetError::none);
  EXPECT_EQ(tlsf.statistics().largest_free, 140u);
  const OffsetAllocation high = placed(tlsf, {.size = 140});
  EXPECT_EQ(high.offset, 60u);
  EXPECT_EQ(tlsf.grow(std::uint64_t{1} << 40), OffsetError::none);
  EXPECT_EQ(tlsf.statistics().largest_free, (std::uint64_t{1} << 40) - 200);
  EXPECT_EQ(tlsf.free(high.handle), OffsetError::none);
  EXPECT_EQ(tlsf.free(low.handle), OffsetError::none);
  EXPECT_EQ(tlsf.statistics().largest_free, std::uint64_t{1} << 40);
  EXPECT_TRUE(tlsf.validate());
}

}  // namespace
}  // namespace quarry::test
