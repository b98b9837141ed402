// SPDX-License-Identifier: MIT
// The naive model that every offset algorithm is held against: a map of live intervals, O(n) for
// everything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <quarry/offset.hpp>

namespace quarry::test {

struct LiveInterval {
  std::uint64_t size = 0;
  std::uint64_t user = 0;
  OffsetHandle handle;
};

struct FreeInterval {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class IntervalModel {
 public:
  explicit IntervalModel(std::uint64_t size) : size_(size) {}

  std::uint64_t size() const { return size_; }
  const std::map<std::uint64_t, LiveInterval>& live() const { return live_; }

  /// Takes note of a range that was handed out; returns what is wrong with it, "" if nothing.
  std::string add(const OffsetRequest& request, const OffsetAllocation& given,
                  std::uint64_t reserved) {
    if (given.handle.value == 0) return "zero handle";
    if (given.offset % request.alignment != 0) return "not aligned";
    if (reserved < request.size) return "smaller than asked for";
    if (given.offset > size_ || size_ - given.offset < reserved) return "outside the space";
    const auto above = live_.lower_bound(given.offset);
    if (above != live_.end() && above->first - given.offset < reserved) return "overlaps the next";
    if (above != live_.begin()) {
      const auto below = std::prev(above);
      if (given.offset - below->first < below->second.size) return "overlaps the one before";
    }
    for (const auto& [offset, interval] : live_) {
      if (interval.handle == given.handle) return "handle of another live range";
    }
    live_[given.offset] = {reserved, request.user, given.handle};
    used_ += reserved;
    return "";
  }

  void remove(std::uint64_t offset) {
    used_ -= live_.at(offset).size;
    live_.erase(offset);
  }
  void set_user(std::uint64_t offset, std::uint64_t user) { live_.at(offset).user = user; }
  void grow(std::uint64_t size) { size_ = size; }
  void clear() {
    live_.clear();
    used_ = 0;
  }

  /// Maximal free intervals, ascending.
  std::vector<FreeInterval> free_intervals() const {
    std::vector<FreeInterval> result;
    std::uint64_t end = 0;
    for (const auto& [offset, interval] : live_) {
      if (offset > end) result.push_back({end, offset - end});
      end = offset + interval.size;
    }
    if (size_ > end) result.push_back({end, size_ - end});
    return result;
  }

  /// Compares everything that an algorithm tells about itself; "" when all agrees. `merged`: the
  /// algorithm reports maximal free ranges (Buddy reports its pieces).
  template <class Algorithm>
  std::string compare(const Algorithm& algorithm, bool merged) const {
    if (!algorithm.validate()) return "validate() fails";
    if (algorithm.size() != size_) return "size differs";
    if (algorithm.free_bytes() != size_ - used_) return "free bytes differ";
    if (algorithm.allocation_count() != live_.size()) return "count differs";
    if (algorithm.empty() != live_.empty()) return "empty() differs";
    Walk walk{*this, {}, 0, 0, 0, 0, false, ""};
    algorithm.for_each_range(
        [](void* context, const OffsetRange& range) { visit(*static_cast<Walk*>(context), range); },
        &walk);
    if (!walk.complaint.empty()) return walk.complaint;
    if (walk.end != size_) return "ranges do not cover the space";
    if (walk.live != live_.size()) return "a live range is missing";
    if (merged && walk.adjacent_free) return "two free ranges touch";
    const OffsetStatistics statistics = algorithm.statistics();
    if (statistics.size != size_ || statistics.free_bytes != size_ - used_ ||
        statistics.allocation_count != live_.size() || statistics.free_range_count != walk.free ||
        statistics.largest_free != walk.largest_free) {
      return "statistics differ";
    }
    return "";
  }

 private:
  struct Walk {
    const IntervalModel& model;
    OffsetRange previous;
    std::uint64_t end;
    std::uint64_t live;
    std::uint64_t free;
    std::uint64_t largest_free;
    bool adjacent_free;
    std::string complaint;
  };

  static void visit(Walk& walk, const OffsetRange& range) {
    if (range.offset != walk.end) walk.complaint = "gap or overlap between ranges";
    if (range.size == 0) walk.complaint = "empty range";
    if (range.handle.value == 0) {
      ++walk.free;
      walk.largest_free = std::max(walk.largest_free, range.size);
      if (walk.previous.size != 0 && walk.previous.handle.value == 0) walk.adjacent_free = true;
    } else {
      ++walk.live;
      const auto found = walk.model.live_.find(range.offset);
      if (found == walk.model.live_.end() || found->second.size != range.size ||
          found->second.handle != range.handle || found->second.user != range.user) {
        walk.complaint = "a live range differs";
      }
    }
    walk.end = range.offset + range.size;
    walk.previous = range;
  }

  std::uint64_t size_;
  std::uint64_t used_ = 0;
  std::map<std::uint64_t, LiveInterval> live_;
};

}  // namespace quarry::test
