// SPDX-License-Identifier: MIT
// Ranges of a space as its visitors see them.
#pragma once

#include <algorithm>
#include <cstdint>

#include <quarry/offset.hpp>

namespace quarry::offset {

/// A visitor that adds the free ranges to the OffsetStatistics behind `context`.
inline void add_free_range(void* context, const OffsetRange& range) {
  if (range.handle.value != 0) return;
  auto& statistics = *static_cast<OffsetStatistics*>(context);
  ++statistics.free_range_count;
  statistics.largest_free = std::max(statistics.largest_free, range.size);
}

/// Reports a space of `size` bytes as one free range, or none when it is empty.
inline void report_one_free_range(std::uint64_t size, OffsetRangeVisitor visitor, void* context) {
  if (size != 0) visitor(context, {0, size, {}, 0});
}

}  // namespace quarry::offset
