// SPDX-License-Identifier: MIT
// NodePool: the bookkeeping records of an offset algorithm, in chunks that never move, linked by
// 32-bit indices. Handles are a record's index and the serial number of the allocation that lives
// in it; serial 0 marks a record without one.
#pragma once

#include <cstdint>

#include <quarry/offset.hpp>

#include "base/assert.hpp"
#include "base/chunked_array.hpp"

namespace quarry::offset {

inline constexpr std::uint32_t kNoNode = 0xFFFF'FFFFu;

/// Node must have members `std::uint32_t serial = 0` and `std::uint32_t next`, which links unused
/// nodes.
template <class Node>
class NodePool {
 public:
  explicit NodePool(const HostMemory& host) : nodes_(host) {}

  Node& operator[](std::uint32_t index) { return nodes_[index]; }
  const Node& operator[](std::uint32_t index) const { return nodes_[index]; }

  /// Sees to it that the next `count` calls of acquire() succeed; false when there is no host
  /// memory.
  [[nodiscard]] bool reserve(std::uint32_t count) {
    return unused_count_ >= count || add_unused(count);
  }

  /// A node with serial 0 and otherwise unspecified contents. Precondition: reserved.
  std::uint32_t acquire() {
    QUARRY_ASSERT(unused_count_ > 0);
    const std::uint32_t index = first_unused_;
    first_unused_ = nodes_[index].next;
    --unused_count_;
    return index;
  }

  void release(std::uint32_t index) {
    Node& node = nodes_[index];
    node.serial = 0;
    node.next = first_unused_;
    first_unused_ = index;
    ++unused_count_;
  }

  /// The index behind a live handle, else kNoNode.
  std::uint32_t find(OffsetHandle handle) const {
    const auto index = static_cast<std::uint32_t>(handle.value);
    const auto serial = static_cast<std::uint32_t>(handle.value >> 32);
    if (index >= nodes_.size() || serial == 0 || nodes_[index].serial != serial) return kNoNode;
    return index;
  }

  /// Of a node that has a serial.
  OffsetHandle handle_of(std::uint32_t index) const {
    return make_handle(index, nodes_[index].serial);
  }
  static OffsetHandle make_handle(std::uint32_t index, std::uint32_t serial) {
    return {(std::uint64_t{serial} << 32) | index};
  }

  const HostMemory& host() const { return nodes_.host(); }

  /// Nodes in use.
  std::uint32_t used_count() const { return nodes_.size() - unused_count_; }

 private:
  bool add_unused(std::uint32_t count) {
    while (unused_count_ < count) {
      const std::uint32_t index = nodes_.size();
      if (nodes_.emplace_back() == nullptr) return false;
      release(index);
    }
    return true;
  }

  base::ChunkedArray<Node, 32> nodes_;
  std::uint32_t first_unused_ = kNoNode;
  std::uint32_t unused_count_ = 0;
};

/// The serial after `serial`, never 0.
constexpr std::uint32_t next_serial(std::uint32_t serial) {
  return serial == 0xFFFF'FFFFu ? 1 : serial + 1;
}

}  // namespace quarry::offset
