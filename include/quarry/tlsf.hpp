// SPDX-License-Identifier: MIT
// Tlsf: general-purpose offset allocator, two-level segregated fit with its bookkeeping outside the
// managed space. allocate and free are O(1) with a stated bound on the free ranges looked at; byte
// granularity; 64-bit sizes. After Masmano, Ripoll, Crespo, Real: "TLSF: a New Dynamic Memory
// Allocator for Real-Time Systems", 2004.
#pragma once

#include <bit>
#include <cstdint>

#include <quarry/host_memory.hpp>
#include <quarry/offset.hpp>

namespace quarry {

namespace offset {
class TlsfState;
}

struct TlsfDesc {
  std::uint64_t size = 0;                    ///< bytes managed; with 0 nothing fits until grow()
  std::uint32_t max_allocations = 0;         ///< exact; 0: no limit
  HostMemory host = HostMemory::standard();  ///< for the bookkeeping, 32 bytes a range
};

/// Cuts ranges out of [0, size). Free neighbours are always merged, so that N contiguous free bytes
/// are one range.
///
/// Which requests succeed: a free range above the size class of `size + alignment - 1` (32 classes
/// to each power of two) is always found. Ranges in the classes from `size` to there may or may not
/// fit; of these a bounded number is looked at, largest class first before giving up. So a range
/// that fits is found when it is alone in its class, as after everything was freed; out_of_space is
/// answered in bounded time and can miss a fit only among many ranges of nearly the same size.
///
/// O(1), but OffsetStrategy::min_offset is linear in the number of free ranges.
/// OffsetRequest::upper is unsupported.
class Tlsf : public OffsetSpace<offset::TlsfState> {
 public:
  /// allocate() looks at no more free ranges than this, except with OffsetStrategy::min_offset.
  static constexpr std::uint32_t kMaxRangesExamined = 68;
  /// Values of class_of and largest_free_class are below this.
  static constexpr std::uint32_t kClassCount = 1921;

  explicit Tlsf(const TlsfDesc& desc);

  /// The class of a size > 0, at least 2: monotonic, one for each size below 64, above that 32 to
  /// each power of two.
  static constexpr std::uint32_t class_of(std::uint64_t size) {
    const auto shift = static_cast<std::uint32_t>(std::bit_width(size | 32)) - 6;
    return shift * 32 + static_cast<std::uint32_t>(size >> shift) + 1;
  }
  /// The class of the largest free range, 0 when nothing is free. Where it is below class_of(size),
  /// allocate(size) cannot succeed; where it is above, it does succeed at alignment 1. O(1).
  std::uint32_t largest_free_class() const;
  /// Free ranges looked at by allocate() since creation or clear(): the measure behind
  /// kMaxRangesExamined.
  std::uint64_t ranges_examined() const;
};

}  // namespace quarry
