// SPDX-License-Identifier: MIT
// A library-made buffer over a whole VkDeviceMemory, so that the contents of buffers in it can be
// moved whatever usage they have. Buffers that alias in memory hold the same bytes (specification,
// "Memory Aliasing"); only ranges of buffers are ever read or written through it.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

#include "copy/move.hpp"
#include "device/device.hpp"

namespace quarry::copy {

struct BlockMemory {
  VkDeviceMemory memory = VK_NULL_HANDLE;  ///< not dedicated, neither imported nor exported
  VkDeviceSize size = 0;
  std::uint32_t memory_type = 0;
  /// Allocated with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, with the bufferDeviceAddress feature:
  /// moves between two such blocks take the quickest way.
  bool device_address = false;
};

/// `queue_families`: all that may copy; with two or more the buffer is concurrent among them. Fails
/// with Reason::unsupported where such a buffer cannot lie in the memory, or as the driver says.
/// Where maxBufferSize is less than the memory, `size` of the result is less, too.
Result<BlockBuffer> create_block_buffer(const device::Device& device, const BlockMemory& block,
                                        std::span<const std::uint32_t> queue_families,
                                        VkDeviceSize largest_buffer = VK_WHOLE_SIZE);
/// Null handles do nothing. The GPU must be done with it.
void destroy_block_buffer(const device::Device& device, const BlockBuffer& block);

}  // namespace quarry::copy
