// SPDX-License-Identifier: MIT
#include "heap/arena.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "base/host_object.hpp"

namespace quarry::heap {

namespace {

/// A shard that was found busy so often shares its blocks.
constexpr std::uint32_t kBusyBeforeSplit = 64;

/// A number of this thread's own, so that threads start their search in different shards.
std::uint32_t thread_number() {
  static constinit std::atomic<std::uint32_t> last{0};
  static constinit thread_local std::uint32_t number = 0;
  if (number == 0) number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return number;
}

}  // namespace

Arena::~Arena() {
  for (const std::atomic<Shard*>& each : more_)
    base::destroy_object(host_, each.load(std::memory_order_relaxed));
}

OffsetError Arena::place(const OffsetRequest& request, Placed& placed) {
  if (most_shards_ > 1) return place_sharded(request, placed);
  const base::MutexLock lock(first_.mutex());
  return first_.place(request, placed);
}

OffsetError Arena::place_sharded(const OffsetRequest& request, Placed& placed) {
  const std::uint32_t count = shard_count();
  const std::uint32_t home = count == 1 ? 0 : thread_number() % count;
  std::uint32_t passed_by = 0;
  bool home_was_busy = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = home + i < count ? home + i : home + i - count;
    Shard& each = shard(number);
    if (!each.mutex().try_lock()) {
      passed_by |= 1u << number;
      home_was_busy = home_was_busy || number == home;
      continue;
    }
    const OffsetError error = each.place(request, placed);
    each.mutex().unlock();
    if (error != OffsetError::out_of_space) {
      if (home_was_busy) split(shard(home));
      return error;
    }
  }
  for (; passed_by != 0; passed_by &= passed_by - 1) {
    const std::uint32_t number = base::lowest_bit(passed_by);
    Shard& each = shard(number);
    OffsetError error;
    {
      const base::MutexLock lock(each.mutex());
      error = each.place(request, placed);
    }
    if (number == home) split(each);
    if (error != OffsetError::out_of_space) return error;
  }
  return OffsetError::out_of_space;
}

/// Notes that the shard was busy, and has it share its blocks when that came too often.
void Arena::split(Shard& busy) {
  if (busy.found_busy.fetch_add(1, std::memory_order_relaxed) + 1 < kBusyBeforeSplit ||
      busy.block_count() < 2 || shard_count() == most_shards_ || !split_.try_lock())
    return;
  const std::uint32_t count = shard_count();
  if (count < most_shards_) {
    // Without host memory all stays as it is.
    if (Shard* made = base::create_object<Shard>(host_)) {
      {
        const base::MutexLock lock(busy.mutex());
        const base::MutexLock other_lock(made->mutex());
        busy.share_with(*made);
      }
      more_[count - 1].store(made, std::memory_order_release);
      shard_count_.store(count + 1, std::memory_order_release);
    }
  }
  split_.unlock();
}

bool Arena::could_place(const OffsetRequest& request) {
  for (std::uint32_t i = 0; i < shard_count(); ++i) {
    Shard& each = shard(i);
    Placed placed;
    const base::MutexLock lock(each.mutex());
    if (each.place(request, placed) != OffsetError::none) continue;
    bool emptied = false;
    (void)each.remove(*placed.block, placed.where.handle, placed.block->empty_since, emptied);
    return true;
  }
  return false;
}

OffsetError Arena::remove(Block& block, OffsetHandle range, std::uint64_t now, bool& emptied) {
  return remove_at_once(block, range, now, emptied);
}

OffsetError Arena::place_at(Block& block, const OffsetRequest& request, VkDeviceSize offset,
                            OffsetHandle before, Placed& placed) {
  for (;;) {
    Shard* home = block.shard.load(std::memory_order_acquire);
    const base::MutexLock lock(home->mutex());
    if (block.shard.load(std::memory_order_relaxed) != home) continue;
    return home->place_at(block, request, offset, before, placed);
  }
}

