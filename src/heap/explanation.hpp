// SPDX-License-Identifier: MIT
// Dry runs of the router, and the story of a live allocation.
#pragma once

#include <quarry/allocator.hpp>

#include "heap/core.hpp"

namespace quarry::heap {

Result<Explanation> explain(Core& core, const VkBufferCreateInfo& info, const AllocationDesc& desc);
Result<Explanation> explain(Core& core, const VkImageCreateInfo& info, const AllocationDesc& desc);
Result<Explanation> explain(Core& core, const VkMemoryRequirements& requirements, ResourceKind kind,
                            const AllocationDesc& desc);
Result<Explanation> explain(Core& core, Allocation allocation);
Result<std::uint32_t> select_memory_type(Core& core, std::uint32_t memory_type_bits,
                                         const AllocationDesc& desc);

}  // namespace quarry::heap
