// SPDX-License-Identifier: MIT
// Aspects and copy regions of whole images. No Vulkan call.
#pragma once

#include <vulkan/vulkan_core.h>

#include "base/host_array.hpp"
#include "copy/move.hpp"

namespace quarry::copy {

/// Of barriers and whole-image views: COLOR, DEPTH and STENCIL as the format has them.
VkImageAspectFlags aspects_of(VkFormat format);

/// Copies of depth, stencil or several samples are for queue families with graphics only.
bool needs_graphics(const ImageShape& shape);

/// How many whole_image_regions() makes.
std::size_t region_count(const ImageShape& shape);
/// Replaces `regions`: one for each mip, and plane of a multi-planar format. False when there is no
/// host memory.
[[nodiscard]] bool whole_image_regions(const ImageShape& shape,
                                       base::HostArray<VkImageCopy>& regions);

}  // namespace quarry::copy