void Arena::set_user(Block& block, OffsetHandle range, std::uint64_t user) {
  for (;;) {
    Shard* home = block.shard.load(std::memory_order_acquire);
    const base::MutexLock lock(home->mutex());
    if (block.shard.load(std::memory_order_relaxed) != home) continue;
    const OffsetError error = block.space->set_user(range, user);
    QUARRY_CHECK(error == OffsetError::none);
    return;
  }
}

void Arena::hold(Block& block, bool held, bool closed) {
  for (;;) {
    Shard* home = block.shard.load(std::memory_order_acquire);
    const base::MutexLock lock(home->mutex());
    if (block.shard.load(std::memory_order_relaxed) != home) continue;
    home->hold(block, held, closed);
    return;
  }
}

OffsetError Arena::adopt(Block& block, const OffsetRequest* request, std::uint64_t now,
                         OffsetAllocation& where) {
  if (request != nullptr) {
    auto result = block.space->allocate(*request);
    if (!result) return result.error();
    where = *result;
  }
  Shard* home = &first_;
  for (std::uint32_t i = 1; i < shard_count(); ++i) {
    if (shard(i).block_count() < home->block_count()) home = &shard(i);
  }
  block.arena = this;
  live_blocks_.fetch_add(1, std::memory_order_relaxed);
  block_bytes_.fetch_add(block.memory.size(), std::memory_order_relaxed);
  const base::MutexLock lock(home->mutex());
  home->insert(block, now);
  return OffsetError::none;
}

/// The shard whose block is empty longest, and since when; null when none is empty.
Shard* Arena::with_longest_empty(std::uint64_t& since) const {
  Shard* found = nullptr;
  since = kNeverEmpty;
  for (std::uint32_t i = 0; i < shard_count(); ++i) {
    Shard& each = shard(i);
    if (each.empty_bytes() == 0) continue;
    const base::MutexLock lock(each.mutex());
    const Block* oldest = each.longest_empty();
    if (oldest == nullptr || oldest->empty_since >= since) continue;
    found = &each;
    since = oldest->empty_since;
  }
  return found;
}

Block* Arena::take_empty(std::uint64_t until, std::uint32_t keep) {
  if (block_count() <= keep) return nullptr;
  std::uint64_t since = kNeverEmpty;
  Shard* found = with_longest_empty(since);
  if (found == nullptr) return nullptr;
  const base::MutexLock lock(found->mutex());
  Block* oldest = found->longest_empty();
  if (oldest == nullptr || oldest->empty_since > until) return nullptr;
  found->take_out(*oldest);
  left(*oldest);
  return oldest;
}

std::uint64_t Arena::oldest_empty(std::uint32_t keep) const {
  if (block_count() <= keep) return kNeverEmpty;
  std::uint64_t since = kNeverEmpty;
  (void)with_longest_empty(since);
  return since;
}

VkDeviceSize Arena::releasable_bytes(std::uint32_t keep) const {
  if (keep == 0 || empty_bytes() == 0) return empty_bytes();
  VkDeviceSize bytes = 0;
  std::uint32_t left = block_count() > keep ? block_count() - keep : 0;
  for_each_block([&](const Block& block) {
    if (left == 0 || !block.space->empty()) return;
    bytes += block.memory.size();
    --left;
  });
  return bytes;
}

Block* Arena::take_any() {
  for (std::uint32_t i = 0; i < shard_count(); ++i) {
    Shard& each = shard(i);
    const base::MutexLock lock(each.mutex());
    Block* block = each.any();
    if (block == nullptr) continue;
    each.take_out(*block);
    left(*block);
    return block;
  }
  return nullptr;
}

void Arena::left(const Block& block) {
  live_blocks_.fetch_sub(1, std::memory_order_relaxed);
  block_bytes_.fetch_sub(block.memory.size(), std::memory_order_relaxed);
}

VkDeviceSize Arena::empty_bytes() const {
  VkDeviceSize bytes = 0;
  for (std::uint32_t i = 0; i < shard_count(); ++i)
    bytes += shard(i).empty_bytes();
  return bytes;
}

}  // namespace quarry::heap
