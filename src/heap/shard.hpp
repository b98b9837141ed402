// SPDX-License-Identifier: MIT
// A part of an arena: some of its blocks, under a lock of their own, found through an index of what
// is free. What a shard has no room for another may have.
#pragma once

#include <atomic>
#include <cstdint>

#include <quarry/offset.hpp>

#include "base/mutex.hpp"
#include "heap/block.hpp"
#include "heap/block_index.hpp"

namespace quarry::heap {

/// Where a request was placed.
struct PlacedRange {
  Block* block = nullptr;
  OffsetAllocation where;
  bool in_new_block = false;
};

/// Its lock is held for one search and one placement; no driver call and no other lock happens
/// inside.
class alignas(64) Shard {
 public:
  base::Mutex& mutex() QUARRY_RETURN_CAPABILITY(mutex_) { return mutex_; }

  /// Places the request in a block that has room, the one with the smallest largest free range that
  /// will do. OffsetError::out_of_space when none has.
  OffsetError place(const OffsetRequest& request, PlacedRange& placed) QUARRY_REQUIRES(mutex_);
  /// The same in the block that is looked at first. Compiled into its caller, like the next.
  [[gnu::always_inline]] OffsetError place_in_first(const OffsetRequest& request,
                                                    PlacedRange& placed) QUARRY_REQUIRES(mutex_) {
    const std::uint32_t free_class = index_.next_class(Tlsf::class_of(request.size));
    if (free_class == BlockIndex::kNone) return OffsetError::out_of_space;
    return try_block(*index_.first(free_class), request, placed);
  }
  /// The same in the others, after that one had no room.
  OffsetError place_further(const OffsetRequest& request, PlacedRange& placed)
      QUARRY_REQUIRES(mutex_);
  /// Frees a range of a block of this shard. Tells whether the block is empty now, which it is
  /// since `now`.
  [[gnu::always_inline]] OffsetError remove(Block& block, OffsetHandle range, std::uint64_t now,
                                            bool& emptied) QUARRY_REQUIRES(mutex_) {
    if (offset::InlineTlsf* tlsf = block.space->tlsf()) [[likely]]
      return remove_from(block, *tlsf, range, now, emptied);
    return remove_from(block, *block.space, range, now, emptied);
  }
  /// Places the request at an exact offset, in a closed block, too.
  OffsetError place_at(Block& block, const OffsetRequest& request, VkDeviceSize offset,
                       OffsetHandle before, PlacedRange& placed) QUARRY_REQUIRES(mutex_);
  void hold(Block& block, bool held, bool closed) QUARRY_REQUIRES(mutex_);
  /// Takes a block in; `empty_since` counts where nothing lies in it.
  void insert(Block& block, std::uint64_t empty_since) QUARRY_REQUIRES(mutex_);
  void take_out(Block& block) QUARRY_REQUIRES(mutex_);
  /// The block that is empty longest; null when none is.
  Block* longest_empty() const QUARRY_REQUIRES(mutex_);
  /// Any block; null when there is none.
  Block* any() const QUARRY_REQUIRES(mutex_) { return first_; }
  /// Gives every other block to a shard that has none.
  void share_with(Shard& other) QUARRY_REQUIRES(mutex_) QUARRY_REQUIRES(other.mutex_);

  template <class Visitor>
  void for_each_block(Visitor&& visitor) const QUARRY_REQUIRES(mutex_) {
    for (Block* block = first_; block != nullptr; block = block->next)
      visitor(*block);
  }

  std::uint32_t block_count() const { return block_count_.load(std::memory_order_relaxed); }
  VkDeviceSize empty_bytes() const { return empty_bytes_.load(std::memory_order_relaxed); }

  /// How often the lock was found taken, since the blocks were shared out.
  std::atomic<std::uint32_t> found_busy{0};

 private:
  [[gnu::always_inline]] OffsetError try_block(Block& block, const OffsetRequest& request,
                                               PlacedRange& placed) QUARRY_REQUIRES(mutex_) {
    if (offset::InlineTlsf* tlsf = block.space->tlsf()) [[likely]]
      return place_in(block, *tlsf, request, placed);
    return place_in(block, *block.space, OffsetRequest(request), placed);
  }
  /// `space`, here and below, is the block's, or the algorithm in it.
  template <class SpaceLike>
  [[gnu::always_inline]] OffsetError place_in(Block& block, SpaceLike& space,
                                              const OffsetRequest& request, PlacedRange& placed)
      QUARRY_REQUIRES(mutex_) {
    const bool was_empty = space.empty();
    return took(block, space, was_empty, space.allocate(request), placed);
  }
  template <class SpaceLike>
  [[gnu::always_inline]] OffsetError took(Block& block, const SpaceLike& space, bool was_empty,
                                          const OffsetResult<OffsetAllocation>& result,
                                          PlacedRange& placed) QUARRY_REQUIRES(mutex_) {
    if (!result) return result.error();
    if (was_empty) [[unlikely]]
      empty_bytes_.fetch_sub(block.memory.size(), std::memory_order_relaxed);
    publish(block, space);
    placed.block = &block;
    placed.where = *result;
    placed.in_new_block = false;
    return OffsetError::none;
  }
  template <class SpaceLike>
  [[gnu::always_inline]] OffsetError remove_from(Block& block, SpaceLike& space, OffsetHandle range,
                                                 std::uint64_t now, bool& emptied)
      QUARRY_REQUIRES(mutex_) {
    const OffsetError error = space.free(range);
    if (error != OffsetError::none) return error;
    emptied = space.empty();
    if (emptied) [[unlikely]]
      note_empty(block, now);
    publish(block, space);
    return OffsetError::none;
  }
  template <class SpaceLike>
  [[gnu::always_inline]] void publish(Block& block, const SpaceLike& space)
      QUARRY_REQUIRES(mutex_) {
    index_.renew(block, block.closed ? 0 : space.largest_free_class());
  }
  void note_empty(Block& block, std::uint64_t now) QUARRY_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  Block* first_ QUARRY_GUARDED_BY(mutex_) = nullptr;  ///< of all blocks, through Block::next
  BlockIndex index_ QUARRY_GUARDED_BY(mutex_);
  std::atomic<std::uint32_t> block_count_{0};
  std::atomic<VkDeviceSize> empty_bytes_{0};
};

}  // namespace quarry::heap
