// SPDX-License-Identifier: MIT
#include "device/create_info_copy.hpp"

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "device/device.hpp"
#include "device/structure_chain.hpp"
#include "device/vulkan_infos.hpp"
#include "fakes/counting_host_callbacks.hpp"

namespace quarry::device {
namespace {

TEST(CreateInfoCopy, OfABufferPointsNowhereIntoTheOriginal) {
  fakes::CountingHostCallbacks host;
  std::array<std::uint32_t, 3> families{4, 5, 6};
  VkBufferOpaqueCaptureAddressCreateInfo address{};
  address.sType = VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO;
  address.opaqueCaptureAddress = 77;
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.pNext = &address;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkBufferCreateInfo info = buffer_info(1234);
  info.pNext = &external;
  info.sharingMode = VK_SHARING_MODE_CONCURRENT;
  info.queueFamilyIndexCount = 3;
  info.pQueueFamilyIndices = families.data();
  {
    const auto copy = CreateInfoCopy::of(host_memory(host.callbacks()), info);
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->image(), nullptr);
    EXPECT_EQ(host.live_blocks(), 1u);
    families = {};
    std::memset(&external, 0xCD, sizeof(external));
    std::memset(&address, 0xCD, sizeof(address));

    const VkBufferCreateInfo& copied = *copy->buffer();
    EXPECT_EQ(copied.size, 1234u);
    EXPECT_EQ(copied.queueFamilyIndexCount, 3u);
    EXPECT_EQ(copied.pQueueFamilyIndices[2], 6u);
    const auto* first = static_cast<const VkExternalMemoryBufferCreateInfo*>(copied.pNext);
    EXPECT_EQ(first->handleTypes, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
    const auto* second = static_cast<const VkBufferOpaqueCaptureAddressCreateInfo*>(first->pNext);
    EXPECT_EQ(second->opaqueCaptureAddress, 77u);
    EXPECT_EQ(second->pNext, nullptr);
  }
  EXPECT_EQ(host.live_blocks(), 0u);
  EXPECT_TRUE(host.misuse().empty());
}

TEST(CreateInfoCopy, OfAnImageTakesArraysAlong) {
  fakes::CountingHostCallbacks host;
  std::array<VkFormat, 2> formats{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB};
  VkImageFormatListCreateInfo list{};
  list.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
  list.viewFormatCount = 2;
  list.pViewFormats = formats.data();
  VkImageStencilUsageCreateInfo stencil{};
  stencil.sType = VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO;
  stencil.pNext = &list;
  stencil.stencilUsage = VK_IMAGE_USAGE_SAMPLED_BIT;
  VkImageCreateInfo info = image_info(640, 480);
  info.pNext = &stencil;

  const auto copy = CreateInfoCopy::of(host_memory(host.callbacks()), info);
  ASSERT_TRUE(copy);
  formats = {};
  EXPECT_EQ(copy->buffer(), nullptr);
  EXPECT_EQ(copy->image()->extent.width, 640u);
  const auto* copied = find_structure<VkImageFormatListCreateInfo>(
      copy->image()->pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO);
  ASSERT_NE(copied, nullptr);
  ASSERT_EQ(copied->viewFormatCount, 2u);
  EXPECT_EQ(copied->pViewFormats[1], VK_FORMAT_R8G8B8A8_SRGB);
}

/// Copies an image's create-info with this structure in its chain; the structure must come back
/// byte by byte.
template <class T>
void expect_copied(T structure, VkStructureType type) {
  structure.sType = type;
  VkImageCreateInfo info = image_info(8, 8);
  info.pNext = &structure;
  const auto copy = CreateInfoCopy::of(HostMemory::standard(), info);
  ASSERT_TRUE(copy) << type;
  ASSERT_NE(copy->image()->pNext, &structure);
  EXPECT_EQ(std::memcmp(copy->image()->pNext, &structure, sizeof(T)), 0) << type;
}

TEST(CreateInfoCopy, KnowsTheOlderStructures) {
  VkExternalMemoryImageCreateInfoNV external{};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT_NV;
  expect_copied(external, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO_NV);
  VkDedicatedAllocationImageCreateInfoNV image{};
  image.dedicatedAllocation = VK_TRUE;
  expect_copied(image, VK_STRUCTURE_TYPE_DEDICATED_ALLOCATION_IMAGE_CREATE_INFO_NV);
  VkDedicatedAllocationBufferCreateInfoNV buffer{};
  buffer.dedicatedAllocation = VK_TRUE;
  expect_copied(buffer, VK_STRUCTURE_TYPE_DEDICATED_ALLOCATION_BUFFER_CREATE_INFO_NV);
  VkBufferDeviceAddressCreateInfoEXT address{};
  address.deviceAddress = 99;
  expect_copied(address, VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_CREATE_INFO_EXT);
}

TEST(CreateInfoCopy, IgnoredPointersAreNotFollowed) {
  VkBufferCreateInfo info = buffer_info(64);
  info.queueFamilyIndexCount = 1000;
  info.pQueueFamilyIndices = reinterpret_cast<const std::uint32_t*>(std::uintptr_t{16});
  const auto copy = CreateInfoCopy::of(HostMemory::standard(), info);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->buffer()->queueFamilyIndexCount, 0u);
  EXPECT_EQ(copy->buffer()->pQueueFamilyIndices, nullptr);
}

TEST(CreateInfoCopy, AnArrayThatIsNullStaysNull) {
  VkImageCompressionControlEXT compression{};
  compression.sType = VK_STRUCTURE_TYPE_IMAGE_COMPRESSION_CONTROL_EXT;
  compression.compressionControlPlaneCount = 3;
  VkImageCreateInfo info = image_info(8, 8);
  info.pNext = &compression;
  const auto copy = CreateInfoCopy::of(HostMemory::standard(), info);
  ASSERT_TRUE(copy);
  const auto* copied = static_cast<const VkImageCompressionControlEXT*>(copy->image()->pNext);
  EXPECT_EQ(copied->pFixedRateFlags, nullptr);
}

TEST(CreateInfoCopy, UnknownStructuresAreReportedAndNothingIsCopied) {
  fakes::CountingHostCallbacks host;
  VkImageDrmFormatModifierListCreateInfoEXT unknown{};
  unknown.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT;
  VkExternalMemoryImageCreateInfo known{};
  known.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO;
  known.pNext = &unknown;
  VkImageCreateInfo info = image_info(8, 8);
  info.pNext = &known;
  EXPECT_EQ(CreateInfoCopy::of(host_memory(host.callbacks()), info).error(),
            CopyError::unknown_structure);
  EXPECT_EQ(host.allocations(), 0u);
}

TEST(CreateInfoCopy, WithoutHostMemoryIsAnError) {
  fakes::CountingHostCallbacks host;
  host.fail(1, 2);
  const HostMemory memory = host_memory(host.callbacks());
  EXPECT_EQ(CreateInfoCopy::of(memory, buffer_info(8)).error(), CopyError::out_of_host_memory);
  EXPECT_EQ(CreateInfoCopy::of(memory, image_info(8, 8)).error(), CopyError::out_of_host_memory);
  EXPECT_EQ(host.live_blocks(), 0u);
}

TEST(CreateInfoCopy, MovingHandsTheBlockOver) {
  fakes::CountingHostCallbacks host;
  const HostMemory memory = host_memory(host.callbacks());
  auto first = CreateInfoCopy::of(memory, buffer_info(1));
  auto second = CreateInfoCopy::of(memory, image_info(2, 2));
  ASSERT_TRUE(first && second);
  CreateInfoCopy taken(std::move(*first));
  EXPECT_EQ(first->buffer(), nullptr);
  EXPECT_EQ(taken.buffer()->size, 1u);
  taken = std::move(*second);
  EXPECT_EQ(taken.image()->extent.width, 2u);
  taken = CreateInfoCopy();
  EXPECT_EQ(taken.image(), nullptr);
}

TEST(CreateInfoCopy, TransferUsageIsAddedToTheCopyAlone) {
  const VkBufferCreateInfo buffer = buffer_info(16, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  auto buffer_copy = CreateInfoCopy::of(HostMemory::standard(), buffer);
  ASSERT_TRUE(buffer_copy);
  buffer_copy->add_transfer_usage();
  EXPECT_EQ(buffer_copy->buffer()->usage, VkBufferUsageFlags{VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                                                             VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                                             VK_BUFFER_USAGE_TRANSFER_DST_BIT});
  auto image_copy = CreateInfoCopy::of(HostMemory::standard(), image_info(8, 8));
  ASSERT_TRUE(image_copy);
  image_copy->add_transfer_usage();
  EXPECT_EQ(image_copy->image()->usage,
            VkImageUsageFlags{VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                              VK_IMAGE_USAGE_TRANSFER_DST_BIT});
}

#if defined(VK_KHR_maintenance5)
TEST(CreateInfoCopy, TransferUsageIsAddedToTheNewerStructureToo) {
  VkBufferUsageFlags2CreateInfoKHR usage2{};
  usage2.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR;
  usage2.usage = VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR;
  VkBufferCreateInfo info = buffer_info(16, 0);
  info.pNext = &usage2;
  auto copy = CreateInfoCopy::of(HostMemory::standard(), info);
  ASSERT_TRUE(copy);
  copy->add_transfer_usage();
  const auto* copied = static_cast<const VkBufferUsageFlags2CreateInfoKHR*>(copy->buffer()->pNext);
  EXPECT_EQ(copied->usage, VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR |
                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  EXPECT_EQ(usage2.usage, VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT_KHR);
}
#endif

TEST(StructureChain, FindsTheFirstOfItsTypeOrNothing) {
  VkExternalMemoryBufferCreateInfo second{};
  second.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  VkBufferDeviceAddressCreateInfoEXT first{};
  first.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_CREATE_INFO_EXT;
  first.pNext = &second;
  EXPECT_EQ(find_structure<VkExternalMemoryBufferCreateInfo>(&first, second.sType), &second);
  EXPECT_EQ(find_structure(&first, VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO), nullptr);
  EXPECT_EQ(find_structure(nullptr, second.sType), nullptr);
}

}  // namespace
}  // namespace quarry::device
