// SPDX-License-Identifier: MIT
// The blocks that serve one kind of request: same memory type, tiling class, lifetime and priority
// class; or one custom pool. Finds a block through an index of what is free, never by walking the
// blocks. Makes and frees no device memory itself.
#pragma once

#include <atomic>
#include <cstdint>

#include <quarry/allocation.hpp>
#include <quarry/pool.hpp>

#include "base/host_array.hpp"
#include "base/mutex.hpp"
#include "heap/block.hpp"
#include "heap/block_index.hpp"

namespace quarry::heap {

class PoolState;
struct SlabSet;

/// What all blocks of an arena have in common; constant.
struct ArenaTraits {
  std::uint32_t memory_type = 0;
  std::uint32_t heap = 0;
  bool optimal = false;  ///< optimal images only
  bool large = false;    ///< requests from BlockPolicy::large_request up
  Lifetime lifetime = Lifetime::unspecified;
  std::uint32_t priority_class = 0;
  PoolAlgorithm algorithm = PoolAlgorithm::tlsf;
  PoolState* pool = nullptr;  ///< null for the default pools
};

/// Thread-safe. Its lock is held for one search and one placement; no driver call and no other lock
/// happens inside.
class Arena {
 public:
  static constexpr std::uint64_t kNeverEmpty = ~std::uint64_t{0};

  struct Placed {
    Block* block = nullptr;
    OffsetAllocation where;
    bool in_new_block = false;
  };

  Arena(const ArenaTraits& traits, HostMemory host, Arena* older)
      : traits_(traits), older_(older), blocks_(host) {}

  const ArenaTraits& traits() const { return traits_; }
  /// What small requests are served from; null as long as none was, and in custom pools.
  SlabSet* slabs() const { return slabs_.load(std::memory_order_acquire); }
  void set_slabs(SlabSet* slabs) { slabs_.store(slabs, std::memory_order_release); }
  /// The next in the list of all arenas of a table.
  Arena* older() const { return older_; }

  /// Places the request in a block that has room, the one with the smallest largest free range that
  /// will do. OffsetError::out_of_space when none has.
  OffsetError place(const OffsetRequest& request, Placed& placed);
  /// Whether place() would succeed now.
  bool could_place(const OffsetRequest& request);
  /// Frees a suballocation. Tells whether the block is empty now, which it is since `now`.
  OffsetError remove(Block& block, OffsetHandle range, std::uint64_t now, bool& emptied);

  /// Takes over a block with its memory and space, and places the request in it first when there is
  /// one. On an error (host memory) the block stays the caller's.
  OffsetError adopt(Block& block, const OffsetRequest* request, std::uint64_t now,
                    OffsetAllocation& where);
  /// Takes out the block that has been empty longest, if it is empty since `until` or longer and
  /// more than `keep` blocks stay. Null when there is none. The caller destroys it.
  Block* take_empty(std::uint64_t until, std::uint32_t keep);
  /// When the block that take_empty(.., keep) would take became empty; kNeverEmpty when there is
  /// none.
  std::uint64_t oldest_empty(std::uint32_t keep) const;
  /// Bytes that take_empty(.., keep) would give in all. O(1) without `keep`, else linear in the
  /// blocks.
  VkDeviceSize releasable_bytes(std::uint32_t keep) const;
  /// Takes out any block, live suballocations or not; null when none is left. For destruction.
  Block* take_any();

  std::uint32_t block_count() const { return live_blocks_.load(std::memory_order_relaxed); }
  VkDeviceSize block_bytes() const { return block_bytes_.load(std::memory_order_relaxed); }

  /// Held by the one thread that makes a block for this arena, over the driver call; never with any
  /// other lock of the heap waited for but `mutex_`, and never asked for with that held.
  base::Mutex& growth_lock() { return growth_; }

  /// Calls visitor(block) for each block, lock held.
  template <class Visitor>
  void for_each_block(Visitor&& visitor) const {
    const base::MutexLock lock(mutex_);
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i] != nullptr) visitor(*blocks_[i]);
    }
  }

 private:
  OffsetError try_block(Block& block, const OffsetRequest& request, Placed& placed)
      QUARRY_REQUIRES(mutex_);
  OffsetError place_locked(const OffsetRequest& request, Placed& placed) QUARRY_REQUIRES(mutex_);
  void publish(Block& block) QUARRY_REQUIRES(mutex_);
  void take_out(Block& block) QUARRY_REQUIRES(mutex_);
  Block* longest_empty() const QUARRY_REQUIRES(mutex_);
  VkDeviceSize empty_bytes() const { return empty_bytes_.load(std::memory_order_relaxed); }

  const ArenaTraits traits_;
  Arena* const older_;
  std::atomic<SlabSet*> slabs_{nullptr};
  mutable base::Mutex mutex_;
  base::Mutex growth_;
  base::HostArray<Block*> blocks_
      QUARRY_GUARDED_BY(mutex_);  ///< by rank; null where one was taken out
  BlockIndex index_ QUARRY_GUARDED_BY(mutex_);
  std::uint32_t lowest_free_rank_ QUARRY_GUARDED_BY(mutex_) = 0;
  std::atomic<std::uint32_t> live_blocks_{0};
  std::atomic<VkDeviceSize> empty_bytes_{0};
  std::atomic<VkDeviceSize> block_bytes_{0};
};

}  // namespace quarry::heap
