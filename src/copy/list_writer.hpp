// SPDX-License-Identifier: MIT
// Cuts buffer moves into the entries and regions of one recording: entries with addresses go
// straight into the caller's memory, those of windows and the regions of copy commands into the
// step, where they are put in order. No Vulkan call. O(n log n) in chunks, O(n) with addresses.
#pragma once

#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include "copy/move.hpp"
#include "copy/step.hpp"

namespace quarry::copy {

struct ListRules {
  VkDeviceSize chunk = 0;   ///< bytes of one entry at most; a multiple of 16
  VkDeviceSize window = 0;  ///< bytes that a descriptor shows; a multiple of 16 and of the
                            ///< alignment of storage buffers
  bool shaders = false;     ///< the queue can dispatch
  bool addresses = false;   ///< the list has an address, and the feature is there
  /// Larger moves go by copy command.
  VkDeviceSize largest_shader_move = VK_WHOLE_SIZE;
};

/// Bytes that the list takes at most, whichever way the moves go.
VkDeviceSize list_bytes(const ListRules& rules, std::span<const BufferMove> moves);

struct WrittenList {
  std::uint32_t address_entries = 0;  ///< from the start of the memory
  std::uint32_t window_entries = 0;   ///< from window_offset; in the order of Step::windows
  VkDeviceSize window_offset = 0;     ///< bytes from the start of the memory
  VkDeviceSize bytes = 0;             ///< written
  VkDeviceSize shader_bytes = 0;      ///< as rounded to whole units
  VkDeviceSize command_bytes = 0;
};

enum class ListError : std::uint8_t { none, no_host_memory, outside_block, list_too_small };

/// Fills `step` and the memory, which has at least list_bytes(). `alignment`: of storage buffer
/// offsets. The moves must lie within their blocks, or the result is outside_block.
ListError write_list(const ListRules& rules, std::span<const BufferMove> moves,
                     const ListMemory& memory, VkDeviceSize alignment, Step& step,
                     WrittenList& written);

}  // namespace quarry::copy
