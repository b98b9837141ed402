// SPDX-License-Identifier: MIT
// The plain allocator that benchmarks compare with, as an engine would write it in an afternoon:
// one mutex, for each memory type a list of blocks that double from 4 to 256 MiB, a TLSF in each,
// the oldest block that has room first, memory of its own for what is larger than half a block, one
// empty block of each type kept. No names, tags, budgets or checks of handles beyond a generation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/tlsf.hpp>
#include <quarry/vulkan_functions.hpp>

namespace quarry::bench {

struct ReferenceDesc {
  VkDevice device = VK_NULL_HANDLE;
  VulkanFunctions functions{};
  VkPhysicalDeviceMemoryProperties memory{};
  VkDeviceSize granularity = 1;  ///< bufferImageGranularity
  VkDeviceSize first_block = VkDeviceSize{4} << 20;
  VkDeviceSize largest_block = VkDeviceSize{256} << 20;
};

struct ReferenceTotals {
  VkDeviceSize reserved_bytes = 0;  ///< of VkDeviceMemory
  VkDeviceSize peak_reserved_bytes = 0;
  VkDeviceSize live_bytes = 0;  ///< asked for and not freed
  std::uint64_t live_count = 0;
  std::uint64_t memory_count = 0;        ///< VkDeviceMemory objects
  std::uint64_t driver_allocations = 0;  ///< vkAllocateMemory, so far
  std::uint64_t driver_frees = 0;        ///< vkFreeMemory, so far
};

/// Thread-safe.
class ReferenceAllocator {
 public:
  explicit ReferenceAllocator(const ReferenceDesc& desc);
  ReferenceAllocator(const ReferenceAllocator&) = delete;
  ReferenceAllocator& operator=(const ReferenceAllocator&) = delete;
  ~ReferenceAllocator();  ///< frees every VkDeviceMemory, whatever lives

  /// A handle that is not 0, or 0 when there is no memory.
  std::uint64_t allocate(const VkMemoryRequirements& requirements, ResourceKind kind,
                         MemoryIntent intent);
  /// False for a handle that is not live.
  bool free(std::uint64_t handle);
  ReferenceTotals totals() const;
  /// 1 - largest free range / free bytes over all blocks; 0 when nothing is free. Linear.
  double fragmentation() const;
  /// Host memory in use for bookkeeping.
  std::size_t host_bytes() const;

 private:
  struct Block {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize size = 0;
    std::uint32_t type = 0;
    std::optional<Tlsf> space;  ///< none: the memory of one allocation
  };
  struct Record {
    Block* block = nullptr;  ///< null while free
    OffsetHandle range{};
    VkDeviceSize size = 0;
    std::uint32_t generation = 1;
    std::uint32_t next_free = 0;
  };
  struct TypeBlocks {
    std::vector<std::unique_ptr<Block>> blocks;  ///< oldest first
    std::size_t empty_count = 0;
    VkDeviceSize next_size = 0;
  };

  std::uint32_t choose_type(std::uint32_t type_bits, MemoryIntent intent) const;
  std::unique_ptr<Block> make_block(std::uint32_t type, VkDeviceSize size);
  bool place(std::uint32_t type, const OffsetRequest& request, Record& record);
  bool place_in_new_block(std::uint32_t type, const OffsetRequest& request, Record& record);
  bool place_dedicated(std::uint32_t type, VkDeviceSize size, Record& record);
  static bool cut(TypeBlocks& type, Block& block, const OffsetRequest& request, Record& record);
  void drop_memory(Block& block);
  void drop_if_surplus(Block& block);
  std::uint64_t keep(const Record& record);

  ReferenceDesc desc_;
  mutable std::mutex mutex_;     // guards everything below
  std::size_t range_bytes_ = 0;  // host memory of every Tlsf
  HostMemory range_memory_;
  std::vector<TypeBlocks> types_;
  std::vector<Record> records_;
  std::uint32_t first_free_ = 0;  ///< index + 1 into records_; 0: none
  ReferenceTotals totals_{};
};

}  // namespace quarry::bench
