// SPDX-License-Identifier: MIT
#include "copy/calibration.hpp"

#include <array>

#include <gtest/gtest.h>

namespace quarry::copy {
namespace {

constexpr std::array<VkQueueFlags, 3> kAll{
    VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, VK_QUEUE_TRANSFER_BIT,
    VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT};
const ImageShape kTexels{.format = VK_FORMAT_R8G8B8A8_UNORM, .extent = {8, 8, 1}};
const ImageShape kBlocks{.format = VK_FORMAT_BC7_UNORM_BLOCK, .extent = {8, 8, 1}};
const ImageShape kDepth{.format = VK_FORMAT_D32_SFLOAT, .extent = {8, 8, 1}};

TEST(Calibration, WithoutFiguresTheShaderMovesAll) {
  EXPECT_EQ(largest_shader_move({}, 0), VK_WHOLE_SIZE);
  EXPECT_EQ(largest_shader_move({}, kMostFamilies), VK_WHOLE_SIZE);
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
  EXPECT_EQ(image_family(calibration, kAll, kTexels, 0), 2u);
  EXPECT_EQ(image_family(calibration, std::span(kAll).first(2), kTexels, 0), 1u);
  EXPECT_EQ(image_family(calibration, std::span(kAll).first(2), kBlocks, 1), 0u);
  EXPECT_EQ(image_family(calibration, kAll, kDepth, 0), 0u);
}

TEST(Calibration, WithoutFiguresPlainImagesGoToAFamilyThatOnlyComputes) {
  EXPECT_EQ(image_family({}, kAll, kTexels, 0), 2u);
  EXPECT_EQ(image_family({}, kAll, kBlocks, 0), 0u);
  EXPECT_EQ(image_family({}, kAll, kDepth, 0), 0u);
  EXPECT_EQ(image_family({}, std::span(kAll).first(2), kTexels, 0), 0u);
  constexpr std::array<VkQueueFlags, 3> kOnlyFirst{kAll[0], 0, 0};
  EXPECT_EQ(image_family({}, kOnlyFirst, kTexels, 0), 0u);
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
