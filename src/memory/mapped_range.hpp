// SPDX-License-Identifier: MIT
// Ranges for flush and invalidate, rounded to nonCoherentAtomSize without touching a neighbour.
// Pure. The promise needs both halves: allocations in non-coherent types are placed by atoms,
// ranges are widened within them.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/allocator.hpp>
#include <quarry/expected.hpp>
#include <quarry/result.hpp>

namespace quarry::memory {

/// Where an allocation lies in its VkDeviceMemory; bytes.
struct PlacedRange {
  VkDeviceSize memory_size = 0;
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
};

/// As VkMappedMemoryRange wants it: bytes into the memory. A size of 0: nothing to do.
struct AtomRange {
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
};

/// `offset` and `size` (or VK_WHOLE_SIZE: to the end) are bytes into the allocation. out_of_range
/// when they leave it. The result keeps to the allocation's own atoms if it was placed by
/// placement_alignment and placement_size, or has the memory to itself.
Expected<AtomRange, Reason> atom_range(VkDeviceSize atom, const PlacedRange& allocation,
                                       VkDeviceSize offset, VkDeviceSize size);

/// Whether the type is HOST_VISIBLE but not HOST_COHERENT.
bool is_non_coherent(const DeviceFacts& facts, std::uint32_t memory_type);
/// The alignment for an allocation that shares its memory: in non-coherent types at least an atom.
VkDeviceSize placement_alignment(const DeviceFacts& facts, std::uint32_t memory_type,
                                 VkDeviceSize alignment);
/// The size for such an allocation: in non-coherent types whole atoms. A size too near 2^64 to be
/// rounded stays as it is (no memory holds it).
VkDeviceSize placement_size(const DeviceFacts& facts, std::uint32_t memory_type, VkDeviceSize size);

}  // namespace quarry::memory
