// SPDX-License-Identifier: MIT
#include "device/requirements.hpp"

#include "device/opened_device.hpp"
#include "device/resource.hpp"
#include "device/vulkan_infos.hpp"
#include "fakes/expect.hpp"

namespace quarry::device {
namespace {

namespace profiles = fakes::profiles;
using fakes::Function;

TEST(Requirements, OfABufferComeFromTheSameDriverWhicheverWayIsOpen) {
  const VkBufferCreateInfo info = buffer_info(1000);
  fakes::FakeProfile older = profiles::discrete();
  older.features.maintenance4 = false;
  for (const fakes::FakeProfile& profile :
       {profiles::discrete(), older, at_version_1_0(profiles::discrete())}) {
    const OpenedDevice opened(profile);
    const Result<Requirements> before = requirements_of(opened.device, info);
    ASSERT_TRUE(before);
    const Result<VkBuffer> buffer = create_buffer(opened.device, info);
    ASSERT_TRUE(buffer);
    const Requirements after = requirements_of_buffer(opened.device, *buffer);
    EXPECT_EQ(before->memory.size, after.memory.size);
    EXPECT_EQ(before->memory.alignment, after.memory.alignment);
    EXPECT_EQ(before->memory.memoryTypeBits, after.memory.memoryTypeBits);
    EXPECT_GE(after.memory.size, 1000u);
    destroy_buffer(opened.device, *buffer);
    EXPECT_EQ(opened.gpu.live().buffers, 0u);
    fakes::expect_no_violations(opened.gpu);
  }
}

TEST(Requirements, Maintenance4AsksWithoutCreating) {
  const OpenedDevice opened(profiles::discrete());
  ASSERT_TRUE(requirements_of(opened.device, buffer_info(1000)));
  ASSERT_TRUE(requirements_of(opened.device, image_info(64, 64), kNoPlane));
  EXPECT_EQ(opened.gpu.calls(Function::create_buffer), 0u);
  EXPECT_EQ(opened.gpu.calls(Function::create_image), 0u);
  fakes::expect_no_violations(opened.gpu);
}

TEST(Requirements, ImagesThatMaintenance4ExcludesAreMadeForTheQuery) {
  OpenedDevice opened(profiles::discrete());
  opened.gpu.permit(fakes::Rule::chain_unknown);
  opened.gpu.permit(fakes::Rule::chain_not_enabled);
  VkImageSwapchainCreateInfoKHR swapchain{};
  swapchain.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
  VkImageCreateInfo info = image_info(64, 64);
  info.pNext = &swapchain;
  ASSERT_TRUE(requirements_of(opened.device, info, kNoPlane));
  EXPECT_EQ(opened.gpu.calls(Function::get_device_image_memory_requirements), 0u);
  EXPECT_EQ(opened.gpu.calls(Function::create_image), 1u);
  EXPECT_EQ(opened.gpu.live().images, 0u);
}

TEST(Requirements, WithoutItAResourceIsMadeAndDestroyedAgain) {
  const OpenedDevice opened(at_version_1_0(profiles::discrete()));
  ASSERT_TRUE(requirements_of(opened.device, buffer_info(1000)));
  ASSERT_TRUE(requirements_of(opened.device, image_info(64, 64), kNoPlane));
  EXPECT_EQ(opened.gpu.calls(Function::create_buffer), 1u);
  EXPECT_EQ(opened.gpu.calls(Function::destroy_image), 1u);
  EXPECT_EQ(opened.gpu.live().images, 0u);
  fakes::expect_no_violations(opened.gpu);
}

TEST(Requirements, FailingCreationIsTheDriversError) {
  OpenedDevice opened(at_version_1_0(profiles::discrete()));
  opened.gpu.fail(Function::create_buffer, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
  opened.gpu.fail(Function::create_image, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(requirements_of(opened.device, buffer_info(16)).error().reason,
            Reason::out_of_host_memory);
  EXPECT_EQ(requirements_of(opened.device, image_info(8, 8), kNoPlane).error().code,
            VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST(Requirements, F32DedicatedWishesAreReadWhereTheDeviceKnowsThem) {
  fakes::FakeProfile profile = profiles::discrete();
  profile.requires_dedicated_bytes = 1 << 20;
  const OpenedDevice opened(profile);
  EXPECT_TRUE(requirements_of(opened.device, buffer_info(2 << 20))->requires_dedicated);
  EXPECT_FALSE(requirements_of(opened.device, buffer_info(1000))->requires_dedicated);

  const OpenedDevice old(at_version_1_0(profile));
  EXPECT_FALSE(requirements_of(old.device, buffer_info(2 << 20))->requires_dedicated);
  fakes::expect_no_violations(old.gpu);
}

TEST(Requirements, NonsenseOfTheDriverIsMadeUsable) {
  fakes::FakeProfile profile = profiles::discrete();
  profile.adjust_buffer = [](const VkBufferCreateInfo&, fakes::FakeRequirements& requirements) {
    requirements.memory.alignment = 0;
    requirements.memory.memoryTypeBits = ~0u;
  };
  const OpenedDevice opened(profile);
  const Result<Requirements> requirements = requirements_of(opened.device, buffer_info(1000));
  ASSERT_TRUE(requirements);
  EXPECT_EQ(requirements->memory.alignment, 1u);
  EXPECT_EQ(requirements->memory.memoryTypeBits, 0x1Fu);
}

TEST(Requirements, F35OfEachPlaneOfADisjointImage) {
  fakes::FakeProfile without_maintenance4 = profiles::discrete();
  without_maintenance4.features.maintenance4 = false;
  const VkImageCreateInfo info = disjoint_image_info(64, 64);
  for (const fakes::FakeProfile& profile : {profiles::discrete(), without_maintenance4}) {
    const OpenedDevice opened(profile);
    for (const VkImageAspectFlagBits plane :
         {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT, VK_IMAGE_ASPECT_PLANE_2_BIT}) {
      const Result<Requirements> requirements = requirements_of(opened.device, info, plane);
      ASSERT_TRUE(requirements);
      EXPECT_GE(requirements->memory.size, 64u * 64u);
    }
    EXPECT_EQ(requirements_of(opened.device, info, kNoPlane).error().reason, Reason::bad_argument);
    EXPECT_EQ(requirements_of(opened.device, image_info(8, 8), VK_IMAGE_ASPECT_PLANE_0_BIT)
                  .error()
                  .reason,
              Reason::bad_argument);
    fakes::expect_no_violations(opened.gpu);
  }
}

TEST(Requirements, PlanesNeedADeviceThatKnowsThem) {
  const OpenedDevice opened(at_version_1_0(profiles::discrete()));
  const Result<VkImage> image = create_image(opened.device, image_info(8, 8));
  ASSERT_TRUE(image);
  EXPECT_EQ(
      requirements_of_image(opened.device, *image, VK_IMAGE_ASPECT_PLANE_0_BIT).error().reason,
      Reason::feature_not_enabled);
  destroy_image(opened.device, *image);
}

TEST(Requirements, BadInfosAreRefusedBeforeTheDriverIsAsked) {
  for (const fakes::FakeProfile& profile :
       {profiles::discrete(), at_version_1_0(profiles::discrete())}) {
    const OpenedDevice opened(profile);
    EXPECT_EQ(requirements_of(opened.device, buffer_info(0)).error().reason, Reason::size_zero);
    EXPECT_EQ(requirements_of(opened.device, image_info(0, 8), kNoPlane).error().reason,
              Reason::size_zero);
    EXPECT_EQ(opened.gpu.calls(), 0u);
  }
}

}  // namespace
}  // namespace quarry::device
