// SPDX-License-Identifier: MIT
// Allocating and freeing in the bookkeeping of a Tlsf, to be inlined into few callers. Every node
// that is touched costs a cache line, so that each is looked up once and its neighbours only where
// they change.
#pragma once

#include <cstdint>

#include "base/bits.hpp"
#include "offset/tlsf_state.hpp"

namespace quarry::offset {

// Monotonic in size; sizes up to 63 have a bin each.
inline std::uint32_t TlsfState::bin_of(std::uint64_t size) {
  static_assert(kBinsInRow == 32);
  const std::uint32_t shift = base::floor_log2(size | kBinsInRow) - 5;
  return shift * kBinsInRow + static_cast<std::uint32_t>(size >> shift);
}

// `front` are the bytes before the first aligned offset.
inline bool TlsfState::fits(const Node& node, const OffsetRequest& request, std::uint64_t& front) {
  if (node.size < request.size) return false;
  // The bytes up to the next multiple; never overflows, unlike that multiple.
  front = (0 - node.offset) & (request.alignment - 1);
  return front <= node.size - request.size;
}

// The lowest bin above `bin` that has ranges, else kNoBin. Precondition: bin < 32 row_count_.
inline std::uint32_t TlsfState::bin_above(std::uint32_t bin) const {
  std::uint32_t row = bin / kBinsInRow;
  std::uint32_t occupied = bins_occupied_[row] & (~1u << (bin % kBinsInRow));
  if (occupied == 0) {
    const std::uint64_t above = rows_occupied_ & (~std::uint64_t{1} << row);
    if (above == 0) return kNoBin;
    row = base::lowest_bit(above);
    occupied = bins_occupied_[row];
  }
  return row * kBinsInRow + base::lowest_bit(occupied);
}

inline void TlsfState::link_free(std::uint32_t index, Node& node, std::uint32_t bin) {
  const std::uint32_t next = first_[bin];
  first_[bin] = index;
  node.list_previous = kEnd;
  node.list_next = next;
  if (next != kEnd) {
    nodes_[next].list_previous = index;
    return;
  }
  bins_occupied_[bin / kBinsInRow] |= 1u << (bin % kBinsInRow);
  rows_occupied_ |= std::uint64_t{1} << (bin / kBinsInRow);
}

inline void TlsfState::unlink_free(const Node& node, std::uint32_t bin) {
  const std::uint32_t previous = node.list_previous;
  const std::uint32_t next = node.list_next;
  if (next != kEnd) nodes_[next].list_previous = previous;
  if (previous != kEnd) {
    nodes_[previous].list_next = next;
    return;
  }
  first_[bin] = next;
  if (next != kEnd) return;
  const std::uint32_t row = bin / kBinsInRow;
  bins_occupied_[row] &= ~(1u << (bin % kBinsInRow));
  if (bins_occupied_[row] == 0) rows_occupied_ &= ~(std::uint64_t{1} << row);
}

// A range whose bin stays the same keeps its place in the list. `bin` is that of the old size.
inline void TlsfState::resize_free(std::uint32_t index, Node& node, std::uint32_t bin,
                                   std::uint64_t size) {
  const std::uint32_t new_bin = bin_of(size);
  if (new_bin != bin) {
    unlink_free(node, bin);
    link_free(index, node, new_bin);
  }
  node.size = size;
}

// A new node between two others, which stand beside their indices. Precondition: one is reserved.
inline std::uint32_t TlsfState::insert(std::uint32_t previous, Node& before, std::uint32_t next,
                                       Node& after, std::uint64_t offset) {
  const std::uint32_t index = nodes_.acquire();
  Node& node = nodes_[index];
  node.offset = offset;
  node.previous = previous;
  node.next = next;
  before.next = index;
  after.previous = index;
  return index;
}

inline void TlsfState::add_free(std::uint32_t previous, std::uint32_t next, std::uint64_t offset,
                                std::uint64_t size) {
  const std::uint32_t index = insert(previous, nodes_[previous], next, nodes_[next], offset);
  Node& node = nodes_[index];
  node.size = size;
  link_free(index, node, bin_of(size));
}

inline void TlsfState::remove(std::uint32_t index, const Node& node) {
  nodes_[node.previous].next = node.next;
  nodes_[node.next].previous = node.previous;
  nodes_.release(index);
}

[[gnu::always_inline]] inline TlsfState::Place TlsfState::find(const OffsetRequest& request,
                                                               std::uint64_t) {
  if (request.strategy != OffsetStrategy::balanced) return {};
  std::uint64_t front = 0;
  const std::uint32_t exact = bin_of(request.size);
  std::uint32_t index = first_[exact];
  for (std::uint32_t probes = kExactProbes; index != kEnd && probes > 0; --probes) {
    ++ranges_examined_;
    Node& node = nodes_[index];
    if (fits(node, request, front)) return {&node, front, index, exact};
    index = node.list_next;
  }
  if (const std::uint32_t bin = bin_above(exact); bin != kNoBin) {
    ++ranges_examined_;
    index = first_[bin];
    Node& node = nodes_[index];
    if (fits(node, request, front)) return {&node, front, index, bin};
  }
  return {};
}

// What remains of a free range keeps its node.
[[gnu::always_inline]] inline OffsetAllocation TlsfState::take(const Place& place,
                                                               const OffsetRequest& request,
                                                               std::uint32_t serial) {
  std::uint32_t index = place.index;
  Node* node = place.node;
  const std::uint64_t begin = node->offset + place.front;
  const std::uint64_t tail = node->size - place.front - request.size;
  if ((place.front | tail) == 0) {
    unlink_free(*node, place.bin);
  } else if (place.front == 0) {
    Node& rest = *node;
    rest.offset = begin + request.size;
    resize_free(index, rest, place.bin, tail);
    index = insert(rest.previous, nodes_[rest.previous], index, rest, begin);
    node = &nodes_[index];
  } else {
    Node& rest = *node;
    const std::uint32_t next = rest.next;
    resize_free(index, rest, place.bin, place.front);
    index = insert(index, rest, next, nodes_[next], begin);
    node = &nodes_[index];
    if (tail != 0) add_free(index, next, begin + request.size, tail);
  }
  node->user = request.user;
  node->live(serial);
  return {begin, nodes_.make_handle(index, serial)};
}

[[gnu::always_inline]] inline std::uint64_t TlsfState::give_back(std::uint32_t index) {
  Node& node = nodes_[index];
  const std::uint32_t previous = node.previous;
  const std::uint32_t next = node.next;
  Node& before = nodes_[previous];
  Node& after = nodes_[next];
  const std::uint64_t bytes = after.offset - node.offset;
  if (before.is_free()) {
    std::uint64_t size = before.size + bytes;
    if (after.is_free()) {
      size += after.size;
      unlink_free(after, bin_of(after.size));
      remove(next, after);
    }
    remove(index, node);
    resize_free(previous, before, bin_of(before.size), size);
  } else if (after.is_free()) {
    after.offset = node.offset;
    remove(index, node);
    resize_free(next, after, bin_of(after.size), after.size + bytes);
  } else {
    node.size = bytes;
    link_free(index, node, bin_of(bytes));
  }
  return bytes;
}

}  // namespace quarry::offset
