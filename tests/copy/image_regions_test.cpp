// SPDX-License-Identifier: MIT
#include "copy/image_regions.hpp"

#include <gtest/gtest.h>

namespace quarry::copy {
namespace {

base::HostArray<VkImageCopy> regions_of(const ImageShape& shape) {
  base::HostArray<VkImageCopy> regions(HostMemory::standard());
  EXPECT_TRUE(whole_image_regions(shape, regions));
  return regions;
}

TEST(ImageRegions, OneForEachMip) {
  const auto regions = regions_of(
      {.format = VK_FORMAT_BC7_UNORM_BLOCK, .extent = {20, 8, 1}, .mips = 5, .layers = 3});
  ASSERT_EQ(regions.size(), 5u);
  EXPECT_EQ(regions[1].extent.width, 10u);
  EXPECT_EQ(regions[4].extent.width, 1u);
  EXPECT_EQ(regions[4].extent.height, 1u);
  EXPECT_EQ(regions[4].srcSubresource.mipLevel, 4u);
  EXPECT_EQ(regions[4].dstSubresource.layerCount, 3u);
}

TEST(ImageRegions, DepthShrinksWithTheMips) {
  const auto regions = regions_of({.format = VK_FORMAT_R8_UNORM, .extent = {8, 8, 4}, .mips = 3});
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[2].extent.depth, 1u);
}

TEST(ImageRegions, PlanesAreCopiedInTheirOwnTexels) {
  const auto regions =
      regions_of({.format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, .extent = {64, 32, 1}});
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].extent.width, 64u);
  EXPECT_EQ(regions[0].srcSubresource.aspectMask,
            static_cast<VkImageAspectFlags>(VK_IMAGE_ASPECT_PLANE_0_BIT));
  EXPECT_EQ(regions[1].extent.width, 32u);
  EXPECT_EQ(regions[1].extent.height, 16u);
  EXPECT_EQ(regions_of({.format = VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, .extent = {64, 32, 1}})[2]
                .extent.height,
            32u);
}

TEST(ImageRegions, DepthAndStencilGoTogetherAndNeedGraphics) {
  const ImageShape shape{.format = VK_FORMAT_D24_UNORM_S8_UINT, .extent = {4, 4, 1}};
  EXPECT_EQ(
      regions_of(shape)[0].srcSubresource.aspectMask,
      static_cast<VkImageAspectFlags>(VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT));
  EXPECT_TRUE(needs_graphics(shape));
  EXPECT_TRUE(needs_graphics(
      {.format = VK_FORMAT_R8_UNORM, .extent = {4, 4, 1}, .samples = VK_SAMPLE_COUNT_4_BIT}));
  EXPECT_FALSE(needs_graphics({.format = VK_FORMAT_R8_UNORM, .extent = {4, 4, 1}}));
}

}  // namespace
}  // namespace quarry::copy
