// SPDX-License-Identifier: MIT
#include "plan/space_map.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace quarry::plan {

namespace {

constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;  // what an offset or a size has

}  // namespace

bool SpaceMap::start(std::uint64_t occupied, std::uint64_t blocks) {
  // No two gaps are neighbours for long: there are no more of them than of what parts them.
  constexpr std::uint64_t kInBetween = 4;
  const std::uint64_t most = 2 * occupied + blocks + kInBetween;
  if (most >= kNone || !ranges_.reserve(static_cast<std::size_t>(most))) return false;
  ranges_.clear();
  unused_ = kNone;
  rows_ = 0;
  std::fill(std::begin(bins_), std::end(bins_), 0u);
  std::fill(std::begin(heads_), std::end(heads_), kNone);
  return true;
}

/// The first bin at or above this one that has gaps; kNone when there is none.
[[gnu::always_inline]] inline std::uint32_t SpaceMap::bin_from(std::uint32_t bin) const {
  std::uint32_t row = bin / kBinsInRow;
  if (row >= kRows) return kNone;
  if (const std::uint32_t here = bins_[row] & ~0u << (bin % kBinsInRow))
    return row * kBinsInRow + base::lowest_bit(here);
  if (++row == kRows) return kNone;
  const std::uint64_t above = rows_ & ~std::uint64_t{0} << row;
  if (above == 0) return kNone;
  row = base::lowest_bit(above);
  return row * kBinsInRow + base::lowest_bit(bins_[row]);
}

[[gnu::always_inline]] inline std::uint32_t SpaceMap::take_range() {
  if (unused_ != kNone) {
    const std::uint32_t range = unused_;
    unused_ = ranges_[range].list_next;
    ranges_[range] = {};
    return range;
  }
  const bool added = ranges_.resize(ranges_.size() + 1);
  QUARRY_CHECK(added);
  return static_cast<std::uint32_t>(ranges_.size() - 1);
}

void SpaceMap::drop_range(std::uint32_t range) {
  ranges_[range].list_next = unused_;
  unused_ = range;
}

[[gnu::always_inline]] inline void SpaceMap::link(std::uint32_t gap) {
  Range& range = ranges_[gap];
  const std::uint32_t bin = bin_of(range.size);
  range.bin = bin & 0x1FFFu;
  range.list_next = heads_[bin];
  if (range.list_next != kNone) ranges_[range.list_next].list_previous = gap;
  heads_[bin] = gap;
  bins_[bin / kBinsInRow] |= 1u << (bin % kBinsInRow);
  rows_ |= std::uint64_t{1} << (bin / kBinsInRow);
}

void SpaceMap::unlink(std::uint32_t gap) {
  const Range& range = ranges_[gap];
  const auto bin = static_cast<std::uint32_t>(range.bin);
  if (heads_[bin] != gap) {
    ranges_[range.list_previous].list_next = range.list_next;
    if (range.list_next != kNone) ranges_[range.list_next].list_previous = range.list_previous;
    return;
  }
  heads_[bin] = range.list_next;
  if (range.list_next != kNone) return;
  bins_[bin / kBinsInRow] &= ~(1u << (bin % kBinsInRow));
  if (bins_[bin / kBinsInRow] == 0) rows_ &= ~(std::uint64_t{1} << (bin / kBinsInRow));
}

void SpaceMap::begin_block(std::uint32_t block) {
  block_ = block;
  first_ = last_ = kNone;
  end_ = 0;
}

bool SpaceMap::is_in(const Window& window, std::uint32_t gap) const {
  std::uint32_t range = window.first;
  while (range != gap && range != window.last)
    range = ranges_[range].next;
  return range == gap;
}

void SpaceMap::append(std::uint64_t offset, std::uint64_t size, Content content,
                      std::uint32_t owner) {
  const std::uint32_t index = take_range();
  Range& range = ranges_[index];
  range.offset = offset & kMask;
  range.size = size & kMask;
  range.block = block_ & 0xFFFFu;
  range.become(content);
  range.owner = owner;
  range.previous = last_;
  if (last_ == kNone) {
    first_ = index;
  } else {
    ranges_[last_].next = index;
  }
  last_ = index;
  end_ = offset + size;
  if (range.is_gap()) link(index);
}

void SpaceMap::add(std::uint64_t offset, std::uint64_t size, Content content, std::uint32_t owner) {
  if (offset > end_) append(end_, offset - end_, Content::gap, kNone);
  append(offset, size, content, owner);
}

