// SPDX-License-Identifier: MIT
// The bookkeeping of a Tlsf: one node a range, linked in address order; free ranges also in the
// list of their bin. A bin is a class of sizes: sizes below 32 have one each, above that each power
// of two is divided into 32. Allocating and freeing are defined in tlsf_hot_path.hpp.
#pragma once

#include <cstdint>

#include <quarry/tlsf.hpp>

#include "base/bits.hpp"
#include "offset/node_pool.hpp"

namespace quarry::offset {

class TlsfState {
  // The node that stands behind the last range and before the first: its offset is the size of the
  // space. As a link in a list it means that the list ends.
  static constexpr std::uint32_t kEnd = 0;

 public:
  explicit TlsfState(const HostMemory& host) noexcept : nodes_(host) {}
  TlsfState(const TlsfState&) = delete;
  TlsfState& operator=(const TlsfState&) = delete;
  ~TlsfState();

  static constexpr bool kHasUpper = false;

  /// Makes [0, size) one free range. False when there is no host memory; then only destruction is
  /// allowed. size > 0.
  bool start(std::uint64_t size);

  static constexpr std::uint32_t kNoBin = 0xFFFF'FFFFu;
  /// Where a request goes: a free node, its bin, and the offset in it. No node: nowhere.
  struct Place {
    std::uint32_t node = kEnd;
    std::uint32_t bin = kNoBin;
    std::uint64_t offset = 0;
    explicit operator bool() const { return node != kEnd; }
  };
  Place find(const OffsetRequest& request);

  /// Makes the nodes that one take() needs; false when there is no host memory.
  bool prepare_take() { return nodes_.reserve(2); }
  OffsetHandle take(const Place& place, const OffsetRequest& request, std::uint32_t serial);
  /// Frees and merges with both neighbours. Returns the bytes freed.
  std::uint64_t give_back(std::uint32_t node);
  /// Adds bytes at the end. False, with nothing changed, when there is no host memory.
  bool extend(std::uint64_t new_size);

  std::uint32_t find_live(OffsetHandle handle) const { return nodes_.find(handle); }
  OffsetRange range(std::uint32_t node) const;
  void set_user(std::uint32_t node, std::uint64_t user) { nodes_[node].user = user; }
  std::uint32_t largest_free_class() const {
    return static_cast<std::uint32_t>(std::bit_width(rows_occupied_));
  }
  void add_free_ranges(OffsetStatistics& statistics) const;
  void for_each_range(OffsetRangeVisitor visitor, void* context) const;
  std::uint64_t ranges_examined() const { return ranges_examined_; }
  bool validate(std::uint64_t size, std::uint64_t free_bytes, std::uint32_t allocations) const;

 private:
  // The mark of a node that is not free; indices are below it.
  static constexpr std::uint32_t kLive = kMaxNodes;

  // A live range ends where the next one begins, so only a free one has its size. 32 bytes, never
  // across two cache lines.
  struct alignas(32) Node {
    Node() noexcept : user(0) {}

    std::uint64_t offset = 0;
    union {
      std::uint64_t user;  // of a live range
      std::uint64_t size;  // of a free range
    };
    std::uint32_t previous = kEnd;  // neighbours in address order
    std::uint32_t next = kEnd;
    // Of a free range: neighbours in the list of its bin. Of a live range: kLive and the serial.
    std::uint32_t list_previous = kEnd;
    std::uint32_t list_next = kEnd;

    bool is_free() const { return (list_previous & kLive) == 0; }
    std::uint32_t serial() const { return is_free() ? 0 : list_next; }
    void live(std::uint32_t serial) {
      list_previous = kLive;
      list_next = serial;
    }
    void retire() { list_previous = kEnd; }
  };
  static_assert(sizeof(Node) == 32);
  // What one search found so far.
  struct Search {
    const OffsetRequest& request;
    Place best;
    std::uint64_t best_size = 0;
    bool tightest = false;  // look on for a smaller range until the budget is spent
  };

  static constexpr std::uint32_t kBinsInRow = 32;
  // Ranges of the bin of the size itself that are looked at before a larger one is taken.
  static constexpr std::uint32_t kExactProbes = 4;

  static std::uint32_t bin_of(std::uint64_t size);
  std::uint32_t bin_above(std::uint32_t bin) const;
  std::uint32_t bin_at_or_below(std::uint32_t bin) const;
  Place find_further(const OffsetRequest& request, std::uint32_t exact);
  void look(Search& search, std::uint32_t bin, std::uint32_t& budget);
  Place find_lowest(const OffsetRequest& request, std::uint32_t exact);
  static bool place_in(const Node& node, const OffsetRequest& request, std::uint64_t& offset);
  // These take a node beside its index, since both are at hand.
  void link_free(std::uint32_t index, Node& node, std::uint32_t bin);
  void unlink_free(const Node& node, std::uint32_t bin);
  void resize_free(std::uint32_t index, Node& node, std::uint32_t bin, std::uint64_t size);
  std::uint32_t insert(std::uint32_t previous, std::uint32_t next, std::uint64_t offset);
  void add_free(std::uint32_t previous, std::uint32_t next, std::uint64_t offset,
                std::uint64_t size);
  void remove(std::uint32_t index, const Node& node);
  bool make_rows(std::uint64_t size);
  template <class Visitor>
  void for_each_free_above(std::uint32_t bin, Visitor&& visitor) const;
  bool validate_bins(std::uint32_t free_ranges) const;

  NodePool<Node> nodes_;
  // A row is the bins of one class. Bit r of rows_occupied_: some bin of row r has ranges; bit b of
  // bins_occupied_[r]: bin b of it has; first_[32 r + b] is the first of them, or kEnd. Both
  // arrays are one piece of host memory.
  std::uint64_t rows_occupied_ = 0;
  std::uint32_t* bins_occupied_ = nullptr;
  std::uint32_t* first_ = nullptr;
  std::uint32_t row_count_ = 0;
  std::uint64_t ranges_examined_ = 0;
};

}  // namespace quarry::offset
