// SPDX-License-Identifier: MIT
#include "plan/block_size.hpp"

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include "base/seed.hpp"

namespace quarry::plan {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

BlockSizeInput input(std::uint64_t reserved, std::uint64_t request) {
  return {.reserved_bytes = reserved,
          .request_bytes = request,
          .first_block = 4 * kMiB,
          .largest_block = 256 * kMiB,
          .heap_bytes = 16 * kGiB};
}

TEST(BlockSize, DoublesWithWhatIsReservedUpToTheCap) {
  std::uint64_t reserved = 0;
  for (const std::uint64_t expected : {4u, 8u, 16u, 32u, 64u, 128u, 256u, 256u, 256u}) {
    EXPECT_EQ(next_block_size(input(reserved, 1)), expected * kMiB);
    reserved += expected * kMiB;
  }
}

TEST(BlockSize, F31SmallPiecesOf40MegabytesReserveLessThan64) {
  constexpr std::uint64_t kPiece = 100'000;
  std::uint64_t reserved = 0;
  std::uint64_t room = 0;
  for (int i = 0; i < 400; ++i) {
    if (room < kPiece) {
      const std::uint64_t block = next_block_size(input(reserved, kPiece));
      reserved += block;
      room = block;
    }
    room -= kPiece;
  }
  EXPECT_LT(reserved, 64'000'000u);
}

TEST(BlockSize, ALargerRequestGetsItsOwnSizeInWholeGranules) {
  EXPECT_EQ(next_block_size(input(0, 5 * kMiB)), 5 * kMiB);
  EXPECT_EQ(next_block_size(input(0, 5 * kMiB + 1)), 5 * kMiB + kBlockGranule);
  EXPECT_EQ(next_block_size(input(kGiB, 300 * kMiB)), 300 * kMiB);
}

TEST(BlockSize, ASmallHeapCapsAtAnEighth) {
  BlockSizeInput small = input(kGiB, 1);
  small.heap_bytes = 256 * kMiB;
  EXPECT_EQ(block_cap(small), 32 * kMiB);
  EXPECT_EQ(next_block_size(small), 32 * kMiB);
  small.heap_bytes = 200'000;
  EXPECT_EQ(block_cap(small), kBlockGranule);
}

TEST(BlockSize, ARequestThatDoesNotFitGetsNothing) {
  BlockSizeInput tight = input(0, 10 * kMiB);
  tight.bytes_left = 10 * kMiB - 1;
  EXPECT_EQ(next_block_size(tight), 0u);
  tight.bytes_left = 10 * kMiB;
  EXPECT_EQ(next_block_size(tight), 10 * kMiB);
  EXPECT_EQ(next_block_size(input(0, 17 * kGiB)), 0u);
  EXPECT_EQ(next_block_size(input(0, ~std::uint64_t{0})), 0u);
}

TEST(BlockSize, PropertiesHoldForAnyInput) {
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    for (int i = 0; i < 20'000; ++i) {
      const BlockSizeInput any{.reserved_bytes = random.any_magnitude(64) - 1,
                               .request_bytes = random.any_magnitude(64),
                               .first_block = random.any_magnitude(40) - 1,
                               .largest_block = random.any_magnitude(40) - 1,
                               .heap_bytes = random.any_magnitude(64),
                               .bytes_left = random.any_magnitude(64) - 1};
      const std::uint64_t room = std::min(any.heap_bytes, any.bytes_left);
      const std::uint64_t size = next_block_size(any);
      ASSERT_TRUE(std::has_single_bit(block_cap(any)));
      ASSERT_GE(block_cap(any), kBlockGranule);
      ASSERT_EQ(size == 0, any.request_bytes > room);
      if (size == 0) continue;
      ASSERT_GE(size, any.request_bytes);
      ASSERT_LE(size, room);
      // Beyond the cap only for the request's own sake, or by a 64th.
      ASSERT_LE(size, std::max(block_cap(any) + block_cap(any) / 64,
                               any.request_bytes + kBlockGranule - 1));
    }
  }
}

TEST(BlockSize, HoldsAWholeNumberOfLargeRequests) {
  const auto size_for = [&](std::uint64_t request) {
    return next_block_size({.reserved_bytes = 1024 * kMiB,
                            .request_bytes = request,
                            .first_block = 4 * kMiB,
                            .largest_block = 256 * kMiB,
                            .heap_bytes = 8192 * kMiB});
  };
  // Three BC7 textures of 8192x8192 take 256.1 MiB, twelve of 4096x4096 256.5.
  EXPECT_EQ(size_for(89'522'176), 3u * 89'522'176);
  EXPECT_EQ(size_for(22'413'312), 12u * 22'413'312);
  EXPECT_EQ(size_for(100 * kMiB), 200 * kMiB);
  EXPECT_EQ(size_for(16 * kMiB), 256 * kMiB);
  EXPECT_EQ(size_for(3 * kMiB), 256 * kMiB) << "small ones fill a block anyway";
  EXPECT_EQ(size_for(300 * kMiB), 300 * kMiB);
}

TEST(BlockSize, ReservesAtMostThreeTimesWhatSmallPiecesNeed) {
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    std::uint64_t reserved = 0;
    std::uint64_t needed = 0;
    while (needed < 4 * kGiB) {
      needed += random.between(1, 64 * 1024);
      while (reserved < needed) {
        reserved += next_block_size(input(reserved, 1));
      }
      ASSERT_LE(reserved, std::max(4 * kMiB, 3 * needed));
    }
  }
}

TEST(SmallerBlockSize, HalvesDownToTheRequestAndEnds) {
  EXPECT_EQ(smaller_block_size(256 * kMiB, 1), 128 * kMiB);
  EXPECT_EQ(smaller_block_size(kBlockGranule, 1), 0u);
  EXPECT_EQ(smaller_block_size(8 * kMiB, 5 * kMiB), 5 * kMiB);
  EXPECT_EQ(smaller_block_size(5 * kMiB, 5 * kMiB), 0u);
  for (const std::uint64_t seed : test::seeds(1)) {
    test::Random random(seed);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t request = random.any_magnitude(60);
      std::uint64_t size = request + random.any_magnitude(60);
      int steps = 0;
      while (const std::uint64_t smaller = smaller_block_size(size, request)) {
        ASSERT_LT(smaller, size);
        ASSERT_GE(smaller, request);
        size = smaller;
        ASSERT_LT(++steps, 64);
      }
    }
  }
}

}  // namespace
}  // namespace quarry::plan
