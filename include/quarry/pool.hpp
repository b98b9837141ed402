// SPDX-License-Identifier: MIT
// Custom pools: blocks of one memory type that only named requests use, with exact limits.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry {

enum class PoolAlgorithm : std::uint8_t {
  tlsf,    ///< general purpose
  linear,  ///< free in any order, stack, double stack (one block), ring (one block): see linear.hpp
  buddy,   ///< power-of-two sizes, see buddy.hpp
};

struct PoolDesc {
  std::uint32_t memory_type = 0;  ///< index; Allocator::select_memory_type finds one
  PoolAlgorithm algorithm = PoolAlgorithm::tlsf;
  /// Size of each block; 0: the allocator's growth rule (linear and buddy: its cap).
  VkDeviceSize block_bytes = 0;
  std::uint32_t minimum_blocks = 0;  ///< made at creation, kept until the pool is destroyed
  std::uint32_t maximum_blocks = 0;  ///< 0: no limit
  VkDeviceSize maximum_bytes = 0;  ///< hard limit on block and dedicated bytes of the pool; 0: none
  VkDeviceSize minimum_alignment = 1;  ///< bytes, a power of two, for every allocation in the pool
  float priority = 0.5f;
  /// Appended to the VkMemoryAllocateInfo::pNext of every block (export). Must live as long as the
  /// pool.
  const void* memory_next = nullptr;
  const char* name = nullptr;  ///< copied
};

}  // namespace quarry
