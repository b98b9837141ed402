// SPDX-License-Identifier: MIT
#include "copy/calibration.hpp"

#include <gtest/gtest.h>

namespace quarry::copy {
namespace {

TEST(Calibration, WithoutFiguresTheShaderMovesAll) {
  EXPECT_EQ(largest_shader_move({}, 0), VK_WHOLE_SIZE);
  EXPECT_EQ(largest_shader_move({}, kMostFamilies), VK_WHOLE_SIZE);
  EXPECT_EQ(quickest_image_family({}, 7, VK_FORMAT_R8G8B8A8_UNORM, 2), 2u);
}

TEST(Calibration, TheQuickerOfShaderAndCommandIsTaken) {
  CopyCalibration calibration;
  calibration.families[1] = {
      .shader_small = 2, .command_small = 1, .shader_large = 3, .command_large = 9};
  EXPECT_GT(largest_shader_move(calibration, 1), VkDeviceSize{1} << 20);
  EXPECT_LT(largest_shader_move(calibration, 1), VkDeviceSize{1} << 30);
  calibration.families[1].command_small = 5;
  EXPECT_EQ(largest_shader_move(calibration, 1), 0u);
}

TEST(Calibration, ImagesGoWhereTheirKindGoesBest) {
  CopyCalibration calibration;
  calibration.families[0] = {.image_texels = 55, .image_blocks = 1683};
  calibration.families[1] = {.image_texels = 94, .image_blocks = 93};
  calibration.families[2] = {.image_texels = 1061, .image_blocks = 1691};
  EXPECT_EQ(quickest_image_family(calibration, 7, VK_FORMAT_R8G8B8A8_UNORM, 0), 2u);
  EXPECT_EQ(quickest_image_family(calibration, 3, VK_FORMAT_R8G8B8A8_UNORM, 0), 1u);
  EXPECT_EQ(quickest_image_family(calibration, 3, VK_FORMAT_BC7_UNORM_BLOCK, 1), 0u);
}

TEST(Calibration, BelongsToOneDeviceAndDriver) {
  VkPhysicalDeviceProperties properties{};
  properties.vendorID = 1;
  properties.deviceID = 2;
  properties.driverVersion = 3;
  CopyCalibration calibration{.vendor_id = 1, .device_id = 2, .driver_version = 3};
  EXPECT_TRUE(calibration.belongs_to(properties));
  properties.driverVersion = 4;
  EXPECT_FALSE(calibration.belongs_to(properties));
}

}  // namespace
}  // namespace quarry::copy
