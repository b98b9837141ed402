// SPDX-License-Identifier: MIT
// A slab: a range of a block, cut into slots of one size, and the records of the slots behind it in
// the same piece of host memory. Which slots are free stands in one word (Bonwick, "The Slab
// Allocator", 1994, with a bitmap for the list).
#pragma once

#include <bit>
#include <cstdint>

#include <quarry/offset.hpp>

#include "base/cache_line.hpp"
#include "heap/record.hpp"
#include "offset/size_class.hpp"

namespace quarry::heap {

/// A slot that is out of its slab and not in use: its record, and the handle it gets next.
struct Slot {
  Record* record = nullptr;
  std::uint64_t handle = 0;
};

/// A Slab is guarded by the lock of its bin; what it is cut from is constant while slots are out.
struct alignas(base::kApart) Slab {
  static constexpr std::uint32_t kMostSlots = 64;

  Block* block = nullptr;
  OffsetHandle range;
  VkDeviceSize offset = 0;   ///< of slot 0, bytes into the memory
  std::uint64_t free = 0;    ///< a bit for each free slot
  Slab* previous = nullptr;  ///< in the bin's list of slabs with free slots
  Slab* next = nullptr;
  std::uint32_t first_index = 0;  ///< of the records
  std::uint16_t bin = 0;          ///< set number and size class
  std::uint8_t slots = 0;
  std::uint8_t retired = 0;  ///< slots whose generations are used up

  std::uint32_t size_class() const { return bin % offset::kSizeClasses; }
  std::uint32_t set() const { return bin / offset::kSizeClasses; }
  VkDeviceSize slot_bytes() const { return offset::size_of_class(size_class()); }
  Record* records() { return reinterpret_cast<Record*>(this + 1); }
  const Record* records() const { return reinterpret_cast<const Record*>(this + 1); }
  std::uint32_t slot_of(std::uint64_t handle) const {
    return (static_cast<std::uint32_t>(handle) & base::kHandleMaxIndex) - first_index;
  }
  Location location(std::uint32_t slot) const {
    return {block, offset + slot * slot_bytes(), slot_bytes()};
  }
  std::uint32_t free_count() const { return static_cast<std::uint32_t>(std::popcount(free)); }
  bool unused() const { return free_count() + retired == slots; }
};

// Its records begin with lines of their own.
static_assert(sizeof(Slab) == base::kApart);

}  // namespace quarry::heap
