// SPDX-License-Identifier: MIT
// Mapping of allocations, flush, invalidate, and copies through the mapping.
#pragma once

#include <cstddef>
#include <span>

#include <quarry/allocator.hpp>

#include "heap/core.hpp"

namespace quarry::heap {

/// Maps the block's memory once more; the address of its first byte. Without a cap on mapped bytes
/// a block stays mapped from then on, so that later maps cost no driver call.
Result<std::byte*> map_block(Core& core, Block& block);

Result<void*> map(Core& core, Allocation allocation);
Status unmap(Core& core, Allocation allocation);

enum class Visibility : std::uint8_t { to_device, to_host };
/// Flushes or invalidates with one driver call, or none where all memory is coherent.
Status make_visible(Core& core, std::span<const AllocationRange> ranges, Visibility visibility);

Status copy_to(Core& core, Allocation allocation, VkDeviceSize offset,
               std::span<const std::byte> bytes);
Status copy_from(Core& core, Allocation allocation, VkDeviceSize offset,
                 std::span<std::byte> bytes);

}  // namespace quarry::heap
