// SPDX-License-Identifier: MIT
// What is to be moved, in what commands, and between which accesses of the owner's. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry::copy {

/// A VkDeviceMemory seen as one buffer, see block_buffer.hpp.
struct BlockBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize size = 0;        ///< bytes covered, from the memory's start
  VkDeviceAddress address = 0;  ///< of the first byte; 0: none was asked for
};

/// The contents of one buffer allocation. Within one recording no destination may overlap another
/// move's source or destination.
struct BufferMove {
  const BlockBuffer* source = nullptr;
  const BlockBuffer* destination = nullptr;
  VkDeviceSize source_offset = 0;       ///< in bytes, from the block's start
  VkDeviceSize destination_offset = 0;  ///< likewise
  VkDeviceSize size = 0;                ///< bytes to move
  /// Bytes that the allocation owns in both places, at least `size`. Nothing beyond them is
  /// touched; between size and here anything may change.
  VkDeviceSize slot_size = 0;
  /// The owner's buffers, whole, before and after. Only looked at where queue families differ; null
  /// for buffers of VK_SHARING_MODE_CONCURRENT.
  VkBuffer source_buffer = VK_NULL_HANDLE;
  VkBuffer destination_buffer = VK_NULL_HANDLE;
};

/// What the copies need to know of an image; as in its VkImageCreateInfo.
struct ImageShape {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent3D extent{};
  std::uint32_t mips = 1;
  std::uint32_t layers = 1;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  bool concurrent = false;  ///< VK_SHARING_MODE_CONCURRENT: no queue family owns it
};

ImageShape shape_of(const VkImageCreateInfo& info);

/// The contents of one image, all aspects, mips, layers and samples, to a fresh one made alike. The
/// source needs TRANSFER_SRC usage, the destination TRANSFER_DST.
struct ImageMove {
  VkImage source = VK_NULL_HANDLE;
  VkImage destination = VK_NULL_HANDLE;
  ImageShape shape{};
  /// Of every subresource of the source before, and of the destination after. UNDEFINED: there is
  /// nothing to keep and nothing is recorded. PREINITIALIZED is refused.
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
};

struct Usage {
  VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkAccessFlags access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
};

/// Where moves are recorded. With one queue family everything goes into `copy` and the two others
/// are not looked at. With two, `release` and `acquire` are of the owner's family: release is
/// submitted before copy, acquire after it, each with a semaphore between, which must be waited for
/// at TRANSFER and, where the copying family has it, COMPUTE_SHADER (or at ALL_COMMANDS).
struct Commands {
  VkCommandBuffer copy = VK_NULL_HANDLE;
  VkCommandBuffer release = VK_NULL_HANDLE;
  VkCommandBuffer acquire = VK_NULL_HANDLE;
  std::uint32_t copy_family = 0;
  std::uint32_t owner_family = 0;
  /// Of the copying family, as in VkQueueFamilyProperties.
  VkQueueFlags copy_queue = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  Usage before{};  ///< the owner's accesses to sources, and to whatever lay at the destinations
  Usage after{};   ///< the owner's accesses to the destinations

  bool one_family() const { return copy_family == owner_family; }
};

/// Host-visible memory for the list of moves, the caller's until the recorded work is done. Where
/// the memory is not coherent, the caller flushes what Figures::list_bytes says before submitting.
struct ListMemory {
  VkBuffer buffer = VK_NULL_HANDLE;  ///< STORAGE_BUFFER usage; with an address also that one
  std::byte* mapped = nullptr;       ///< of `offset`
  VkDeviceSize offset =
      0;                  ///< into the buffer; a multiple of minStorageBufferOffsetAlignment and 16
  VkDeviceSize size = 0;  ///< bytes from there, see Engine::list_bytes
  VkDeviceAddress address = 0;  ///< of `offset`; 0: none
};

/// What a recording came to.
struct Figures {
  VkDeviceSize list_bytes = 0;     ///< written from ListMemory::mapped on
  VkDeviceSize shader_bytes = 0;   ///< moved by dispatches, rounded up to whole units
  VkDeviceSize command_bytes = 0;  ///< moved by copy commands
  std::uint32_t dispatches = 0;
  std::uint32_t copy_commands = 0;
};

}  // namespace quarry::copy
