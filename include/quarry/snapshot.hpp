// SPDX-License-Identifier: MIT
// A copy of the heap's layout at one moment: every block and every range in it, for displays, dumps
// and planners.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>

namespace quarry {

struct SnapshotRange {
  VkDeviceSize offset = 0;  ///< bytes into the block
  VkDeviceSize size = 0;
  Allocation allocation{};  ///< zero for a free range
  Tag tag{};
  std::uint32_t name = 0;  ///< offset into Snapshot::text; 0 for none
};

struct SnapshotBlock {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  VkDeviceSize used_bytes = 0;
  std::uint32_t memory_type = 0;
  std::uint32_t heap = 0;
  Pool pool{};
  bool dedicated = false;
  bool optimal = false;  ///< holds optimal images only (bufferImageGranularity > 1)
  bool mapped = false;
  bool emptying = false;  ///< closed to new allocations: defragmentation moves out what lies in it
  Lifetime lifetime = Lifetime::unspecified;
  std::uint32_t first_range = 0;  ///< index into Snapshot::ranges
  std::uint32_t range_count = 0;
};

/// Owns its arrays (host memory of the allocator's callbacks). Movable. Must not outlive the
/// allocator. Reading it takes no lock and changes nothing; a default-constructed one is empty.
class Snapshot {
 public:
  struct Data;

  Snapshot() = default;
  Snapshot(Snapshot&& other) noexcept;
  Snapshot& operator=(Snapshot&& other) noexcept;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  std::span<const SnapshotBlock> blocks() const;
  std::span<const SnapshotRange> ranges() const;
  std::span<const SnapshotRange> ranges(const SnapshotBlock& block) const;
  /// The name behind SnapshotRange::name, "" for none.
  const char* text(std::uint32_t offset) const;

 private:
  friend class Allocator;
  explicit Snapshot(Data* data) : data_(data) {}
  Data* data_ = nullptr;
};

}  // namespace quarry
