// SPDX-License-Identifier: MIT
#include "offset/size_class.hpp"

#include <bit>
#include <cstdint>

#include <gtest/gtest.h>

namespace quarry::offset {
namespace {

TEST(SizeClass, EverySizeFitsTheFirstClassThatHoldsIt) {
  for (std::uint64_t size = 1; size <= kLargestSizeClass; ++size) {
    const std::uint32_t size_class = size_class_of(size);
    ASSERT_LT(size_class, kSizeClasses) << size;
    ASSERT_GE(size_of_class(size_class), size);
    if (size_class > 0) {
      ASSERT_LT(size_of_class(size_class - 1), size);
    }
  }
  EXPECT_EQ(size_class_of(1), 0u);
  EXPECT_EQ(size_class_of(kLargestSizeClass), kSizeClasses - 1);
}

TEST(SizeClass, SizesGrowAndFallIntoTheirOwnClass) {
  EXPECT_EQ(size_of_class(0), 64u);
  EXPECT_EQ(size_of_class(kSizeClasses - 1), kLargestSizeClass);
  for (std::uint32_t i = 0; i < kSizeClasses; ++i) {
    EXPECT_EQ(size_class_of(size_of_class(i)), i);
    if (i > 0) {
      EXPECT_GT(size_of_class(i), size_of_class(i - 1));
    }
  }
}

TEST(SizeClass, ASizeWastesAnEighthAtMostButForTheFirstFew) {
  for (std::uint64_t size = 1; size <= kLargestSizeClass; ++size) {
    const std::uint64_t waste = size_of_class(size_class_of(size)) - size;
    if (size > 512) {
      ASSERT_LE(waste * 8, size) << size;
    } else {
      ASSERT_LT(waste, 64u) << size;
    }
  }
}

TEST(SizeClass, ASlotIsAlignedForEveryRequestThatItServes) {
  for (std::uint64_t alignment = 1; alignment <= kLargestSizeClass; alignment *= 2) {
    for (std::uint64_t size = 1; size <= kLargestSizeClass; size += size < 2'048 ? 1 : 61) {
      const std::uint32_t size_class = size_class_for(size, alignment);
      if (size_class == kNoSizeClass) continue;
      ASSERT_LT(size_class, kSizeClasses);
      ASSERT_GE(size_of_class(size_class), size);
      // Slot i lies at a multiple of the slab's alignment and i slot sizes.
      ASSERT_EQ(alignment_of_class(size_class) % alignment, 0u) << size << ", " << alignment;
      ASSERT_EQ(size_of_class(size_class) % alignment_of_class(size_class), 0u);
    }
  }
}

TEST(SizeClass, AnAlignmentThatWastesMoreThanAQuarterGetsNoSlot) {
  EXPECT_EQ(size_class_for(1, 65'536), kNoSizeClass);
  EXPECT_EQ(size_class_for(32'769, 65'536), kNoSizeClass);
  EXPECT_EQ(size_class_for(60'000, 65'536), kSizeClasses - 1);
  EXPECT_EQ(size_class_for(1, 256), size_class_of(256));
  EXPECT_EQ(size_class_for(1, 512), kNoSizeClass);
  EXPECT_EQ(size_class_for(257, 512), size_class_of(512));
  EXPECT_EQ(size_class_for(65'537, 1), kNoSizeClass);
  EXPECT_EQ(size_class_for(65'536, 131'072), kNoSizeClass);
  EXPECT_EQ(size_class_for(std::uint64_t{1} << 40, 1), kNoSizeClass);
  for (std::uint64_t alignment = 1; alignment <= kLargestSizeClass; alignment *= 2) {
    for (std::uint64_t size = 1; size <= kLargestSizeClass; size += 7) {
      const std::uint64_t rounded = (size + alignment - 1) / alignment * alignment;
      const bool wasteful =
          rounded > kLargestSizeClass || (rounded - size > 255 && rounded - size > size / 4);
      ASSERT_EQ(size_class_for(size, alignment) == kNoSizeClass, wasteful)
          << size << ", " << alignment;
    }
  }
}

TEST(SizeClass, ASlabHasAsManySlotsAsItsBitmapOrAboutAnEighthOfAMegabyte) {
  for (std::uint32_t i = 0; i < kSizeClasses; ++i) {
    const std::uint32_t slots = slots_of_class(i);
    EXPECT_TRUE(std::has_single_bit(slots));
    EXPECT_GE(slots, 8u);
    EXPECT_LE(slots, 64u);
    const std::uint64_t bytes = slots * size_of_class(i);
    if (slots > 8) {
      EXPECT_LE(bytes, 128u << 10);
    }
    if (slots < 64) {
      EXPECT_GT(bytes, 64u << 10);
    }
    // One long-lived slot pins half a mebibyte at most.
    EXPECT_LE(bytes, 512u << 10);
  }
}

}  // namespace
}  // namespace quarry::offset
