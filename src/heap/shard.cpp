// SPDX-License-Identifier: MIT
#include "heap/shard.hpp"

#include <algorithm>
#include <limits>

namespace quarry::heap {

namespace {

/// Blocks that may serve but need not are asked at most this often, and so many of one class,
/// before the search asks for one that must serve.
constexpr int kHopefulTries = 6;
constexpr int kTriesInClass = 2;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace

OffsetError Shard::place_at(Block& block, const OffsetRequest& request, VkDeviceSize offset,
                            OffsetHandle before, PlacedRange& placed) {
  const bool was_empty = block.space->empty();
  return took(block, *block.space, was_empty, block.space->allocate_at(request, offset, before),
              placed);
}

void Shard::hold(Block& block, bool held, bool closed) {
  block.held = held;
  block.closed = closed;
  publish(block, *block.space);
}

OffsetError Shard::place(const OffsetRequest& request, PlacedRange& placed) {
  const OffsetError error = place_in_first(request, placed);
  return error == OffsetError::out_of_space ? place_further(request, placed) : error;
}

OffsetError Shard::place_further(const OffsetRequest& request, PlacedRange& placed) {
  // A block whose largest free range is of the request's own class may or may not serve; one of the
  // class above that of size + alignment surely does.
  const std::uint32_t sure =
      Tlsf::class_of(saturating_add(request.size, request.alignment - 1)) + 1;
  int tries = 0;
  std::uint32_t free_class = index_.next_class(Tlsf::class_of(request.size));
  while (free_class != BlockIndex::kNone) {
    int tries_in_class = 0;
    Block* block = index_.first(free_class);
    if (tries == 0) {  // place_in_first() was there
      block = block->index_next;
      ++tries_in_class;
    }
    for (; block != nullptr && tries_in_class < kTriesInClass; block = block->index_next) {
      const OffsetError error = try_block(*block, request, placed);
      if (error != OffsetError::out_of_space) return error;
      ++tries_in_class;
    }
    tries += tries_in_class;
    const std::uint32_t next = free_class + 1;
    free_class = index_.next_class(tries < kHopefulTries ? next : std::max(next, sure));
  }
  return OffsetError::out_of_space;
}

void Shard::note_empty(Block& block, std::uint64_t now) {
  block.empty_since = now;
  empty_bytes_.fetch_add(block.memory.size(), std::memory_order_relaxed);
}

void Shard::insert(Block& block, std::uint64_t empty_since) {
  block.shard.store(this, std::memory_order_release);
  block.previous = nullptr;
  block.next = first_;
  if (first_ != nullptr) first_->previous = &block;
  first_ = &block;
  block_count_.fetch_add(1, std::memory_order_relaxed);
  if (block.space->empty()) note_empty(block, empty_since);
  publish(block, *block.space);
}

void Shard::take_out(Block& block) {
  (block.previous == nullptr ? first_ : block.previous->next) = block.next;
  if (block.next != nullptr) block.next->previous = block.previous;
  block.previous = block.next = nullptr;
  block_count_.fetch_sub(1, std::memory_order_relaxed);
  if (block.space->empty()) empty_bytes_.fetch_sub(block.memory.size(), std::memory_order_relaxed);
  index_.publish(block, 0);
}

Block* Shard::longest_empty() const {
  if (empty_bytes() == 0) return nullptr;
  Block* oldest = nullptr;
  for (Block* block = first_; block != nullptr; block = block->next) {
    if (!block->held && block->space->empty() &&
        (oldest == nullptr || block->empty_since < oldest->empty_since))
      oldest = block;
  }
  return oldest;
}

void Shard::share_with(Shard& other) {
  bool stays = true;
  for (Block* block = first_; block != nullptr; stays = !stays) {
    Block& each = *block;
    block = block->next;
    if (stays) continue;
    const std::uint64_t empty_since = each.empty_since;
    take_out(each);
    other.insert(each, empty_since);
  }
  found_busy.store(0, std::memory_order_relaxed);
}

}  // namespace quarry::heap
