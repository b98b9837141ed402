// SPDX-License-Identifier: MIT
// The bookkeeping of a Buddy: one binary tree for each bit set in the size. A node of order k
// stands for 2^k bytes at a multiple of 2^k; it is split into two of order k - 1, free (then in the
// list of its order), or live.
#pragma once

#include <cstdint>

#include <quarry/buddy.hpp>

#include "offset/node_pool.hpp"

namespace quarry::offset {

class BuddyState {
 public:
  static constexpr bool kHasUpper = false;

  explicit BuddyState(const HostMemory& host) noexcept;

  bool start(std::uint64_t size) { return extend(0, size) == OffsetError::none; }

  /// A free node that is split or taken.
  struct Place {
    std::uint32_t node = kNoNode;
    explicit operator bool() const { return node != kNoNode; }
  };
  Place find(const OffsetRequest& request, std::uint64_t size) const;
  /// There is no more to look at.
  static Place find_further(const OffsetRequest&) { return {}; }
  /// Bytes of the largest free node, 0 when there is none.
  std::uint64_t largest_free() const;
  /// Makes the nodes that a take() needs which splits; false when there is no host memory.
  bool prepare_take(const Place& place, const OffsetRequest& request);
  static std::uint64_t bytes_for(const OffsetRequest& request);
  OffsetAllocation take(const Place& place, const OffsetRequest& request, std::uint32_t serial);
  /// Merges as far as buddies are free. Returns the bytes freed.
  std::uint64_t give_back(std::uint32_t node);
  /// Adds the bytes from old_size to new_size, and joins trees of the same order. Nothing has
  /// changed when there is no host memory.
  OffsetError extend(std::uint64_t old_size, std::uint64_t new_size);

  std::uint32_t find_live(OffsetHandle handle) const { return nodes_.find(handle); }
  OffsetRange range(std::uint32_t node) const;
  void set_user(std::uint32_t node, std::uint64_t user) { nodes_[node].user = user; }
  void add_free_ranges(OffsetStatistics& statistics, std::uint64_t size) const;
  void for_each_range(std::uint64_t size, OffsetRangeVisitor visitor, void* context) const;
  /// What for_each_range reports before there is any state.
  static void for_each_unused_range(std::uint64_t size, OffsetRangeVisitor visitor, void* context);
  bool validate(std::uint64_t size, std::uint64_t free_bytes, std::uint32_t allocations) const;

 private:
  static constexpr std::uint32_t kOrders = 64;
  enum class Kind : std::uint8_t { free, live, split };
  struct Links {
    std::uint32_t previous;
    std::uint32_t next;
  };
  struct Node {
    Node() noexcept : user(0), parent(kNoNode) {}

    std::uint64_t offset = 0;
    union {
      std::uint64_t user;        // live
      Links list;                // free: neighbours in the list of its order
      std::uint32_t lower_half;  // split: the upper half is its buddy
    };
    union {
      std::uint32_t parent;
      std::uint32_t next;  // unused, in the pool
    };
    std::uint32_t buddy = kNoNode;    // kNoNode, as the parent, for the root of a tree
    std::uint32_t serial_number = 0;  // 0 unless live
    std::uint8_t order = 0;
    Kind kind = Kind::free;

    bool lives_as(std::uint32_t serial) const { return serial != 0 && serial == serial_number; }
    std::uint32_t serial() const { return serial_number; }
    void retire() { serial_number = 0; }
  };

  static std::uint32_t order_for(std::uint64_t size);
  std::uint32_t add_free(std::uint64_t offset, std::uint32_t order);
  void add_root(std::uint32_t index);
  std::uint32_t join(std::uint32_t lower, std::uint32_t upper);
  std::uint32_t split(std::uint32_t index);
  void link_free(std::uint32_t index);
  void unlink_free(std::uint32_t index);
  std::uint32_t first_leaf(std::uint32_t index) const;
  std::uint32_t next_leaf(std::uint32_t index) const;
  bool validate_leaf(std::uint32_t index, std::uint64_t offset) const;
  bool validate_lists(std::uint32_t free_leaves) const;

  NodePool<Node> nodes_;
  std::uint64_t free_orders_ = 0;      // bit k: the list of order k is not empty
  std::uint32_t first_free_[kOrders];  // defined where free_orders_ says so
  std::uint32_t roots_[kOrders];       // by order; kNoNode where the size has no such bit
};

}  // namespace quarry::offset
