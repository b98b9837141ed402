// SPDX-License-Identifier: MIT
// What one thread's cached allocations and frees changed in the figures of tags, and has not been
// told to the shared totals yet: a few cells, each for one tag. What is not noted here counts as
// untagged. A tag under a hard quota has a prepaid cell: its bytes were told ahead, so that what
// the cell holds is never above 0, and the totals are never too low. Written by one thread at a
// time, read by any.
#pragma once

#include <cstdint>

#include "base/relaxed.hpp"

namespace quarry::heap {

class Ledger {
 public:
  static constexpr std::uint32_t kCells = 16;

  struct Entry {
    std::uint32_t tag = 0;
    std::int32_t count = 0;
    std::int64_t bytes = 0;
    bool empty() const { return count == 0 && bytes == 0; }
  };

  /// Whether note() has a cell for the tag. 0, the untagged, has none and needs none.
  bool has(std::uint32_t tag) const { return tag == 0 || cells_[tag % kCells].tag.get() == tag; }
  /// Precondition: has the tag, which is not 0, of either kind.
  void note(std::uint32_t tag, std::int32_t count, std::int64_t bytes) {
    Cell& cell = cells_[tag % kCells];
    cell.count.add(count);
    cell.bytes.add(bytes);
  }
  /// Gives the tag the cell that it needs; what the cell held is the caller's to count.
  Entry make_room(std::uint32_t tag) { return open(tag, tag); }

  // Prepaid cells, for which has() is false.
  bool has_prepaid(std::uint32_t tag) const {
    return cells_[tag % kCells].tag.get() == (tag | kPrepaid);
  }
  Entry make_prepaid_room(std::uint32_t tag) { return open(tag, tag | kPrepaid); }
  /// Bytes that the tag may note before more must be told ahead. Precondition: has it prepaid.
  std::int64_t credit(std::uint32_t tag) const { return -cells_[tag % kCells].bytes.get(); }
  bool is_prepaid(std::uint32_t cell) const { return (cells_[cell].tag.get() & kPrepaid) != 0; }

  /// Bit i: cell i was given to a tag. The owner's.
  std::uint32_t used() const { return used_; }
  /// What a cell holds, which is the caller's to count from now on.
  Entry take(std::uint32_t cell) {
    const Entry held = read(cell);
    cells_[cell].count.set(0);
    cells_[cell].bytes.set(0);
    return held;
  }
  /// Of an empty cell: its tag has none from now on.
  void close(std::uint32_t cell) { cells_[cell].tag.set(0); }
  Entry read(std::uint32_t cell) const {
    return {cells_[cell].tag.get() & ~kPrepaid, cells_[cell].count.get(), cells_[cell].bytes.get()};
  }

 private:
  static constexpr std::uint32_t kPrepaid = 1u << 31;

  Entry open(std::uint32_t tag, std::uint32_t mark) {
    const Entry held = take(tag % kCells);
    cells_[tag % kCells].tag.set(mark);
    used_ |= 1u << tag % kCells;
    return held;
  }

  struct Cell {
    base::Relaxed<std::uint32_t> tag;
    base::Relaxed<std::int32_t> count;
    base::Relaxed<std::int64_t> bytes;
  };

  Cell cells_[kCells];
  std::uint32_t used_ = 0;
};

}  // namespace quarry::heap
