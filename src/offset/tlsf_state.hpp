// SPDX-License-Identifier: MIT
// The bookkeeping of a Tlsf: one node a range, linked in address order; free ranges also in the
// list of their bin. A bin is a class of sizes: sizes below 32 have one each, above that each power
// of two is divided into 32.
#pragma once

#include <cstdint>

#include <quarry/tlsf.hpp>

#include "base/bits.hpp"
#include "offset/node_pool.hpp"

namespace quarry {

class Tlsf::State {
 public:
  explicit State(const HostMemory& host) noexcept : nodes_(host) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  /// Makes [0, size) one free range. False when there is no host memory; then only destruction is
  /// allowed. size > 0.
  bool start(std::uint64_t size);

  /// Where a request goes: a free node, and the offset in it.
  struct Place {
    std::uint32_t node = offset::kNoNode;
    std::uint64_t offset = 0;
  };
  Place find(const OffsetRequest& request);

  /// Makes the nodes that one take() needs; false when there is no host memory.
  bool prepare_take() { return nodes_.reserve(2); }
  OffsetHandle take(const Place& place, const OffsetRequest& request, std::uint32_t serial);
  /// Frees and merges with both neighbours. Returns the bytes freed, 0 when the handle is stale.
  std::uint64_t give_back(OffsetHandle handle);
  /// Adds bytes at the end. False, with nothing changed, when there is no host memory.
  bool extend(std::uint64_t old_size, std::uint64_t new_size);

  std::uint32_t find_live(OffsetHandle handle) const { return nodes_.find(handle); }
  OffsetRange range(std::uint32_t node) const;
  void set_user(std::uint32_t node, std::uint64_t user) { nodes_[node].user = user; }
  std::uint32_t largest_free_class() const;
  void add_free_ranges(OffsetStatistics& statistics) const;
  void for_each_range(OffsetRangeVisitor visitor, void* context) const;
  std::uint64_t ranges_examined() const { return ranges_examined_; }
  bool validate(std::uint64_t size, std::uint64_t free_bytes, std::uint32_t allocations) const;

 private:
  struct Links {
    std::uint32_t previous;
    std::uint32_t next;
  };
  struct Node {
    Node() noexcept : user(0) {}

    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    union {
      std::uint64_t user;  // of a live range
      Links bin;           // of a free range: neighbours in the list of its bin
    };
    std::uint32_t previous = offset::kNoNode;  // neighbours in address order
    std::uint32_t next = offset::kNoNode;
    std::uint32_t serial = 0;     // 0: free
    std::uint32_t bin_index = 0;  // of a free range
  };
  // What one search may spend, and what it found so far.
  struct Search {
    const OffsetRequest& request;
    Place best;
    std::uint64_t best_size = 0;
    bool tightest = false;  // look on for a smaller range until the budget is spent
  };

  static constexpr std::uint32_t kBinsInRow = 32;
  static constexpr std::uint32_t kNoBin = 0xFFFF'FFFFu;
  // Ranges of the bin of the size itself that are looked at before a larger one is taken.
  static constexpr std::uint32_t kExactProbes = 4;

  static std::uint32_t bin_of(std::uint64_t size);
  std::uint32_t bin_at_or_above(std::uint32_t bin) const;
  std::uint32_t bin_at_or_below(std::uint32_t bin) const;
  Place find_further(const OffsetRequest& request, std::uint32_t exact);
  void look(Search& search, std::uint32_t bin, std::uint32_t& budget);
  Place find_lowest(const OffsetRequest& request, std::uint32_t lowest_bin);
  static bool place_in(const Node& node, const OffsetRequest& request, std::uint64_t& offset);
  bool is_free(std::uint32_t node) const {
    return node != offset::kNoNode && nodes_[node].serial == 0;
  }
  // These take a node beside its index where both are at hand, since finding it costs ten
  // instructions.
  void link_free(std::uint32_t index, Node& node);
  void unlink_free(const Node& node);
  void resize_free(std::uint32_t index, Node& node, std::uint64_t size);
  std::uint32_t insert_after(std::uint32_t index, std::uint64_t offset, std::uint64_t size);
  std::uint32_t insert_before(std::uint32_t index, std::uint64_t offset, std::uint64_t size);
  void remove(std::uint32_t index, const Node& node);
  bool make_rows(std::uint64_t size);
  bool validate_bins(std::uint32_t free_ranges) const;

  offset::NodePool<Node> nodes_;
  // A row is the bins of one class. Bit r of rows_occupied_: some bin of row r has ranges; bit b of
  // bins_occupied_[r]: bin b of it has; first_[32 r + b] is the first of them, or kNoNode. Both
  // arrays are one piece of host memory.
  std::uint64_t rows_occupied_ = 0;
  std::uint32_t* bins_occupied_ = nullptr;
  std::uint32_t* first_ = nullptr;
  std::uint32_t row_count_ = 0;
  std::uint32_t first_node_ = offset::kNoNode;  // in address order
  std::uint32_t last_node_ = offset::kNoNode;
  std::uint64_t ranges_examined_ = 0;
};

// Monotonic in size; sizes up to 63 have a bin each.
inline std::uint32_t Tlsf::State::bin_of(std::uint64_t size) {
  static_assert(kBinsInRow == 32);
  const std::uint32_t shift = base::floor_log2(size | kBinsInRow) - 5;
  return shift * kBinsInRow + static_cast<std::uint32_t>(size >> shift);
}

inline bool Tlsf::State::place_in(const Node& node, const OffsetRequest& request,
                                  std::uint64_t& offset) {
  // The bytes up to the next multiple; never overflows, unlike that multiple.
  const std::uint64_t front = (0 - node.offset) & (request.alignment - 1);
  offset = node.offset + front;
  return front <= node.size && node.size - front >= request.size;
}

}  // namespace quarry
