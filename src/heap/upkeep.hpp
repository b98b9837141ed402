// SPDX-License-Identifier: MIT
// What is done once a frame or now and then: driver's budget, retention, trimming, reports of
// budgets and counters.
#pragma once

#include <span>

#include <quarry/allocator.hpp>

#include "heap/core.hpp"

namespace quarry::heap {

void tick(Core& core);
Result<VkDeviceSize> prefetch(Core& core, VkDeviceSize bytes, ResourceKind kind,
                              const AllocationDesc& desc);
VkDeviceSize trim(Core& core);
std::uint32_t budgets(const Core& core, std::span<HeapBudget> heaps);
Status set_heap_limit(Core& core, std::uint32_t heap, VkDeviceSize bytes);
Counters counters(const Core& core);

}  // namespace quarry::heap
