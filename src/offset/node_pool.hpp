// SPDX-License-Identifier: MIT
// NodePool: the bookkeeping records of an offset algorithm, linked by 32-bit indices. They lie in
// chunks of equal size that never move; growing copies the table of chunks at most, 8 bytes for 64
// nodes. Handles are a node's index and the serial number of the allocation that lives in it.
#pragma once

#include <cstdint>
#include <new>

#include <quarry/offset.hpp>

#include "base/assert.hpp"
#include "base/host_array.hpp"

namespace quarry::offset {

inline constexpr std::uint32_t kNoNode = 0xFFFF'FFFFu;
/// Indices of nodes are below this, so that the highest bit is free for marks.
inline constexpr std::uint32_t kMaxNodes = 0x8000'0000u;

/// A Node tells whether the allocation with a serial lives in it, `lives_as(serial)`, and which one
/// does, `serial()`; `retire()` makes it none. Its member `std::uint32_t next` is the pool's while
/// it is unused.
template <class Node>
class NodePool {
 public:
  explicit NodePool(const HostMemory& host) : chunks_(host) {}
  NodePool(const NodePool&) = delete;
  NodePool& operator=(const NodePool&) = delete;
  ~NodePool() {
    for (Node* chunk : chunks_) {
      base::release_storage(host(), chunk);
    }
  }

  Node& operator[](std::uint32_t index) { return table_[index / kChunk][index % kChunk]; }
  const Node& operator[](std::uint32_t index) const {
    return table_[index / kChunk][index % kChunk];
  }

  /// Sees to it that the next `count` calls of acquire() succeed; false when there is no host
  /// memory.
  [[nodiscard]] bool reserve(std::uint32_t count) {
    return unused_count_ >= count || add_unused(count);
  }

  /// A node with unspecified contents. Precondition: reserved.
  std::uint32_t acquire() {
    QUARRY_ASSERT(unused_count_ > 0);
    const std::uint32_t index = first_unused_;
    first_unused_ = (*this)[index].next;
    --unused_count_;
    return index;
  }

  void release(std::uint32_t index) {
    Node& node = (*this)[index];
    node.retire();
    node.next = first_unused_;
    first_unused_ = index;
    ++unused_count_;
  }

  /// The index behind a live handle, else kNoNode.
  std::uint32_t find(OffsetHandle handle) const {
    const auto index = static_cast<std::uint32_t>(handle.value);
    const auto serial = static_cast<std::uint32_t>(handle.value >> 32);
    return index < size_ && (*this)[index].lives_as(serial) ? index : kNoNode;
  }

  /// Of a node that has a serial.
  OffsetHandle handle_of(std::uint32_t index) const {
    return make_handle(index, (*this)[index].serial());
  }
  static OffsetHandle make_handle(std::uint32_t index, std::uint32_t serial) {
    return {(std::uint64_t{serial} << 32) | index};
  }

  const HostMemory& host() const { return chunks_.host(); }

  /// Nodes in use.
  std::uint32_t used_count() const { return size_ - unused_count_; }

 private:
  static_assert(std::is_trivially_destructible_v<Node>);
  static constexpr std::uint32_t kChunk = 64;

  // Apart from its callers, which it would burden with its registers.
  [[gnu::noinline]] bool add_unused(std::uint32_t count) {
    for (; unused_count_ < count; ++size_) {
      if (size_ == kMaxNodes || (size_ % kChunk == 0 && !add_chunk())) return false;
      ::new (static_cast<void*>(&(*this)[size_])) Node();
      release(size_);
    }
    return true;
  }

  bool add_chunk() {
    Node* chunk = base::allocate_storage<Node>(host(), kChunk);
    if (chunk == nullptr) return false;
    if (!chunks_.push_back(chunk)) {
      base::release_storage(host(), chunk);
      return false;
    }
    const auto count = static_cast<std::uint32_t>(chunks_.size());
    if (count <= kFewChunks) {
      few_[count - 1] = chunk;
      table_ = few_;
    } else {
      table_ = chunks_.data();
    }
    return true;
  }

  // The first chunks stand here too, so that a small pool is reached without another line.
  static constexpr std::uint32_t kFewChunks = 4;

  Node** table_ = nullptr;  // few_, or that of chunks_
  std::uint32_t first_unused_ = kNoNode;
  std::uint32_t size_ = 0;  // nodes made
  std::uint32_t unused_count_ = 0;
  Node* few_[kFewChunks] = {};
  base::HostArray<Node*> chunks_;
};

}  // namespace quarry::offset
