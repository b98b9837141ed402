// SPDX-License-Identifier: MIT
#include "fakes/requirements.hpp"

#include <gtest/gtest.h>

#include "fakes/bench.hpp"
#include "fakes/expect.hpp"

namespace quarry::fakes {
namespace {

TEST(Requirements, CompressedMipChainsHaveTheirNominalSize) {
  const FakeProfile profile = profiles::single_type();
  VkImageCreateInfo info = image_info(8192, 8192, VK_FORMAT_BC1_RGB_UNORM_BLOCK);
  info.mipLevels = 14;
  // 44,739,256 bytes, in whole multiples of the alignment of 16.
  EXPECT_EQ(image_requirements(profile, info, 0).memory.size, 44'739'264u);
  info.format = VK_FORMAT_BC7_UNORM_BLOCK;
  EXPECT_EQ(image_requirements(profile, info, 0).memory.size, 89'478'512u);
}

TEST(Requirements, UniformBuffersAreAlignedMoreThanOthers) {
  const FakeProfile profile = profiles::discrete();
  EXPECT_EQ(buffer_requirements(profile, buffer_info(100)).memory.alignment, 16u);
  EXPECT_EQ(buffer_requirements(profile, buffer_info(100, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT))
                .memory.alignment,
            256u);
}

TEST(Requirements, LargeOptimalImagesAreAlignedMoreThanSmallOnes) {
  const FakeProfile profile = profiles::discrete();
  EXPECT_EQ(image_requirements(profile, image_info(64, 64), 0).memory.alignment, 4 * kKiB);
  EXPECT_EQ(image_requirements(profile, image_info(1024, 1024), 0).memory.alignment, 64 * kKiB);
}

TEST(Requirements, OptimalImagesAvoidHostMemory) {
  EXPECT_EQ(image_requirements(profiles::discrete(), image_info(64, 64), 0).memory.memoryTypeBits,
            0b10010u);
  EXPECT_EQ(
      image_requirements(profiles::discrete(), linear_image_info(64, 64), 0).memory.memoryTypeBits,
      0b11111u);
}

TEST(Requirements, OnlyTransientImagesAllowLazilyAllocatedTypes) {
  const FakeProfile profile = profiles::mobile();
  EXPECT_EQ(buffer_requirements(profile, buffer_info(64)).memory.memoryTypeBits & 0b10u, 0u);
  const VkImageCreateInfo transient =
      image_info(64, 64, VK_FORMAT_R8G8B8A8_UNORM,
                 VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  EXPECT_NE(image_requirements(profile, transient, 0).memory.memoryTypeBits & 0b10u, 0u);
}

TEST(Requirements, ProtectedTypesAreForProtectedResources) {
  const FakeProfile profile = profiles::protected_memory();
  VkBufferCreateInfo info = buffer_info(64);
  EXPECT_EQ(buffer_requirements(profile, info).memory.memoryTypeBits, 0b110u);
  info.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
  EXPECT_EQ(buffer_requirements(profile, info).memory.memoryTypeBits, 0b001u);
}

TEST(Requirements, F36TheDriverMayRequireMoreThanTheSize) {
  FakeProfile profile = profiles::discrete();
  profile.buffer_padding = 4096;
  EXPECT_EQ(buffer_requirements(profile, buffer_info(1000)).memory.size, 5104u);
}

TEST(Requirements, ThePlanesOfADisjointImageAreRequiredApart) {
  const FakeProfile profile = profiles::discrete();
  VkImageCreateInfo info = disjoint_image_info(256, 256);
  info.format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
  EXPECT_EQ(plane_count(info.format), 3u);
  EXPECT_EQ(image_requirements(profile, info, 0).memory.size, 256u * 256);
  EXPECT_EQ(image_requirements(profile, info, 2).memory.size, 128u * 128);
  info.flags = 0;
  EXPECT_EQ(image_requirements(profile, info, 0).memory.size, 256u * 256 * 3 / 2);
}

TEST(Requirements, DedicatedWishesComeFromTheProfile) {
  FakeProfile profile = profiles::discrete();
  profile.prefers_dedicated_bytes = 4 * kMiB;
  profile.requires_dedicated_bytes = 64 * kMiB;
  const auto target = [&](std::uint32_t side) {
    return image_requirements(
        profile,
        image_info(side, side, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT), 0);
  };
  EXPECT_FALSE(target(512).prefers_dedicated);
  EXPECT_TRUE(target(1024).prefers_dedicated);
  EXPECT_FALSE(target(1024).requires_dedicated);
  EXPECT_TRUE(target(4096).requires_dedicated);
}

TEST(Requirements, Maintenance4AnswersAsTheResourceWould) {
  Bench bench(profiles::discrete());
  const VkImageCreateInfo create_info = image_info(300, 200);
  const VkDeviceImageMemoryRequirements info{
      VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS, nullptr, &create_info, {}};
  VkMemoryRequirements2 before{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, nullptr, {}};
  bench.vk.vkGetDeviceImageMemoryRequirements(bench.device(), &info, &before);
  const VkMemoryRequirements after = bench.requirements_of_image(bench.image(create_info));
  EXPECT_EQ(before.memoryRequirements.size, after.size);
  EXPECT_EQ(before.memoryRequirements.alignment, after.alignment);
  EXPECT_EQ(before.memoryRequirements.memoryTypeBits, after.memoryTypeBits);
  expect_no_violations(bench.gpu);
}

TEST(Requirements, UsageFlags2TakeTheirPlace) {
  FakeProfile profile = profiles::nvidia_h200();
  struct {
    VkStructureType type;
    const void* next;
    VkFlags64 usage;
  } const usage{static_cast<VkStructureType>(1000470006), nullptr,
                VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT};
  VkBufferCreateInfo info = buffer_info(64, 0);
  info.pNext = &usage;
  EXPECT_EQ(buffer_requirements(profile, info).memory.alignment, 256u);
}

TEST(Requirements, AnAdjustmentHasTheLastWord) {
  FakeProfile profile = profiles::discrete();
  profile.adjust_buffer = [](const VkBufferCreateInfo&, FakeRequirements& requirements) {
    requirements.memory.alignment = 65'536;
  };
  EXPECT_EQ(buffer_requirements(profile, buffer_info(64)).memory.alignment, 65'536u);
}

}  // namespace
}  // namespace quarry::fakes
