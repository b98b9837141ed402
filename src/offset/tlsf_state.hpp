// SPDX-License-Identifier: MIT
// The bookkeeping of a Tlsf: one node a range, linked in address order; free ranges also in the
// list of their bin. A bin is a class of sizes: sizes below 32 have one each, above that each power
// of two is divided into 32. Allocating and freeing are defined in tlsf_hot_path.hpp.
#pragma once

#include <cstdint>

#include <quarry/tlsf.hpp>

#include "base/bits.hpp"
#include "offset/node_pool.hpp"
#include "offset/one_range.hpp"

namespace quarry::offset {

class alignas(64) TlsfState {
  // The node that stands behind the last range and before the first: its offset is the size of the
  // space. As a link in a list it means that the list ends.
  static constexpr std::uint32_t kEnd = 0;
  // Marks of a node that is not free; indices are below them.
  static constexpr std::uint32_t kLive = kMaxNodes;
  static constexpr std::uint32_t kFence = kMaxNodes + 1;  // the node kEnd

  // A live range ends where the next one begins, so only a free one has its size. 32 bytes, never
  // across two cache lines.
  struct alignas(32) Node {
    Node() noexcept : user(0) {}

    std::uint64_t offset = 0;
    union {
      std::uint64_t user;  // of a live range
      std::uint64_t size;  // of a free range
    };
    // `previous` and `next` are neighbours in address order. The others are, of a free range,
    // neighbours in the list of its bin; of a live range, kLive and the serial. Those that are
    // written together do not stand together, or g++ packs them in a vector register first.
    std::uint32_t previous = kEnd;
    std::uint32_t list_previous = kEnd;
    std::uint32_t next = kEnd;
    std::uint32_t list_next = kEnd;

    bool is_free() const { return list_previous < kMaxNodes; }
    bool lives_as(std::uint32_t serial) const {
      return list_previous == kLive && list_next == serial;
    }
    std::uint32_t serial() const { return list_next; }
    void live(std::uint32_t serial) {
      list_previous = kLive;
      list_next = serial;
    }
    void retire() { list_previous = kEnd; }
  };
  static_assert(sizeof(Node) == 32);

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
  /// Where a request goes: a free node, its bin, and the bytes that stay free before it. No node:
  /// nowhere.
  struct Place {
    Node* node = nullptr;
    std::uint64_t front = 0;
    std::uint32_t index = kEnd;
    std::uint32_t bin = kNoBin;
    explicit operator bool() const { return node != nullptr; }
  };
  /// Looks where a balanced request mostly finds a place: in the bin of its size, and at one range
  /// of the next bin.
  Place find(const OffsetRequest& request, std::uint64_t space);
  /// Looks wherever else the request may go.
  Place find_further(const OffsetRequest& request);

  /// The free range that these bytes lie in, if there is one. Walks the ranges from the live one
  /// `before` where it lies before the offset, else all of them.
  Place find_at(std::uint64_t offset, std::uint64_t size, OffsetHandle before);

  /// Makes the nodes that one take() needs; false when there is no host memory.
  bool prepare_take(const Place&, const OffsetRequest&) { return nodes_.reserve(2); }
  static std::uint64_t bytes_for(const OffsetRequest& request) { return request.size; }
  OffsetAllocation take(const Place& place, const OffsetRequest& request, std::uint32_t serial);
  /// Frees and merges with both neighbours. Returns the bytes freed.
  std::uint64_t give_back(std::uint32_t node);
  /// Adds bytes at the end. Nothing has changed when there is no host memory.
  OffsetError extend(std::uint64_t old_size, std::uint64_t new_size);

  std::uint32_t find_live(OffsetHandle handle) const { return nodes_.find(handle); }
  OffsetRange range(std::uint32_t node) const;
  void set_user(std::uint32_t node, std::uint64_t user) { nodes_[node].user = user; }
  std::uint32_t largest_free_class() const {
    if (rows_occupied_ == 0) return 0;
    const std::uint32_t row = base::floor_log2(rows_occupied_);
    return row * kBinsInRow + base::floor_log2(bins_occupied_[row]) + 1;
  }
  void add_free_ranges(OffsetStatistics& statistics, std::uint64_t size) const;
  void for_each_range(std::uint64_t size, OffsetRangeVisitor visitor, void* context) const;
  /// What for_each_range reports before there is any state.
  static void for_each_unused_range(std::uint64_t size, OffsetRangeVisitor visitor, void* context) {
    report_one_free_range(size, visitor, context);
  }
  std::uint64_t ranges_examined() const { return ranges_examined_; }
  bool validate(std::uint64_t size, std::uint64_t free_bytes, std::uint32_t allocations) const;

 private:
  static constexpr std::uint32_t kBinsInRow = 32;
  // Ranges of the bin of the size itself that are looked at before a larger one is taken.
  static constexpr std::uint32_t kExactProbes = 4;

  static std::uint32_t bin_of(std::uint64_t size);
  std::uint32_t bin_above(std::uint32_t bin) const;
  std::uint32_t bin_at_or_below(std::uint32_t bin) const;
  template <bool tightest>
  Place search(const OffsetRequest& request);
  template <bool tightest>
  bool look(const OffsetRequest& request, std::uint32_t bin, std::uint32_t& budget, Place& place);
  Place find_lowest(const OffsetRequest& request);
  static bool fits(const Node& node, const OffsetRequest& request, std::uint64_t& front);
  // These take a node beside its index, since both are at hand.
  void link_free(std::uint32_t index, Node& node, std::uint32_t bin);
  void unlink_free(const Node& node, std::uint32_t bin);
  void resize_free(std::uint32_t index, Node& node, std::uint32_t bin, std::uint64_t size);
  std::uint32_t insert(std::uint32_t previous, Node& before, std::uint32_t next, Node& after,
                       std::uint64_t offset);
  void add_free(std::uint32_t previous, std::uint32_t next, std::uint64_t offset,
                std::uint64_t size);
  void remove(std::uint32_t index, const Node& node);
  bool make_rows(std::uint64_t size);
  template <class Visitor>
  void for_each_free_above(std::uint32_t bin, Visitor&& visitor) const;
  bool validate_bins(std::uint32_t free_ranges) const;

  // A row is the bins of one class. Bit r of rows_occupied_: some bin of row r has ranges; bit b of
  // bins_occupied_[r]: bin b of it has; first_[32 r + b] is the first of them, or kEnd. Both
  // arrays are one piece of host memory.
  std::uint64_t rows_occupied_ = 0;
  std::uint32_t* bins_occupied_ = nullptr;
  std::uint32_t* first_ = nullptr;
  std::uint64_t ranges_examined_ = 0;
  // What every operation needs of it comes first, so that all of that is one cache line.
  NodePool<Node> nodes_;
  std::uint32_t row_count_ = 0;
};

}  // namespace quarry::offset