std::uint32_t SpaceMap::end_block(std::uint64_t size) {
  if (size > end_) append(end_, size - end_, Content::gap, kNone);
  return first_;
}

std::uint32_t SpaceMap::place(std::uint64_t size, std::uint64_t alignment, std::uint32_t owner,
                              bool now, const Window* avoid) {
  for (std::uint32_t bin = bin_from(bin_of(size)); bin != kNone; bin = bin_from(bin + 1)) {
    std::uint32_t left = kProbes;
    for (std::uint32_t i = heads_[bin]; i != kNone && left > 0; i = ranges_[i].list_next, --left) {
      const Range& gap = ranges_[i];
      const std::uint64_t offset = base::align_up(gap.offset, alignment);
      if (offset + size > gap.end() || (now && gap.is_late())) continue;
      if (avoid != nullptr && is_in(*avoid, i)) continue;
      return place_at(i, offset, size, owner);
    }
  }
  return kNone;
}

std::uint32_t SpaceMap::expect(std::uint64_t size) const {
  const std::uint32_t bin = bin_from(bin_of(size));
  if (bin == kNone) return kNone;
  prefetch(heads_[bin]);
  return heads_[bin];
}

void SpaceMap::expect_around(std::uint32_t gap, std::uint64_t size) const {
  if (gap == kNone) return;
  const Range& range = ranges_[gap];
  prefetch(range.next);
  prefetch(range.list_next);
  if (range.size > size) prefetch(heads_[bin_of(range.size - size)]);
}

/// A gap of that content behind `previous`.
std::uint32_t SpaceMap::insert_gap(std::uint32_t previous, std::uint64_t offset, std::uint64_t size,
                                   Content content) {
  const std::uint32_t index = take_range();
  const std::uint32_t next = ranges_[previous].next;
  Range& gap = ranges_[index];
  gap.offset = offset & kMask;
  gap.size = size & kMask;
  gap.block = ranges_[previous].block;
  gap.become(content);
  gap.previous = previous;
  gap.next = next;
  ranges_[previous].next = index;
  if (next != kNone) ranges_[next].previous = index;
  link(index);
  return index;
}

std::uint32_t SpaceMap::place_at(std::uint32_t gap, std::uint64_t offset, std::uint64_t size,
                                 std::uint32_t owner) {
  QUARRY_ASSERT(ranges_[gap].is_gap() && offset >= ranges_[gap].offset);
  QUARRY_ASSERT(offset + size <= ranges_[gap].end());
  unlink(gap);
  const std::uint64_t start = ranges_[gap].offset;
  const std::uint64_t end = ranges_[gap].end();
  const Content content = ranges_[gap].content();
  std::uint32_t placed = gap;
  // The range in front keeps its index, so that the first of a block is always the same.
  if (offset > start) {
    ranges_[gap].size = (offset - start) & kMask;
    link(gap);
    placed = insert_gap(gap, offset, size, content);
    unlink(placed);
  }
  ranges_[placed].offset = offset & kMask;
  ranges_[placed].size = size & kMask;
  ranges_[placed].owner = owner;
  ranges_[placed].become(content == Content::gap ? Content::arrived : Content::late_arrived);
  if (offset + size < end) insert_gap(placed, offset + size, end - (offset + size), content);
  return placed;
}

/// Joins a gap with the gap behind it.
void SpaceMap::absorb_next(std::uint32_t range) {
  Range& here = ranges_[range];
  const std::uint32_t next = here.next;
  const Range& there = ranges_[next];
  unlink(next);
  here.size = (here.size + there.size) & kMask;
  if (there.is_late()) here.become(Content::late_gap);
  here.next = there.next;
  if (there.next != kNone) ranges_[there.next].previous = range;
  drop_range(next);
}

std::uint32_t SpaceMap::remove(std::uint32_t range, bool late) {
  ranges_[range].become(late ? Content::late_gap : Content::gap);
  ranges_[range].owner = kNone;
  std::uint32_t gap = range;
  if (const std::uint32_t next = ranges_[gap].next; next != kNone && ranges_[next].is_gap())
    absorb_next(gap);
  const std::uint32_t previous = ranges_[gap].previous;
  if (previous != kNone && ranges_[previous].is_gap()) {
    // The one behind is not linked yet, so that absorbing it must not unlink it.
    link(gap);
    unlink(previous);
    absorb_next(previous);
    gap = previous;
  }
  link(gap);
  return gap;
}

}  // namespace quarry::plan
