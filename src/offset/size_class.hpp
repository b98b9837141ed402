// SPDX-License-Identifier: MIT
// The sizes in which slabs are cut: steps of 64 bytes to 512, above that eight to each power of
// two, to 64 KiB. A size wastes an eighth at most, but for the first few.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/bits.hpp"

namespace quarry::offset {

inline constexpr std::uint32_t kSizeClasses = 64;
inline constexpr std::uint64_t kLargestSizeClass = 65536;

/// The first class that holds `size`, 1 to kLargestSizeClass.
constexpr std::uint32_t size_class_of(std::uint64_t size) {
  const std::uint64_t last = size - 1;
  const std::uint32_t shift = base::floor_log2(last | 512) - 3;
  return (shift - 6) * 8 + static_cast<std::uint32_t>(last >> shift);
}

/// Bytes of a slot; a multiple of every alignment that a size rounded up to it asks for.
constexpr std::uint64_t size_of_class(std::uint32_t size_class) {
  const std::uint32_t row = size_class / 8;
  return row == 0 ? std::uint64_t{size_class + 1} << 6
                  : std::uint64_t{size_class % 8 + 9} << (row + 5);
}

/// The largest power of two that divides a slot's size: what its slots are aligned to.
constexpr std::uint64_t alignment_of_class(std::uint32_t size_class) {
  const std::uint64_t size = size_of_class(size_class);
  return size & (0 - size);
}

/// Slots of one slab: 8, 16, 32 or 64, so many that a slab is about 128 KiB. One long-lived slot
/// pins eight of the largest.
constexpr std::uint32_t slots_of_class(std::uint32_t size_class) {
  constexpr std::uint64_t kSlabBytes = 128 << 10;
  return static_cast<std::uint32_t>(
      std::bit_floor(std::clamp<std::uint64_t>(kSlabBytes / size_of_class(size_class), 8, 64)));
}

inline constexpr std::uint32_t kNoSizeClass = kSizeClasses;

/// The class for a request: that of its size, rounded up to its alignment. kNoSizeClass where it is
/// too large, or where the rounding wastes more than a quarter.
constexpr std::uint32_t size_class_for(std::uint64_t size, std::uint64_t alignment) {
  const std::uint64_t rounded = base::align_up(size, alignment);
  if (rounded - 1 >= kLargestSizeClass || rounded - size > std::max<std::uint64_t>(size / 4, 255))
    return kNoSizeClass;
  return size_class_of(rounded);
}

}  // namespace quarry::offset
