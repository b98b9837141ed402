// SPDX-License-Identifier: MIT
// What was measured on a device once, so that every later recording takes the quickest way. A plain
// structure: the caller may write it to a file and read it back.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include "copy/move.hpp"

namespace quarry::copy {

/// Figures of one queue family, bytes a second; 0: not measured.
struct FamilySpeed {
  double shader_small = 0;   ///< list of 16 KiB moves
  double command_small = 0;  ///< the same by copy command
  double shader_large = 0;   ///< a single region
  double command_large = 0;
  double image_texels = 0;  ///< vkCmdCopyImage, RGBA8
  double image_blocks = 0;  ///< vkCmdCopyImage, compressed blocks
};

constexpr std::uint32_t kMostFamilies = 8;

struct CopyCalibration {
  static constexpr std::uint32_t kVersion = 1;

  std::uint32_t version = kVersion;
  std::uint32_t vendor_id = 0;  ///< with the two below: of the device that was measured
  std::uint32_t device_id = 0;
  std::uint32_t driver_version = 0;
  std::array<FamilySpeed, kMostFamilies> families{};

  bool belongs_to(const VkPhysicalDeviceProperties& properties) const;
};

/// Largest move in bytes that the shader should make on this family; VK_WHOLE_SIZE where nothing
/// was measured, or where the shader is quicker at every size.
VkDeviceSize largest_shader_move(const CopyCalibration& calibration, std::uint32_t family);

/// The queue family that should copy such an image. `families`: the capabilities of those that may,
/// by index; 0 for one that may not. Without figures a family with compute and without graphics,
/// which is where uncompressed images were found to go twenty times quicker than with graphics;
/// else the owner's.
std::uint32_t image_family(const CopyCalibration& calibration,
                           std::span<const VkQueueFlags> families, const ImageShape& shape,
                           std::uint32_t owner);

}  // namespace quarry::copy
