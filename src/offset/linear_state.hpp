// SPDX-License-Identifier: MIT
// The bookkeeping of a Linear: live ranges alone, in three lists by place. Free space is what lies
// between them.
#pragma once

#include <cstdint>

#include <quarry/linear.hpp>

#include "offset/node_pool.hpp"
#include "offset/one_range.hpp"

namespace quarry::offset {

class LinearState {
 public:
  static constexpr bool kHasUpper = true;

  explicit LinearState(const HostMemory& host) noexcept : nodes_(host) {}

  /// Nothing to make: all that lies between live ranges is free.
  bool start(std::uint64_t) { return true; }

  enum class End : std::uint8_t {
    none,
    front,  ///< before the oldest ranges: the ring has gone round
    main,   ///< behind the last range
    upper,  ///< before the lowest upper range
  };
  /// Where a request goes.
  struct Place {
    End end = End::none;
    std::uint64_t offset = 0;
    explicit operator bool() const { return end != End::none; }
  };

  /// Finds the place of a request in [0, size).
  Place find(const OffsetRequest& request, std::uint64_t size) const;
  /// There is no more to look at.
  static Place find_further(const OffsetRequest&) { return {}; }
  /// The largest size for which find() finds a place at alignment 1.
  std::uint64_t largest_free(std::uint64_t size) const;
  bool prepare_take(const Place&, const OffsetRequest&) { return nodes_.reserve(1); }
  static std::uint64_t bytes_for(const OffsetRequest& request) { return request.size; }
  OffsetAllocation take(const Place& place, const OffsetRequest& request, std::uint32_t serial);
  /// Returns the bytes freed.
  std::uint64_t give_back(std::uint32_t node);

  std::uint32_t find_live(OffsetHandle handle) const { return nodes_.find(handle); }
  OffsetRange range(std::uint32_t node) const;
  void set_user(std::uint32_t node, std::uint64_t user) { nodes_[node].user = user; }
  /// The space ends where it likes as long as nothing is placed from there.
  OffsetError extend(std::uint64_t, std::uint64_t) const {
    return is_empty(kUpperList) ? OffsetError::none : OffsetError::unsupported;
  }
  void add_free_ranges(OffsetStatistics& statistics, std::uint64_t size) const {
    for_each_range(size, add_free_range, &statistics);
  }
  void for_each_range(std::uint64_t size, OffsetRangeVisitor visitor, void* context) const;
  /// What for_each_range reports before there is any state.
  static void for_each_unused_range(std::uint64_t size, OffsetRangeVisitor visitor, void* context) {
    report_one_free_range(size, visitor, context);
  }
  bool validate(std::uint64_t size, std::uint64_t free_bytes, std::uint32_t allocations) const;

 private:
  struct Node {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t user = 0;
    std::uint32_t previous = kNoNode;
    std::uint32_t next = kNoNode;
    std::uint32_t serial_number = 0;
    std::uint32_t list = 0;

    bool lives_as(std::uint32_t serial) const { return serial != 0 && serial == serial_number; }
    std::uint32_t serial() const { return serial_number; }
    void retire() { serial_number = 0; }
  };
  struct List {
    std::uint32_t first = kNoNode;
    std::uint32_t last = kNoNode;
  };
  static constexpr std::uint32_t kUpperList = 2;

  bool is_empty(std::uint32_t list) const { return lists_[list].first == kNoNode; }
  std::uint32_t front_list() const { return main_list_ ^ 1; }
  std::uint32_t list_of(End end) const;
  std::uint64_t end_of(std::uint32_t list) const;
  std::uint64_t front_limit() const;
  std::uint64_t upper_begin(std::uint64_t size) const;
  void append(std::uint32_t list, std::uint32_t index);
  void remove(std::uint32_t index);

  NodePool<Node> nodes_;
  // Lists 0 and 1 take turns as the main and the front one, 2 is the upper one. All in the order of
  // their making: main and front ascending, the front one wholly below main; upper descending,
  // wholly above both.
  List lists_[3];
  std::uint32_t main_list_ = 0;
};

}  // namespace quarry::offset
