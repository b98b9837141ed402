// SPDX-License-Identifier: MIT
#include "device/planes.hpp"

#include <gtest/gtest.h>

namespace quarry::device {
namespace {

TEST(Planes, AreCountedByTheFormat) {
  EXPECT_EQ(plane_count(VK_FORMAT_R8G8B8A8_UNORM), 1u);
  EXPECT_EQ(plane_count(VK_FORMAT_UNDEFINED), 1u);
  EXPECT_EQ(plane_count(VK_FORMAT_G8B8G8R8_422_UNORM), 1u);
  for (const VkFormat format :
       {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16,
        VK_FORMAT_G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16,
        VK_FORMAT_G16_B16R16_2PLANE_444_UNORM}) {
    EXPECT_EQ(plane_count(format), 2u) << format;
  }
  for (const VkFormat format :
       {VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16,
        VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16,
        VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM}) {
    EXPECT_EQ(plane_count(format), 3u) << format;
  }
}

TEST(Planes, HaveTheirAspects) {
  EXPECT_EQ(plane_aspect(0), VK_IMAGE_ASPECT_PLANE_0_BIT);
  EXPECT_EQ(plane_aspect(1), VK_IMAGE_ASPECT_PLANE_1_BIT);
  EXPECT_EQ(plane_aspect(2), VK_IMAGE_ASPECT_PLANE_2_BIT);
}

}  // namespace
}  // namespace quarry::device
