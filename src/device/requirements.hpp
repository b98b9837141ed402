// SPDX-License-Identifier: MIT
// What a buffer or image needs of memory, asked of the driver in the best way that is allowed.
#pragma once

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

#include "device/device.hpp"

namespace quarry::device {

/// Names no plane: the image is not disjoint.
inline constexpr VkImageAspectFlagBits kNoPlane = VkImageAspectFlagBits{};

struct Requirements {
  VkMemoryRequirements memory{};  ///< alignment is at least 1, whatever the driver said
  bool requires_dedicated = false;
  bool prefers_dedicated = false;
};

/// Of resources that exist. The handles must be valid. The image's fails with feature_not_enabled
/// for a plane on a device opened without planes.
Requirements requirements_of_buffer(const Device& device, VkBuffer buffer);
Result<Requirements> requirements_of_image(const Device& device, VkImage image,
                                           VkImageAspectFlagBits plane);

/// Of resources that may not exist: through maintenance4, else by making one and destroying it.
Result<Requirements> requirements_of(const Device& device, const VkBufferCreateInfo& info);
Result<Requirements> requirements_of(const Device& device, const VkImageCreateInfo& info,
                                     VkImageAspectFlagBits plane);

}  // namespace quarry::device
