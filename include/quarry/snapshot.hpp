// SPDX-License-Identifier: MIT
// A copy of the heap's layout at one moment: every block and every range in it, for displays, dumps and planners.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/host_memory.hpp>

namespace quarry {

struct SnapshotRange {
  VkDeviceSize offset = 0;  ///< bytes into the block
  VkDeviceSize size = 0;
  Allocation allocation;    ///< zero for a free range
  Tag tag;
  std::uint32_t name = 0;   ///< offset into Snapshot::text; 0 for none
};

struct SnapshotBlock {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  VkDeviceSize used_bytes = 0;
  std::uint32_t memory_type = 0;
  std::uint32_t heap = 0;
  Pool pool;
  bool dedicated = false;
  bool optimal = false;   ///< holds optimal images only (bufferImageGranularity > 1)
  bool mapped = false;
  Lifetime lifetime = Lifetime::unspecified;
  std::uint32_t first_range = 0;  ///< index into Snapshot::ranges
  std::uint32_t range_count = 0;
};

/// Owns its arrays (host memory of the allocator's callbacks). Movable. Must not outlive the allocator.
class Snapshot {
 public:
  Snapshot() = default;
  Snapshot(Snapshot&& other) noexcept;
  Snapshot& operator=(Snapshot&& other) noexcept;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  std::span<const SnapshotBlock> blocks() const { return {blocks_, block_count_}; }
  std::span<const SnapshotRange> ranges() const { return {ranges_, range_count_}; }
  std::span<const SnapshotRange> ranges(const SnapshotBlock& block) const {
    return ranges().subspan(block.first_range, block.range_count);
  }
  /// The name behind SnapshotRange::name, "" for none.
  const char* text(std::uint32_t offset) const { return text_ == nullptr ? "" : text_ + offset; }

 private:
  friend class SnapshotBuilder;
  HostMemory host_{};
  SnapshotBlock* blocks_ = nullptr;
  SnapshotRange* ranges_ = nullptr;
  char* text_ = nullptr;
  std::uint32_t block_count_ = 0;
  std::uint32_t range_count_ = 0;
};

}  // namespace quarry
