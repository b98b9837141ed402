// SPDX-License-Identifier: MIT
#include "offset/buddy_state.hpp"

#include <algorithm>
#include <utility>

#include "base/bits.hpp"

namespace quarry::offset {

namespace {

// Free ranges of each order that are looked at for one that happens to have an alignment above its
// size.
constexpr std::uint32_t kAlignedProbes = 4;

constexpr std::uint64_t bytes_of(std::uint32_t order) {
  return std::uint64_t{1} << order;
}

// The order of the largest piece that may follow at `end` in a space of `size` bytes. end < size.
std::uint32_t order_at(std::uint64_t end, std::uint64_t size) {
  const std::uint32_t fits = base::floor_log2(size - end);
  return end == 0 ? fits : std::min(fits, base::lowest_bit(end));
}

// Nodes that extend() needs: one a piece, one a join, as in a binary counter that is counted up.
std::uint32_t nodes_to_extend(std::uint64_t end, std::uint64_t size) {
  std::uint32_t nodes = 0;
  while (end < size) {
    std::uint32_t order = order_at(end, size);
    const std::uint64_t before = end;
    end += bytes_of(order);
    for (++nodes; (before >> order & 1) != 0; ++order) {
      ++nodes;
    }
  }
  return nodes;
}

}  // namespace

BuddyState::BuddyState(const HostMemory& host) noexcept : nodes_(host) {
  std::fill(std::begin(first_free_), std::end(first_free_), kNoNode);
  std::fill(std::begin(roots_), std::end(roots_), kNoNode);
}

OffsetError BuddyState::extend(std::uint64_t old_size, std::uint64_t new_size) {
  if (!nodes_.reserve(nodes_to_extend(old_size, new_size))) return OffsetError::out_of_host_memory;
  for (std::uint64_t end = old_size; end < new_size;) {
    const std::uint32_t order = order_at(end, new_size);
    add_root(add_free(end, order));
    end += bytes_of(order);
  }
  return OffsetError::none;
}

std::uint32_t BuddyState::add_free(std::uint64_t offset, std::uint32_t order) {
  const std::uint32_t index = nodes_.acquire();
  Node& node = nodes_[index];
  node.offset = offset;
  node.parent = kNoNode;
  node.buddy = kNoNode;
  node.order = static_cast<std::uint8_t>(order);
  link_free(index);
  return index;
}

// The tree of the same order that may be there ends where this one begins: the pair is joined, and
// so on.
void BuddyState::add_root(std::uint32_t index) {
  std::uint32_t order = nodes_[index].order;
  for (; roots_[order] != kNoNode; ++order) {
    index = join(std::exchange(roots_[order], kNoNode), index);
  }
  roots_[order] = index;
}

std::uint32_t BuddyState::join(std::uint32_t lower, std::uint32_t upper) {
  const std::uint32_t order = nodes_[lower].order + 1u;
  const std::uint64_t offset = nodes_[lower].offset;
  if (nodes_[lower].kind == Kind::free && nodes_[upper].kind == Kind::free) {
    for (const std::uint32_t half : {lower, upper}) {
      unlink_free(half);
      nodes_.release(half);
    }
    return add_free(offset, order);
  }
  const std::uint32_t index = nodes_.acquire();
  Node& node = nodes_[index];
  node.offset = offset;
  node.lower_half = lower;
  node.parent = kNoNode;
  node.buddy = kNoNode;
  node.order = static_cast<std::uint8_t>(order);
  node.kind = Kind::split;
  nodes_[lower].parent = index;
  nodes_[lower].buddy = upper;
  nodes_[upper].parent = index;
  nodes_[upper].buddy = lower;
  return index;
}

std::uint32_t BuddyState::order_for(std::uint64_t size) {
  return base::ceil_log2(size);
}

BuddyState::Place BuddyState::find(const OffsetRequest& request, std::uint64_t) const {
  std::uint32_t order = order_for(request.size);
  // Below the order of the alignment a range is aligned only by chance.
  const std::uint32_t aligned_order = base::floor_log2(request.alignment);
  for (; order < aligned_order; ++order) {
    if ((free_orders_ >> order & 1) == 0) continue;
    std::uint32_t index = first_free_[order];
    for (std::uint32_t i = 0; i < kAlignedProbes && index != kNoNode; ++i) {
      if (base::is_aligned(nodes_[index].offset, request.alignment)) return {index};
      index = nodes_[index].list.next;
    }
  }
  if (order >= kOrders) return {};
  const std::uint64_t large_enough = free_orders_ & (~std::uint64_t{0} << order);
  return large_enough == 0 ? Place{} : Place{first_free_[base::lowest_bit(large_enough)]};
}

std::uint64_t BuddyState::largest_free() const {
  return free_orders_ == 0 ? 0 : bytes_of(base::floor_log2(free_orders_));
}

bool BuddyState::prepare_take(const Place& place, const OffsetRequest& request) {
  return nodes_.reserve(2 * (nodes_[place.node].order - order_for(request.size)));
}

std::uint64_t BuddyState::bytes_for(const OffsetRequest& request) {
  return bytes_of(order_for(request.size));
}

OffsetAllocation BuddyState::take(const Place& place, const OffsetRequest& request,
                                  std::uint32_t serial) {
  std::uint32_t index = place.node;
  unlink_free(index);
  const std::uint32_t order = order_for(request.size);
  while (nodes_[index].order > order) {
    index = split(index);
  }
  Node& node = nodes_[index];
  node.kind = Kind::live;
  node.user = request.user;
  node.serial_number = serial;
  return {node.offset, nodes_.handle_of(index)};
}

// Precondition: in no list. Returns the lower half, in no list either; the upper half is free.
std::uint32_t BuddyState::split(std::uint32_t index) {
  Node& node = nodes_[index];
  const std::uint32_t order = node.order - 1u;
  const std::uint32_t upper = add_free(node.offset + bytes_of(order), order);
  const std::uint32_t lower = nodes_.acquire();
  Node& half = nodes_[lower];
  half.offset = node.offset;
  half.order = static_cast<std::uint8_t>(order);
  node.kind = Kind::split;
  node.lower_half = lower;
  half.parent = index;
  half.buddy = upper;
  nodes_[upper].parent = index;
  nodes_[upper].buddy = lower;
  return lower;
}

std::uint64_t BuddyState::give_back(std::uint32_t index) {
  const std::uint64_t bytes = bytes_of(nodes_[index].order);
  nodes_[index].retire();
  for (;;) {
    const std::uint32_t buddy = nodes_[index].buddy;
    if (buddy == kNoNode || nodes_[buddy].kind != Kind::free) break;
    const std::uint32_t parent = nodes_[index].parent;
    unlink_free(buddy);
    nodes_.release(buddy);
    nodes_.release(index);
    index = parent;
  }
  link_free(index);
  return bytes;
}

void BuddyState::link_free(std::uint32_t index) {
  Node& node = nodes_[index];
  std::uint32_t& first = first_free_[node.order];
  node.kind = Kind::free;
  node.list = {kNoNode, first};
  if (first != kNoNode) nodes_[first].list.previous = index;
  first = index;
  free_orders_ |= bytes_of(node.order);
}

void BuddyState::unlink_free(std::uint32_t index) {
  const Node& node = nodes_[index];
  const Links links = node.list;
  if (links.next != kNoNode) nodes_[links.next].list.previous = links.previous;
  if (links.previous != kNoNode) {
    nodes_[links.previous].list.next = links.next;
    return;
  }
  first_free_[node.order] = links.next;
  if (links.next == kNoNode) free_orders_ &= ~bytes_of(node.order);
}

OffsetRange BuddyState::range(std::uint32_t index) const {
  const Node& node = nodes_[index];
  if (node.kind != Kind::live) return {node.offset, bytes_of(node.order), {}, 0};
  return {node.offset, bytes_of(node.order), nodes_.handle_of(index), node.user};
}

void BuddyState::add_free_ranges(OffsetStatistics& statistics, std::uint64_t) const {
  for (std::uint32_t order = 0; order < kOrders; ++order) {
    for (std::uint32_t index = first_free_[order]; index != kNoNode;
         index = nodes_[index].list.next) {
      ++statistics.free_range_count;
      statistics.largest_free = bytes_of(order);
    }
  }
}

std::uint32_t BuddyState::first_leaf(std::uint32_t index) const {
  while (nodes_[index].kind == Kind::split) {
    index = nodes_[index].lower_half;
  }
  return index;
}

// The leaf after `index` in the same tree, kNoNode after the last.
std::uint32_t BuddyState::next_leaf(std::uint32_t index) const {
  for (std::uint32_t parent = nodes_[index].parent; parent != kNoNode;
       index = parent, parent = nodes_[index].parent) {
    if (nodes_[parent].lower_half == index) return first_leaf(nodes_[index].buddy);
  }
  return kNoNode;
}

void BuddyState::for_each_range(std::uint64_t, OffsetRangeVisitor visitor, void* context) const {
  for (std::uint32_t order = kOrders; order-- > 0;) {
    if (roots_[order] == kNoNode) continue;
    for (std::uint32_t leaf = first_leaf(roots_[order]); leaf != kNoNode; leaf = next_leaf(leaf)) {
      visitor(context, range(leaf));
    }
  }
}

void BuddyState::for_each_unused_range(std::uint64_t size, OffsetRangeVisitor visitor,
                                       void* context) {
  for (std::uint64_t end = 0; end < size;) {
    const std::uint64_t bytes = bytes_of(order_at(end, size));
    visitor(context, {end, bytes, {}, 0});
    end += bytes;
  }
}

bool BuddyState::validate(std::uint64_t size, std::uint64_t free_bytes,
                          std::uint32_t allocations) const {
  std::uint64_t end = 0;
  std::uint64_t free_seen = 0;
  std::uint32_t free_leaves = 0;
  std::uint32_t live_leaves = 0;
  for (std::uint32_t order = kOrders; order-- > 0;) {
    if (((size >> order & 1) != 0) != (roots_[order] != kNoNode)) return false;
    if (roots_[order] == kNoNode) continue;
    const Node& root = nodes_[roots_[order]];
    if (root.order != order || root.parent != kNoNode || root.buddy != kNoNode) return false;
    for (std::uint32_t leaf = first_leaf(roots_[order]); leaf != kNoNode; leaf = next_leaf(leaf)) {
      if (!validate_leaf(leaf, end)) return false;
      const std::uint64_t bytes = bytes_of(nodes_[leaf].order);
      const bool is_free = nodes_[leaf].kind == Kind::free;
      free_seen += is_free ? bytes : 0;
      ++(is_free ? free_leaves : live_leaves);
      end += bytes;
    }
  }
  // A tree of n leaves has n - 1 nodes that are split.
  const auto roots = static_cast<std::uint32_t>(std::popcount(size));
  return end == size && free_seen == free_bytes && live_leaves == allocations &&
         nodes_.used_count() == 2 * (free_leaves + live_leaves) - roots &&
         validate_lists(free_leaves);
}

bool BuddyState::validate_leaf(std::uint32_t index, std::uint64_t offset) const {
  const Node& node = nodes_[index];
  if (node.offset != offset || !base::is_aligned(offset, bytes_of(node.order))) return false;
  if ((node.kind == Kind::live) != (node.serial() != 0)) return false;
  if (node.parent == kNoNode) return node.buddy == kNoNode;
  const Node& parent = nodes_[node.parent];
  const Node& buddy = nodes_[node.buddy];
  if (parent.kind != Kind::split || parent.order != node.order + 1 || buddy.buddy != index ||
      buddy.parent != node.parent) {
    return false;
  }
  return node.kind != Kind::free || buddy.kind != Kind::free;
}

bool BuddyState::validate_lists(std::uint32_t free_leaves) const {
  std::uint32_t linked = 0;
  for (std::uint32_t order = 0; order < kOrders; ++order) {
    if (((free_orders_ >> order & 1) != 0) != (first_free_[order] != kNoNode)) return false;
    std::uint32_t previous = kNoNode;
    for (std::uint32_t index = first_free_[order]; index != kNoNode;
         index = nodes_[index].list.next) {
      const Node& node = nodes_[index];
      if (node.kind != Kind::free || node.order != order || node.list.previous != previous ||
          ++linked > free_leaves) {
        return false;
      }
      previous = index;
    }
  }
  return linked == free_leaves;
}

}  // namespace quarry::offset
