// SPDX-License-Identifier: MIT
#include "device/resource.hpp"

#include "device/opened_device.hpp"
#include "device/vulkan_infos.hpp"
#include "fakes/expect.hpp"

namespace quarry::device {
namespace {

namespace profiles = fakes::profiles;
using fakes::Function;

VkDeviceMemory allocate(const OpenedDevice& opened, VkDeviceSize size, std::uint32_t type) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_EQ(opened.device.fn().vkAllocateMemory(opened.device.handle(), &info,
                                                opened.device.callbacks(), &memory),
            VK_SUCCESS);
  return memory;
}

void free(const OpenedDevice& opened, VkDeviceMemory memory) {
  opened.device.fn().vkFreeMemory(opened.device.handle(), memory, opened.device.callbacks());
}

TEST(Resource, F16SizeZeroIsRefusedWithoutADriverCall) {
  const OpenedDevice opened(profiles::discrete());
  EXPECT_EQ(create_buffer(opened.device, buffer_info(0)).error().reason, Reason::size_zero);
  VkImageCreateInfo info = image_info(8, 8);
  for (std::uint32_t* field : {&info.extent.width, &info.extent.height, &info.extent.depth,
                               &info.mipLevels, &info.arrayLayers}) {
    const std::uint32_t kept = *field;
    *field = 0;
    EXPECT_EQ(create_image(opened.device, info).error().reason, Reason::size_zero);
    *field = kept;
  }
  EXPECT_EQ(opened.gpu.calls(), 0u);
}

TEST(Resource, SparseResourcesAreNotOffered) {
  const OpenedDevice opened(profiles::discrete());
  VkBufferCreateInfo buffer = buffer_info(64);
  buffer.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  EXPECT_EQ(create_buffer(opened.device, buffer).error().reason, Reason::unsupported);
  VkImageCreateInfo image = image_info(8, 8);
  image.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
  EXPECT_EQ(create_image(opened.device, image).error().reason, Reason::unsupported);
}

TEST(Resource, ProtectedAndDisjointNeedWhatTheyNeed) {
  const OpenedDevice opened(at_version_1_0(profiles::discrete()));
  VkBufferCreateInfo buffer = buffer_info(64);
  buffer.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
  EXPECT_EQ(create_buffer(opened.device, buffer).error().reason, Reason::feature_not_enabled);
  VkImageCreateInfo image = image_info(8, 8);
  image.flags = VK_IMAGE_CREATE_PROTECTED_BIT;
  EXPECT_EQ(create_image(opened.device, image).error().reason, Reason::feature_not_enabled);
  EXPECT_EQ(create_image(opened.device, disjoint_image_info(8, 8)).error().reason,
            Reason::feature_not_enabled);

  const OpenedDevice able(profiles::protected_memory());
  const Result<VkBuffer> made = create_buffer(able.device, buffer);
  ASSERT_TRUE(made);
  destroy_buffer(able.device, *made);
  fakes::expect_no_violations(able.gpu);
}

TEST(Resource, DriverErrorsKeepTheirCode) {
  OpenedDevice opened(profiles::discrete());
  opened.gpu.fail(Function::create_buffer, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  opened.gpu.fail(Function::create_image, 1, VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(create_buffer(opened.device, buffer_info(64)).error().reason,
            Reason::out_of_device_memory);
  const Error error = create_image(opened.device, image_info(8, 8)).error();
  EXPECT_EQ(error.reason, Reason::driver);
  EXPECT_EQ(error.code, VK_ERROR_FORMAT_NOT_SUPPORTED);
}

TEST(Resource, NullHandlesAreNotDestroyed) {
  const OpenedDevice opened(profiles::discrete());
  destroy_buffer(opened.device, VK_NULL_HANDLE);
  destroy_image(opened.device, VK_NULL_HANDLE);
  EXPECT_EQ(opened.gpu.calls(), 0u);
}

TEST(Resource, BindsAtTheOffsetByOldAndNewFunctions) {
  for (const fakes::FakeProfile& profile :
       {profiles::discrete(), at_version_1_0(profiles::discrete())}) {
    OpenedDevice opened(profile);
    const Result<VkBuffer> buffer = create_buffer(opened.device, buffer_info(4096));
    const Result<VkImage> image = create_image(opened.device, image_info(16, 16));
    ASSERT_TRUE(buffer && image);
    const VkDeviceMemory memory = allocate(opened, 1 << 20, 1);
    ASSERT_TRUE(bind_buffer(opened.device, *buffer, memory, 65'536));
    ASSERT_TRUE(bind_image(opened.device, *image, memory, 131'072));
    EXPECT_EQ(opened.gpu.buffer_binding(*buffer)->offset, 65'536u);
    EXPECT_EQ(opened.gpu.image_binding(*image)->offset, 131'072u);
    const bool newer = opened.device.facts().uses_bind2;
    EXPECT_EQ(opened.gpu.calls(Function::bind_buffer_memory2), newer ? 1u : 0u);
    EXPECT_EQ(opened.gpu.calls(Function::bind_buffer_memory), newer ? 0u : 1u);
    destroy_buffer(opened.device, *buffer);
    destroy_image(opened.device, *image);
    free(opened, memory);
    fakes::expect_no_violations(opened.gpu);
  }
}

TEST(Resource, F35BindsAllPlanesInOneCall) {
  OpenedDevice opened(profiles::discrete());
  const Result<VkImage> image = create_image(opened.device, disjoint_image_info(64, 64));
  ASSERT_TRUE(image);
  const VkDeviceMemory memory = allocate(opened, 1 << 20, 1);
  const PlaneBinding planes[] = {{VK_IMAGE_ASPECT_PLANE_0_BIT, memory, 131'072},
                                 {VK_IMAGE_ASPECT_PLANE_1_BIT, memory, 0},
                                 {VK_IMAGE_ASPECT_PLANE_2_BIT, memory, 65'536}};
  ASSERT_TRUE(bind_image_planes(opened.device, *image, planes));
  for (std::uint32_t plane = 0; plane < 3; ++plane) {
    EXPECT_EQ(opened.gpu.image_binding(*image, plane)->offset, planes[plane].offset);
  }
  EXPECT_EQ(opened.gpu.calls(Function::bind_image_memory2), 1u);
  destroy_image(opened.device, *image);
  free(opened, memory);
  fakes::expect_no_violations(opened.gpu);
}

TEST(Resource, BindingPlanesChecksTheirNumberAndTheDriversAnswer) {
  OpenedDevice opened(profiles::discrete());
  const PlaneBinding planes[5] = {};
  EXPECT_EQ(bind_image_planes(opened.device, VK_NULL_HANDLE, {}).error().reason,
            Reason::bad_argument);
  EXPECT_EQ(bind_image_planes(opened.device, VK_NULL_HANDLE, planes).error().reason,
            Reason::bad_argument);
  const Result<VkImage> image = create_image(opened.device, disjoint_image_info(64, 64));
  opened.gpu.fail(Function::bind_image_memory2, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  const VkDeviceMemory memory = allocate(opened, 1 << 20, 1);
  const PlaneBinding good[] = {{VK_IMAGE_ASPECT_PLANE_0_BIT, memory, 0},
                               {VK_IMAGE_ASPECT_PLANE_1_BIT, memory, 65'536},
                               {VK_IMAGE_ASPECT_PLANE_2_BIT, memory, 131'072}};
  EXPECT_EQ(bind_image_planes(opened.device, *image, good).error().reason,
            Reason::out_of_device_memory);
  destroy_image(opened.device, *image);
  free(opened, memory);
}

TEST(Resource, ChainsAndPlanesNeedBindMemory2) {
  const OpenedDevice opened(at_version_1_0(profiles::discrete()));
  const VkBaseInStructure next{};
  const PlaneBinding plane{};
  EXPECT_EQ(bind_buffer(opened.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 0, &next).error().reason,
            Reason::feature_not_enabled);
  EXPECT_EQ(bind_image(opened.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 0, &next).error().reason,
            Reason::feature_not_enabled);
  EXPECT_EQ(bind_image_planes(opened.device, VK_NULL_HANDLE, {&plane, 1}).error().reason,
            Reason::feature_not_enabled);
  EXPECT_EQ(opened.gpu.calls(), 0u);
}

TEST(Resource, FailedBindsAreErrors) {
  OpenedDevice opened(profiles::discrete());
  const Result<VkBuffer> buffer = create_buffer(opened.device, buffer_info(64));
  const Result<VkImage> image = create_image(opened.device, image_info(8, 8));
  const VkDeviceMemory memory = allocate(opened, 65'536, 1);
  opened.gpu.fail(Function::bind_buffer_memory2, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
  opened.gpu.fail(Function::bind_image_memory2, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(bind_buffer(opened.device, *buffer, memory, 0).error().reason,
            Reason::out_of_host_memory);
  EXPECT_EQ(bind_image(opened.device, *image, memory, 0).error().reason,
            Reason::out_of_device_memory);
  destroy_buffer(opened.device, *buffer);
  destroy_image(opened.device, *image);
  free(opened, memory);
}

TEST(BufferUsage, IsThatOfTheCreateInfoWithoutTheNewerStructure) {
  const OpenedDevice opened(profiles::nvidia_h200());
  EXPECT_EQ(buffer_usage(opened.device, buffer_info(64, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT)),
            std::uint64_t{VK_BUFFER_USAGE_VERTEX_BUFFER_BIT});
}

#if defined(VK_KHR_maintenance5)
TEST(BufferUsage, IsThatOfTheNewerStructureWhereMaintenance5IsEnabled) {
  VkBufferUsageFlags2CreateInfoKHR usage2{};
  usage2.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR;
  usage2.usage = VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR;
  VkBufferCreateInfo info = buffer_info(64, 0);
  info.pNext = &usage2;
  const OpenedDevice opened(profiles::nvidia_h200());
  EXPECT_EQ(buffer_usage(opened.device, info), VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR);
  const OpenedDevice older(profiles::discrete());
  EXPECT_EQ(buffer_usage(older.device, info), 0u);
}
#endif

}  // namespace
}  // namespace quarry::device
