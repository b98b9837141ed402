// SPDX-License-Identifier: MIT
#include "heap/arena.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/assert.hpp"

namespace quarry::heap {

namespace {

/// Blocks that may serve but need not are asked at most this often, and so many of one class, before
/// the search asks for one that must serve.
constexpr int kHopefulTries = 24;
constexpr int kTriesInClass = 8;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace

OffsetError Arena::place(const OffsetRequest& request, Placed& placed) {
  const base::MutexLock lock(mutex_);
  return place_locked(request, placed);
}

OffsetError Arena::try_block(Block& block, const OffsetRequest& request, Placed& placed) {
  const bool was_empty = block.space->empty();
  auto result = block.space->allocate(request);
  if (!result) return result.error();
  if (was_empty) empty_bytes_.fetch_sub(block.memory.size(), std::memory_order_relaxed);
  publish(block);
  placed = {&block, *result, false};
  return OffsetError::none;
}

OffsetError Arena::place_locked(const OffsetRequest& request, Placed& placed) {
  // A block whose largest free range is of the request's own class may or may not serve; one of the
  // class above that of size + alignment surely does.
  const std::uint32_t sure =
      Tlsf::class_of(saturating_add(request.size, request.alignment - 1)) + 1;
  int tries = 0;
  std::uint32_t free_class = index_.next_class(Tlsf::class_of(request.size));
  while (free_class != BlockIndex::kNone) {
    int tries_in_class = 0;
    for (Block* block = index_.first(free_class); block != nullptr && tries_in_class < kTriesInClass;
         block = block->index_next) {
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

bool Arena::could_place(const OffsetRequest& request) {
  const base::MutexLock lock(mutex_);
  Placed placed;
  if (place_locked(request, placed) != OffsetError::none) return false;
  (void)placed.block->space->free(placed.where.handle);
  if (placed.block->space->empty())
    empty_bytes_.fetch_add(placed.block->memory.size(), std::memory_order_relaxed);
  publish(*placed.block);
  return true;
}

OffsetError Arena::remove(Block& block, OffsetHandle range, std::uint64_t now, bool& emptied) {
  const base::MutexLock lock(mutex_);
  const OffsetError error = block.space->free(range);
  if (error != OffsetError::none) return error;
  emptied = block.space->empty();
  if (emptied) {
    block.empty_since = now;
    empty_bytes_.fetch_add(block.memory.size(), std::memory_order_relaxed);
  }
  publish(block);
  return OffsetError::none;
}

OffsetError Arena::adopt(Block& block, const OffsetRequest* request, std::uint64_t now,
                         OffsetAllocation& where) {
  const base::MutexLock lock(mutex_);
  while (lowest_free_rank_ < blocks_.size() && blocks_[lowest_free_rank_] != nullptr)
    ++lowest_free_rank_;
  const std::uint32_t rank = lowest_free_rank_;
  if (rank == blocks_.size() && !blocks_.push_back(nullptr)) return OffsetError::out_of_host_memory;
  if (request != nullptr) {
    auto result = block.space->allocate(*request);
    if (!result) return result.error();
    where = *result;
  } else {
    block.empty_since = now;
    empty_bytes_.fetch_add(block.memory.size(), std::memory_order_relaxed);
  }
  blocks_[rank] = &block;
  block.arena = this;
  block.rank = rank;
  live_blocks_.fetch_add(1, std::memory_order_relaxed);
  block_bytes_.fetch_add(block.memory.size(), std::memory_order_relaxed);
  publish(block);
  return OffsetError::none;
}

Block* Arena::longest_empty() const {
  Block* oldest = nullptr;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    Block* block = blocks_[i];
    if (block == nullptr || !block->space->empty()) continue;
    if (oldest == nullptr || block->empty_since < oldest->empty_since) oldest = block;
  }
  return oldest;
}

Block* Arena::take_empty(std::uint64_t until, std::uint32_t keep) {
  if (empty_bytes() == 0) return nullptr;
  const base::MutexLock lock(mutex_);
  if (block_count() <= keep) return nullptr;
  Block* oldest = longest_empty();
  if (oldest == nullptr || oldest->empty_since > until) return nullptr;
  empty_bytes_.fetch_sub(oldest->memory.size(), std::memory_order_relaxed);
  take_out(*oldest);
  return oldest;
}

std::uint64_t Arena::oldest_empty(std::uint32_t keep) const {
  if (empty_bytes() == 0) return kNeverEmpty;
  const base::MutexLock lock(mutex_);
  if (block_count() <= keep) return kNeverEmpty;
  const Block* oldest = longest_empty();
  return oldest == nullptr ? kNeverEmpty : oldest->empty_since;
}

VkDeviceSize Arena::releasable_bytes(std::uint32_t keep) const {
  if (keep == 0 || empty_bytes() == 0) return empty_bytes();
  const base::MutexLock lock(mutex_);
  VkDeviceSize bytes = 0;
  std::uint32_t left = block_count() > keep ? block_count() - keep : 0;
  for (std::uint32_t i = 0; i < blocks_.size() && left > 0; ++i) {
    const Block* block = blocks_[i];
    if (block == nullptr || !block->space->empty()) continue;
    bytes += block->memory.size();
    --left;
  }
  return bytes;
}

Block* Arena::take_any() {
  const base::MutexLock lock(mutex_);
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    Block* block = blocks_[i];
    if (block == nullptr) continue;
    if (block->space->empty())
      empty_bytes_.fetch_sub(block->memory.size(), std::memory_order_relaxed);
    take_out(*block);
    return block;
  }
  return nullptr;
}

void Arena::publish(Block& block) {
  const std::uint32_t now = block.space->largest_free_class();
  if (now == block.free_class) [[likely]]
    return;
  index_.publish(block, now);
}

void Arena::take_out(Block& block) {
  index_.publish(block, 0);
  blocks_[block.rank] = nullptr;
  if (block.rank < lowest_free_rank_) lowest_free_rank_ = block.rank;
  live_blocks_.fetch_sub(1, std::memory_order_relaxed);
  block_bytes_.fetch_sub(block.memory.size(), std::memory_order_relaxed);
  block.arena = nullptr;
}

}  // namespace quarry::heap
