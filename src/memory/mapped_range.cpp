// SPDX-License-Identifier: MIT
#include "memory/mapped_range.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/bits.hpp"

namespace quarry::memory {

Expected<AtomRange, Reason> atom_range(VkDeviceSize atom, const PlacedRange& allocation,
                                       VkDeviceSize offset, VkDeviceSize size) {
  QUARRY_ASSERT(allocation.size <= allocation.memory_size - allocation.offset);
  if (offset > allocation.size) return Unexpected(Reason::out_of_range);
  const VkDeviceSize rest = allocation.size - offset;
  if (size == VK_WHOLE_SIZE) size = rest;
  if (size > rest) return Unexpected(Reason::out_of_range);
  if (size == 0) return AtomRange{};

  const VkDeviceSize begin = base::align_down(allocation.offset + offset, atom);
  VkDeviceSize end = allocation.memory_size;
  (void)base::checked_align_up(allocation.offset + offset + size, atom, end);
  return AtomRange{.offset = begin, .size = std::min(end, allocation.memory_size) - begin};
}

bool is_non_coherent(const DeviceFacts& facts, std::uint32_t memory_type) {
  constexpr VkMemoryPropertyFlags kBoth =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  return (facts.memory.memoryTypes[memory_type].propertyFlags & kBoth) ==
         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
}

VkDeviceSize placement_alignment(const DeviceFacts& facts, std::uint32_t memory_type,
                                 VkDeviceSize alignment) {
  if (!is_non_coherent(facts, memory_type)) return alignment;
  return std::max(alignment, facts.properties.limits.nonCoherentAtomSize);
}

VkDeviceSize placement_size(const DeviceFacts& facts, std::uint32_t memory_type,
                            VkDeviceSize size) {
  if (!is_non_coherent(facts, memory_type)) return size;
  (void)base::checked_align_up(size, facts.properties.limits.nonCoherentAtomSize, size);
  return size;
}

}  // namespace quarry::memory
