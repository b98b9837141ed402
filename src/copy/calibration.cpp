// SPDX-License-Identifier: MIT
#include "copy/calibration.hpp"

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

std::uint32_t quickest_image_family(const CopyCalibration& calibration, std::uint32_t families,
                                    VkFormat format, std::uint32_t otherwise) {
  std::uint32_t best = otherwise;
  double best_speed = 0;
  for (std::uint32_t family = 0; family < kMostFamilies; ++family) {
    const FamilySpeed& speed = calibration.families[family];
    const double here = is_compressed(format) ? speed.image_blocks : speed.image_texels;
    if ((families >> family & 1u) == 0 || here <= best_speed) continue;
    best = family;
    best_speed = here;
  }
  return best;
}

}  // namespace quarry::copy
