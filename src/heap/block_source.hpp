// SPDX-License-Identifier: MIT
// Makes and releases the device memory of blocks and dedicated allocations: growth, retention, and
// the rungs of the out-of-memory ladder that give back what is empty. No driver call happens under
// a lock that an allocate or free which finds room can want.
#pragma once

#include <cstdint>

#include <quarry/result.hpp>

#include "heap/arena.hpp"
#include "heap/core.hpp"
#include "heap/request.hpp"

namespace quarry::heap {

/// How large a new block may be beyond what the request needs.
enum class Growth : std::uint8_t {
  none,      ///< there is to be no new block
  generous,  ///< the next size of the growth rule
  exact,     ///< as the driver refused that: halved down to the request; Reason::none when nothing
             ///< smaller holds it
};

class BlockSource {
 public:
  explicit BlockSource(Core& core) : core_(core) {}

  /// Places the request in a block of the arena, in a new one if need be.
  Result<Arena::Placed> place(Arena& arena, const OffsetRequest& request, bool within_budget,
                              Growth growth);
  /// An empty block within the budget, as much of `bytes` as a block may have; its size.
  Result<VkDeviceSize> add_block(Arena& arena, VkDeviceSize bytes);
  /// A block without a request, for a pool's minimum.
  Status add_empty_block(Arena& arena);
  /// Its own VkDeviceMemory for the request, counted and listed.
  Result<Block*> make_dedicated(const Request& request, std::uint32_t memory_type,
                                bool within_budget, Allocation allocation);
  void free_dedicated(Block& block);
  /// The bytes that place() would make for the request if it made a block now and `released` bytes
  /// of the heap were given back before; 0 when it could not.
  VkDeviceSize forecast_block(const Arena& arena, VkDeviceSize request_bytes, bool within_budget,
                              VkDeviceSize released) const;
  /// Whether a pool's own limits leave room for a block that holds the request; always so without a
  /// pool.
  static bool pool_allows_block(const Arena& arena, VkDeviceSize request_bytes);
  /// Where the growth of blocks ends for a memory type.
  VkDeviceSize block_cap(std::uint32_t memory_type) const;

  /// Releases every block of an arena that nobody uses any more.
  void release_all(Arena& arena);
  /// Releases blocks of the arena that are empty; the bytes given back.
  VkDeviceSize release_empty(Arena& arena);
  /// Releases empty blocks of the heap, longest empty first, until `bytes` are given back.
  VkDeviceSize release_empty_of_heap(std::uint32_t heap, VkDeviceSize bytes);
  /// A block of the heap became empty: retention by bytes, unless that is left to work in the
  /// background. Releases empty blocks of the heap, longest empty first, beyond
  /// BlockPolicy::retained_bytes.
  void limit_empty_bytes(std::uint32_t heap);
  /// The same for each heap where blocks became empty.
  void limit_empty(const Emptied& emptied);
  /// Retention by bytes and by time, on each heap.
  void enforce_retention(std::uint64_t now);
  /// Bytes of the heap's blocks that are empty and need not be kept.
  VkDeviceSize releasable_bytes(std::uint32_t heap) const;

 private:
  Result<Arena::Placed> grow(Arena& arena, const OffsetRequest* request, bool within_budget,
                             Growth growth);
  Result<Block*> make_block(const Arena& arena, VkDeviceSize bytes, bool within_budget);
  VkDeviceSize block_bytes(const Arena& arena, VkDeviceSize needed, bool within_budget,
                           VkDeviceSize released) const;
  VkDeviceSize release(const ArenaTraits& traits, Block& block);
  void release_beyond_retained(std::uint32_t heap);
  VkDeviceSize release_longest_empty(std::uint32_t heap, std::uint64_t until);

  Core& core_;
};

}  // namespace quarry::heap
