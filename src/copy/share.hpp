// SPDX-License-Identifier: MIT
// How one move is shared between the shader's two widths and a copy command. Integers only.
#pragma once

#include <vulkan/vulkan_core.h>

#include "copy/move.hpp"

namespace quarry::copy {

constexpr VkDeviceSize kQuadBytes = 16;
constexpr VkDeviceSize kWordBytes = 4;

/// Consecutive parts of a move, in this order; 0 for those that are not needed.
struct Shares {
  VkDeviceSize quads = 0;    ///< bytes in units of 16
  VkDeviceSize words = 0;    ///< bytes in units of 4
  VkDeviceSize command = 0;  ///< bytes that no unit fits

  VkDeviceSize shader_bytes() const { return quads + words; }
};

/// Rounds up to whole units where the slot has room for them. All goes to the command where an
/// offset is not a multiple of 4. The parts add up to at least size and at most slot_size.
Shares share(const BufferMove& move);

}  // namespace quarry::copy
