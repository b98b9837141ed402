// SPDX-License-Identifier: MIT
// The barriers around a recording's copies: before them the owner's accesses, layouts and queue
// family give way, after them they come back. Core Vulkan 1.0 commands alone.
#pragma once

#include <cstddef>
#include <span>

#include <vulkan/vulkan_core.h>

#include "copy/move.hpp"
#include "copy/step.hpp"
#include "device/device.hpp"

namespace quarry::copy {

/// What the copies of a recording do, as stages and accesses.
Usage copying(const Commands& commands);

/// Host memory for the barriers of one recording, so that the two below cannot fail.
[[nodiscard]] bool reserve_barriers(std::size_t buffers, std::size_t images, Step& step);
/// Between the owner's last accesses and the copies; between two families, both halves.
void barriers_before(const device::Device& device, const Commands& commands,
                     std::span<const BufferMove> buffers, std::span<const ImageMove> images,
                     Step& step);
/// Between the copies and the owner's next accesses.
void barriers_after(const device::Device& device, const Commands& commands,
                    std::span<const BufferMove> buffers, std::span<const ImageMove> images,
                    Step& step);
/// Between copies of one recording.
void barrier_between(const device::Device& device, const Commands& commands);

}  // namespace quarry::copy
