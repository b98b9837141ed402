// SPDX-License-Identifier: MIT
// What the heap keeps for each live allocation. Written once before its handle is given out;
// afterwards only the atomics and, under the names lock, `extras->name` change.
#pragma once

#include <atomic>
#include <cstdint>

#include <quarry/allocation.hpp>
#include <quarry/explain.hpp>
#include <quarry/offset.hpp>

namespace quarry::memory {
class DeviceMemory;
}

namespace quarry::heap {

class Block;
class PoolState;
struct Extras;

struct Record {
  memory::DeviceMemory* memory = nullptr;  ///< the block's
  Block* block = nullptr;                  ///< its dedicated one, too
  PoolState* pool = nullptr;               ///< null for the default pools
  OffsetHandle range;                      ///< within the block
  VkDeviceSize offset = 0;                 ///< bytes into the memory
  VkDeviceSize size = 0;                   ///< bytes reserved
  std::uint64_t resource = 0;  ///< the VkBuffer or VkImage it was made for; 0 when there is none
  Pool pool_handle;
  Tag tag;
  std::atomic<Extras*> extras{nullptr};  ///< name and create-info, made on demand
  std::atomic<void*> user_data{nullptr};
  std::atomic<std::uint32_t> map_count{0};

  // How it came about, for explain().
  std::uint32_t type_bits = 0;
  std::uint16_t required_flags = 0;
  std::uint16_t preferred_flags = 0;
  std::uint16_t forbidden_flags = 0;
  MemoryIntent intent = MemoryIntent::device;
  Placement placement = Placement::none;
  MovableVerdict movable = MovableVerdict::not_requested;
  ResourceKind kind = ResourceKind::unknown;
  std::uint8_t alignment_log2 = 0;
  std::uint8_t memory_type = 0;
  bool transient_image = false;
  bool wants_protected = false;
  bool exclusive =
      false;  ///< dedicated by VkMemoryDedicatedAllocateInfo: no other resource may be bound
  bool mapped_for_life = false;
};

}  // namespace quarry::heap
