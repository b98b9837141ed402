// SPDX-License-Identifier: MIT
// The blocks that serve one kind of request: same memory type, tiling class, size class, lifetime
// and priority class; or one custom pool. They are in shards, of which a thread passes by those
// that are busy; a shard that is found busy again and again shares its blocks with a new one. Makes
// and frees no device memory itself.
#pragma once

#include <atomic>
#include <cstdint>

#include <quarry/allocation.hpp>
#include <quarry/pool.hpp>

#include "base/mutex.hpp"
#include "heap/block.hpp"
#include "heap/shard.hpp"
#include "plan/growth_ahead.hpp"

namespace quarry::heap {

class PoolState;
struct SlabSet;

/// What all blocks of an arena have in common; constant.
struct ArenaTraits {
  std::uint32_t memory_type = 0;
  std::uint32_t heap = 0;
  bool optimal = false;  ///< optimal images only
  bool movable = false;  ///< what may be moved, each in a range of its own, so that a block can be
                         ///< emptied
  bool large = false;    ///< requests from BlockPolicy::large_request up
  Lifetime lifetime = Lifetime::unspecified;
  std::uint32_t priority_class = 0;
  PoolAlgorithm algorithm = PoolAlgorithm::tlsf;
  PoolState* pool = nullptr;  ///< null for the default pools
};

/// Thread-safe. Locks of shards are held for one search and one placement; no driver call happens
/// inside.
class Arena {
 public:
  static constexpr std::uint64_t kNeverEmpty = ~std::uint64_t{0};
  static constexpr std::uint32_t kMostShards = 16;
  using Placed = PlacedRange;

  Arena(const ArenaTraits& traits, HostMemory host, Arena* older, std::uint32_t most_shards = 1)
      : traits_(traits), host_(host), older_(older), most_shards_(most_shards) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  const ArenaTraits& traits() const { return traits_; }
  /// What small requests are served from; null as long as none was, and in custom pools.
  SlabSet* slabs() const { return slabs_.load(std::memory_order_acquire); }
  void set_slabs(SlabSet* slabs) { slabs_.store(slabs, std::memory_order_release); }
  /// The next in the list of all arenas of a table.
  Arena* older() const { return older_; }

  /// Places the request in a block that has room; OffsetError::out_of_space when none has.
  OffsetError place(const OffsetRequest& request, Placed& placed);
  /// The same, its usual case compiled into the caller, like remove().
  [[gnu::always_inline]] OffsetError place_at_once(const OffsetRequest& request, Placed& placed) {
    if (shard_count() != 1 || !first_.mutex().try_lock()) [[unlikely]]
      return place_elsewhere(request, placed);
    OffsetError error = first_.place_in_first(request, placed);
    if (error == OffsetError::out_of_space) [[unlikely]] {
      // Copies, here and below, so that the usual case keeps both in registers.
      Placed further;
      error = first_.place_further(OffsetRequest(request), further);
      placed = further;
    }
    first_.mutex().unlock();
    return error;
  }
  /// Whether place() would succeed now.
  bool could_place(const OffsetRequest& request);
  /// Frees a suballocation. Tells whether the block is empty now, which it is since `now`.
  [[gnu::always_inline]] static OffsetError remove_at_once(Block& block, OffsetHandle range,
                                                           std::uint64_t now, bool& emptied) {
    for (;;) {
      Shard* home = block.shard.load(std::memory_order_acquire);
      const base::MutexLock lock(home->mutex());
      if (block.shard.load(std::memory_order_relaxed) != home) [[unlikely]]
        continue;
      return home->remove(block, range, now, emptied);
    }
  }
  static OffsetError remove(Block& block, OffsetHandle range, std::uint64_t now, bool& emptied);

  /// Places a request at an exact offset of a block, closed or not.
  OffsetError place_at(Block& block, const OffsetRequest& request, VkDeviceSize offset,
                       OffsetHandle before, Placed& placed);
  /// Changes what a live range of a block stands for.
  void set_user(Block& block, OffsetHandle range, std::uint64_t user);
  /// Keeps a block from being given back, and from taking anything in, or no more.
  void hold(Block& block, bool held, bool closed);

  /// Takes over a block with its memory and space, and places the request in it first when there is
  /// one. On an error the block stays the caller's.
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
  std::uint32_t shard_count() const { return shard_count_.load(std::memory_order_acquire); }

  /// Held by the one thread that makes a block for this arena, over the driver call; never with any
  /// other lock of the heap waited for but those of shards, and never asked for with one held.
  base::Mutex& growth_lock() { return growth_; }

  plan::GrowthAhead growth_ahead;  ///< of whoever works in the background

  /// Calls visitor(block) for each block, its shard's lock held.
  template <class Visitor>
  void for_each_block(Visitor&& visitor) const {
    for (std::uint32_t i = 0; i < shard_count(); ++i) {
      Shard& each = shard(i);
      const base::MutexLock lock(each.mutex());
      each.for_each_block(visitor);
    }
  }

 private:
  Shard& shard(std::uint32_t number) const {
    return number == 0 ? first_ : *more_[number - 1].load(std::memory_order_acquire);
  }
  OffsetError place_sharded(const OffsetRequest& request, Placed& placed);
  [[gnu::always_inline]] OffsetError place_elsewhere(const OffsetRequest& request, Placed& placed) {
    Placed elsewhere;
    const OffsetError error = place(OffsetRequest(request), elsewhere);
    placed = elsewhere;
    return error;
  }
  void split(Shard& busy);
  void left(const Block& block);
  Shard* with_longest_empty(std::uint64_t& since) const;
  VkDeviceSize empty_bytes() const;

  const ArenaTraits traits_;
  const HostMemory host_;
  Arena* const older_;
  const std::uint32_t most_shards_;
  std::atomic<SlabSet*> slabs_{nullptr};
  base::Mutex growth_;
  base::Mutex split_;  ///< of the one thread that adds a shard; takes locks of shards
  std::atomic<std::uint32_t> live_blocks_{0};
  std::atomic<VkDeviceSize> block_bytes_{0};
  std::atomic<std::uint32_t> shard_count_{1};
  mutable Shard first_;
  std::atomic<Shard*> more_[kMostShards - 1]{};
};

}  // namespace quarry::heap
