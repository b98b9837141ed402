// SPDX-License-Identifier: MIT
// Explanations of a choice: which memory type, why, and what it costs; before an allocation (dry
// run) or after.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

namespace quarry {

/// Why a memory type is or is not used, in the order in which it is checked.
enum class TypeVerdict : std::uint8_t {
  chosen,
  candidate,         ///< would be tried after the chosen one
  not_in_type_bits,  ///< the resource or AllocationDesc::memory_type_bits excludes it
  lacks_required,    ///< lacks a required property flag
  has_forbidden,     ///< has a forbidden property flag
  protected_memory,  ///< PROTECTED, and the request does not ask for it
  lazily_allocated,  ///< LAZILY_ALLOCATED, and the request is not for a transient attachment
  device_coherent,   ///< AMD DEVICE_COHERENT or UNCACHED without the feature or without being asked
                     ///< for
  exceeds_heap,      ///< the request is larger than the heap
  exceeds_driver_size,  ///< larger than maxMemoryAllocationSize
  over_budget,          ///< no room within the budget, and the request must stay within it
  over_limit,           ///< no room within the heap limit
};

/// How the request would be, or was, served.
enum class Placement : std::uint8_t { none, existing_block, new_block, dedicated };

/// Why an allocation will not be moved or evicted later.
enum class MovableVerdict : std::uint8_t {
  movable,
  not_requested,        ///< AllocationDesc::movable was not set
  not_created_here,     ///< bind-your-own or raw memory: the library cannot recreate the resource
  unknown_create_info,  ///< the pNext chain holds a structure that is not copied
  persistently_mapped,
  device_address,  ///< SHADER_DEVICE_ADDRESS usage: addresses may be held (refetches_address)
  custom_pool,     ///< linear and buddy pools are not moved
  aliased,
  imported_or_exported,
  transient,
  protected_memory,
  disjoint,           ///< one allocation a plane
  pinned,             ///< Allocator::pin; until it is unpinned
  mapped,             ///< until it is unmapped
  unsupported_usage,  ///< acceleration-structure storage, capture-replay, sparse
};

const char* to_string(TypeVerdict verdict);
const char* to_string(Placement placement);
const char* to_string(MovableVerdict verdict);

struct Explanation {
  /// The chosen one; VK_MAX_MEMORY_TYPES when none serves.
  std::uint32_t memory_type = VK_MAX_MEMORY_TYPES;
  VkMemoryPropertyFlags property_flags = 0;
  std::uint32_t heap = VK_MAX_MEMORY_HEAPS;
  Placement placement = Placement::none;
  VkDeviceSize new_bytes = 0;  ///< VkDeviceMemory bytes to be made for it (0 in an existing block)
  VkDeviceSize size = 0;       ///< bytes the driver requires
  VkDeviceSize alignment = 1;
  MovableVerdict movable = MovableVerdict::not_requested;
  std::uint32_t type_count = 0;
  std::array<TypeVerdict, VK_MAX_MEMORY_TYPES> verdicts{};  ///< the first type_count hold
  /// Order of trial: order[0] is tried first; order_count of them.
  std::array<std::uint8_t, VK_MAX_MEMORY_TYPES> order{};
  std::uint32_t order_count = 0;
};

/// Writes the explanation as readable lines, always terminated; returns the length it would need
/// without the terminator.
std::size_t format(const Explanation& explanation, std::span<char> text);

}  // namespace quarry
