// SPDX-License-Identifier: MIT
// SpaceMap: what lies where in blocks that a plan moves pieces into, up to 2^16 blocks of 2^48
// bytes. Ranges are linked in address order, gaps also in a list for each class of sizes, 32 to a
// power of two, so that the tightest gap for a piece is found in a few steps. Not thread-safe; no
// step allocates once it was started.
#pragma once

#include <cstdint>

#include "base/bits.hpp"
#include "base/host_array.hpp"

namespace quarry::plan {

class SpaceMap {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;
  static constexpr std::uint32_t kBinsInRow = 32;
  static constexpr std::uint32_t kRows = 60;  ///< the last is for 2^63 and more
  static constexpr std::uint32_t kBins = kRows * kBinsInRow;
  /// The class of a size, ascending with it.
  static std::uint32_t bin_of(std::uint64_t size) {
    constexpr std::uint32_t kShift = 5;
    if (size < kBinsInRow) return static_cast<std::uint32_t>(size);
    const std::uint32_t order = base::floor_log2(size);
    return (order - kShift) * kBinsInRow + static_cast<std::uint32_t>(size >> (order - kShift));
  }

  enum class Content : std::uint8_t {
    gap,           ///< free from the start
    late_gap,      ///< free once the first step is complete
    movable,       ///< may be put elsewhere
    fixed,         ///< may not
    arrived,       ///< placed by this plan in a gap
    late_arrived,  ///< the same in a late gap
  };
  static constexpr std::uint32_t kMostBlocks = 1u << 16;
  /// 32 bytes, never across two cache lines.
  struct alignas(32) Range {
    std::uint64_t offset : 48 = 0;
    std::uint64_t block : 16 = 0;
    std::uint64_t size : 48 = 0;
    std::uint64_t bin : 13 = 0;      ///< of a gap
    std::uint64_t kind : 3 = 0;      ///< a Content
    std::uint32_t previous = kNone;  ///< in the same block
    std::uint32_t next = kNone;
    std::uint32_t list_next = kNone;  ///< of a gap, or of an unused range
    union {
      std::uint32_t list_previous = kNone;  ///< of a gap that is not the first of its list
      std::uint32_t owner;                  ///< of what is no gap, as given
    };

    Content content() const { return static_cast<Content>(kind); }
    void become(Content content) { kind = static_cast<std::uint64_t>(content) & 7u; }
    std::uint64_t end() const { return offset + size; }
    bool is_gap() const { return content() <= Content::late_gap; }
    bool is_late() const {
      return content() == Content::late_gap || content() == Content::late_arrived;
    }
  };
  static_assert(sizeof(Range) == 32);
  /// Neighbours whose gaps are to be left alone.
  struct Window {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  explicit SpaceMap(const HostMemory& host) : ranges_(host) {}

  /// Forgets everything. False when there is no host memory for that many ranges that are no gaps.
  [[nodiscard]] bool start(std::uint64_t occupied, std::uint64_t blocks);

  // ---- Building, block by block, ascending
  void begin_block(std::uint32_t block);
  void add(std::uint64_t offset, std::uint64_t size, Content content, std::uint32_t owner);
  /// Its first range, which stays the first; kNone of a block of no bytes.
  std::uint32_t end_block(std::uint64_t size);

  const Range& operator[](std::uint32_t range) const { return ranges_[range]; }

  /// Puts something into a gap of the tightest class; kNone when there is none. `now`: no late one;
  /// `avoid`: none in that window.
  std::uint32_t place(std::uint64_t size, std::uint64_t alignment, std::uint32_t owner, bool now,
                      const Window* avoid = nullptr);
  /// Puts something at an exact place. Precondition: within that gap.
  std::uint32_t place_at(std::uint32_t gap, std::uint64_t offset, std::uint64_t size,
                         std::uint32_t owner);
  /// Brings a range into the caches; kNone is none.
  void prefetch(std::uint32_t range) const {
    if (range != kNone) __builtin_prefetch(ranges_.data() + range);
  }
  /// The same for the gap that a later place() of that size will look at first: which it is.
  std::uint32_t expect(std::uint64_t size) const;
  /// The same for what changes when the size is placed in that gap, which may be none any more.
  void expect_around(std::uint32_t gap, std::uint64_t size) const;
  /// Takes it out again; what is left is a gap, a late one if it or a neighbour is late. The gap.
  std::uint32_t remove(std::uint32_t range, bool late);

 private:
  static constexpr std::uint32_t kProbes = 4;  ///< in one bin

  std::uint32_t bin_from(std::uint32_t bin) const;
  std::uint32_t take_range();
  void drop_range(std::uint32_t range);
  bool is_in(const Window& window, std::uint32_t gap) const;
  void append(std::uint64_t offset, std::uint64_t size, Content content, std::uint32_t owner);
  void link(std::uint32_t gap);
  void unlink(std::uint32_t gap);
  std::uint32_t insert_gap(std::uint32_t previous, std::uint64_t offset, std::uint64_t size,
                           Content content);
  void absorb_next(std::uint32_t range);

  base::HostArray<Range> ranges_;
  std::uint32_t unused_ = kNone;
  std::uint32_t first_ = kNone;  ///< of the block that is built
  std::uint32_t last_ = kNone;
  std::uint64_t end_ = 0;
  std::uint32_t block_ = 0;
  std::uint64_t rows_ = 0;  ///< a bit for each row with gaps
  std::uint32_t bins_[kRows] = {};
  std::uint32_t heads_[kBins] = {};
};

}  // namespace quarry::plan
