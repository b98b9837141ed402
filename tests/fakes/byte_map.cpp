// SPDX-License-Identifier: MIT
#include "fakes/byte_map.hpp"

#include <algorithm>
#include <iterator>

namespace quarry::fakes {

namespace {

VkDeviceSize end_of(const ByteRange& range) {
  return range.offset + range.size;
}

bool overlap(const ByteRange& a, const ByteRange& b) {
  return a.offset < end_of(b) && b.offset < end_of(a);
}

bool same_granule(const ByteRange& a, const ByteRange& b, VkDeviceSize granularity) {
  const ByteRange& low = a.offset < b.offset ? a : b;
  const ByteRange& high = a.offset < b.offset ? b : a;
  return (end_of(low) - 1) / granularity == high.offset / granularity;
}

/// Memory of unknown kind may hold either, so it conflicts with everything, its like included.
bool kinds_conflict(ResourceKind a, ResourceKind b) {
  return a != b || a == ResourceKind::unknown;
}

}  // namespace

bool ByteMap::overlap_allowed(const ByteRange& a, const ByteRange& b) const {
  const VkDeviceSize begin = std::max(a.offset, b.offset);
  const VkDeviceSize end = std::min(end_of(a), end_of(b));
  return std::ranges::any_of(allowed_, [&](const Region& region) {
    return region.offset <= begin && end <= region.offset + region.size;
  });
}

void ByteMap::compare(const ByteRange& range, const ByteRange& other, VkDeviceSize granularity,
                      Conflicts& conflicts, bool& overlaps) const {
  if (overlap(range, other)) {
    overlaps = true;
    if (!conflicts.overlap && !overlap_allowed(range, other)) conflicts.overlap = other;
  } else if (granularity > 1 && !conflicts.granule && kinds_conflict(range.kind, other.kind) &&
             same_granule(range, other, granularity)) {
    conflicts.granule = other;
  }
}

ByteMap::Conflicts ByteMap::insert(const ByteRange& range, VkDeviceSize granularity) {
  Conflicts conflicts;
  bool overlaps = false;
  const VkDeviceSize window_begin = range.offset / granularity * granularity;
  const VkDeviceSize window_end = (end_of(range) + granularity - 1) / granularity * granularity;

  const auto first = ranges_.lower_bound(range.offset);
  for (auto it = first; it != ranges_.end() && it->first < window_end; ++it) {
    compare(range, it->second, granularity, conflicts, overlaps);
  }
  for (auto it = first; it != ranges_.begin();) {
    --it;
    if (end_of(it->second) <= window_begin) break;
    compare(range, it->second, granularity, conflicts, overlaps);
  }
  for (const ByteRange& other : overlapping_) {
    compare(range, other, granularity, conflicts, overlaps);
  }

  if (overlaps) {
    overlapping_.push_back(range);
  } else {
    ranges_.emplace(range.offset, range);
  }
  return conflicts;
}

bool ByteMap::erase(VkDeviceSize offset, std::uint64_t owner) {
  const auto it = ranges_.find(offset);
  if (it != ranges_.end() && it->second.owner == owner) {
    ranges_.erase(it);
    return true;
  }
  const auto other = std::ranges::find_if(overlapping_, [&](const ByteRange& range) {
    return range.offset == offset && range.owner == owner;
  });
  if (other == overlapping_.end()) return false;
  overlapping_.erase(other);
  return true;
}

bool ByteMap::forbid_overlap(VkDeviceSize offset, VkDeviceSize size) {
  const auto it = std::ranges::find(allowed_, Region{offset, size});
  if (it == allowed_.end()) return false;
  allowed_.erase(it);
  return true;
}

const ByteRange& ByteMap::any() const {
  return ranges_.empty() ? overlapping_.front() : ranges_.begin()->second;
}

}  // namespace quarry::fakes
