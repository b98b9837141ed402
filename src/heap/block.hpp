// SPDX-License-Identifier: MIT
// One VkDeviceMemory and what lies in it: suballocations placed by an offset algorithm, or one
// dedicated allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <quarry/allocation.hpp>

#include "heap/space.hpp"
#include "memory/device_memory.hpp"

namespace quarry::heap {

class Arena;
class PoolState;

class Shard;

/// Members but `memory` and the atomics are guarded by the lock of the shard, or of the dedicated
/// list, that holds the block.
class Block {
 public:
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  bool dedicated() const { return !space.has_value(); }

  // What every range that comes and goes needs, in two cache lines.
  alignas(64) std::optional<Space> space;  ///< none: dedicated
  std::atomic<Shard*> shard{nullptr};      ///< of the arena; changes under the locks of both
  Arena* arena = nullptr;                  ///< null: dedicated
  std::uint32_t free_class = 0;            ///< as the arena's index has it
  bool exclusive = false;  ///< dedicated by VkMemoryDedicatedAllocateInfo: no other resource may
                           ///< be bound; constant
  bool closed = false;     ///< takes nothing in: it is being emptied
  bool held = false;       ///< not given back even when empty: moves go here or from here
  std::atomic<bool> stays_mapped{
      false};  ///< one mapping is kept until the block goes, so that maps cost no driver call
  Block* index_previous = nullptr;  ///< in the index's list of that class
  Block* index_next = nullptr;

  memory::DeviceMemory memory;
  std::uint64_t empty_since = 0;  ///< milliseconds; meaningful while the space is empty

  // The list of the shard's blocks, or the dedicated list.
  Block* previous = nullptr;
  Block* next = nullptr;
  // Of dedicated ones.
  Allocation allocation;
  VkDeviceSize used_bytes = 0;
  PoolState* pool_state = nullptr;
  Pool pool;
};

}  // namespace quarry::heap
