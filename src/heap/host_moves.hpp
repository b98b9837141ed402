// SPDX-License-Identifier: MIT
// What the CPU needs when something is moved in memory that it can see: its writes reach the copy,
// and what the copy wrote reaches its reads.
#pragma once

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

#include "heap/core.hpp"

namespace quarry::heap {

/// Flushes a range of a block that may hold what the CPU wrote. Without a driver call where memory
/// is coherent, or not mapped and so without anything left to flush.
Status flush_before_move(Core& core, Block& block, VkDeviceSize offset, VkDeviceSize size);
/// Invalidates a range that a copy filled, so that whoever maps it reads what is there now.
Status invalidate_after_move(Core& core, Block& block, VkDeviceSize offset, VkDeviceSize size);

/// The CPU's writes before every command that follows. Barriers of their own: those that hand
/// resources from queue family to queue family may not name the HOST stage.
void barrier_from_host(const device::Device& device, VkCommandBuffer commands);
/// Every write of a command so far before the CPU's accesses.
void barrier_to_host(const device::Device& device, VkCommandBuffer commands);

}  // namespace quarry::heap
