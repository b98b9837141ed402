// SPDX-License-Identifier: MIT
// Whether a resource may be moved or evicted later, and if not, why: decided once, at creation,
// from the create-info.
#pragma once

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/explain.hpp>

#include "device/device.hpp"
#include "heap/pool_state.hpp"

namespace quarry::heap {

MovableVerdict movability(const device::Device& device, const VkBufferCreateInfo& info,
                          const AllocationDesc& desc, const PoolState* pool);
MovableVerdict movability(const VkImageCreateInfo& info, const AllocationDesc& desc,
                          const PoolState* pool);

}  // namespace quarry::heap
