// SPDX-License-Identifier: MIT
#include "copy/calibration.hpp"

#include "copy/image_regions.hpp"

namespace quarry::copy {

namespace {

/// Below this a copy command is compared as "small", from here on as "large".
constexpr VkDeviceSize kLarge = VkDeviceSize{16} << 20;

bool is_compressed(VkFormat format) {
  return format >= VK_FORMAT_BC1_RGB_UNORM_BLOCK && format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK;
}

}  // namespace

bool CopyCalibration::belongs_to(const VkPhysicalDeviceProperties& properties) const {
  return version == kVersion && vendor_id == properties.vendorID &&
         device_id == properties.deviceID && driver_version == properties.driverVersion;
}

VkDeviceSize largest_shader_move(const CopyCalibration& calibration, std::uint32_t family) {
  if (family >= kMostFamilies) return VK_WHOLE_SIZE;
  const FamilySpeed& speed = calibration.families[family];
  if (speed.command_small > speed.shader_small) return 0;
  return speed.command_large > speed.shader_large ? kLarge : VK_WHOLE_SIZE;
}

std::uint32_t image_family(const CopyCalibration& calibration,
                           std::span<const VkQueueFlags> families, const ImageShape& shape,
                           std::uint32_t owner) {
  const bool graphics = needs_graphics(shape);
  const auto may = [&](std::uint32_t family) {
    return family < families.size() && families[family] != 0 &&
           (!graphics || (families[family] & VK_QUEUE_GRAPHICS_BIT) != 0);
  };
  std::uint32_t best = owner;
  double best_speed = 0;
  for (std::uint32_t family = 0; family < kMostFamilies; ++family) {
    const FamilySpeed& speed = calibration.families[family];
    const double here = is_compressed(shape.format) ? speed.image_blocks : speed.image_texels;
    if (!may(family) || here <= best_speed) continue;
    best = family;
    best_speed = here;
  }
  if (best_speed > 0 || is_compressed(shape.format)) return best;
  constexpr VkQueueFlags kBoth = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT;
  for (std::uint32_t family = 0; family < families.size(); ++family) {
    if (may(family) && (families[family] & kBoth) == VK_QUEUE_COMPUTE_BIT) return family;
  }
  return owner;
}

}  // namespace quarry::copy
