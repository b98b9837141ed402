// SPDX-License-Identifier: MIT
// F32 to F36 and F40: dedicated, alias, external; linear pools.
#include <cstdint>
#include <utility>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::image_info;
using fakes::kKiB;
using fakes::kMiB;

TEST(Cases, F32WhatMustBeDedicatedIsNeverSuballocated) {
  FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = 256 * kMiB;
  profile.requires_dedicated_bytes = 1 * kMiB;
  Rig rig(profile);
  const auto pool = rig.allocator.create_pool({.block_bytes = 16 * kMiB, .minimum_blocks = 1});
  const auto linear = rig.allocator.create_pool(
      {.algorithm = PoolAlgorithm::linear, .block_bytes = 16 * kMiB, .minimum_blocks = 1});
  ASSERT_TRUE(pool && linear);
  for (const Pool where : {Pool{}, *pool, *linear}) {
    for (const Dedicated dedicated : {Dedicated::automatic, Dedicated::never}) {
      const auto buffer = rig.allocator.create_buffer(buffer_info(2 * kMiB),
                                                      {.dedicated = dedicated, .pool = where});
      ASSERT_TRUE(buffer);
      const auto info = rig.allocator.info(buffer->allocation);
      EXPECT_TRUE(info->dedicated);
      EXPECT_TRUE(rig.gpu.memory_facts(info->memory)->dedicated);
      EXPECT_TRUE(rig.allocator.destroy(*buffer));
    }
  }
  // Short of memory: the blocks have room, the request does not get it.
  rig.gpu.refuse_allocations(
      [](const VkMemoryAllocateInfo&) { return VK_ERROR_OUT_OF_DEVICE_MEMORY; });
  for (const Pool where : {Pool{}, *pool, *linear}) {
    EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(2 * kMiB), {.pool = where})),
              Reason::out_of_device_memory);
  }
  rig.gpu.refuse_allocations(nullptr);
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
  EXPECT_TRUE(rig.allocator.destroy_pool(*linear));
}

TEST(Cases, F33MemoryForAliasingCarriesNoDedicatedInformation) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.prefers_dedicated_bytes = 1 * kMiB;
  Rig rig(profile);
  const VkImageCreateInfo target =
      image_info(1'024, 1'024, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  for (const Dedicated dedicated : {Dedicated::automatic, Dedicated::always}) {
    const auto image =
        rig.allocator.create_image(target, {.dedicated = dedicated, .can_alias = true});
    ASSERT_TRUE(image);
    const auto info = rig.allocator.info(image->allocations[0]);
    EXPECT_EQ(info->dedicated, dedicated == Dedicated::always);
    EXPECT_FALSE(rig.gpu.memory_facts(info->memory)->dedicated);
    rig.gpu.allow_aliasing(info->memory, info->offset, info->size);
    const auto other = rig.allocator.create_aliasing_image(image->allocations[0], 0, target);
    ASSERT_TRUE(other);
    fakes::FakeGpu::functions().vkDestroyImage(rig.gpu.device(), *other, rig.host.callbacks());
    EXPECT_TRUE(rig.allocator.destroy(*image));
  }
}

FakeProfile external_profile() {
  FakeProfile profile = fakes::profiles::discrete();
  profile.device_extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  return profile;
}

constexpr auto kHandleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

TEST(Cases, F34ExportAndImportWithAChainForEachCall) {
  Rig rig(external_profile());
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kHandleType;
  const VkBufferCreateInfo shared = fakes::chained(buffer_info(5'000), &external);
  VkExportMemoryAllocateInfo exporting{};
  exporting.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exporting.handleTypes = kHandleType;
  VkImportMemoryFdInfoKHR importing{};
  importing.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  importing.handleType = kHandleType;
  importing.fd = 3;
  const auto pool = rig.allocator.create_pool({.memory_type = 1, .block_bytes = 1 * kMiB});
  ASSERT_TRUE(pool);
  for (const Pool where : {Pool{}, *pool}) {
    const auto out =
        rig.allocator.create_buffer(shared, {.pool = where, .memory_next = &exporting});
    const auto in = rig.allocator.create_buffer(shared, {.pool = where, .memory_next = &importing});
    const auto plain = rig.allocator.create_buffer(buffer_info(5'000), {.pool = where});
    ASSERT_TRUE(out && in && plain);
    const auto facts = [&](const Buffer& buffer) {
      return *rig.gpu.memory_facts(rig.allocator.info(buffer.allocation)->memory);
    };
    EXPECT_EQ(facts(*out).exported, kHandleType);
    EXPECT_EQ(facts(*in).imported, kHandleType);
    EXPECT_EQ(facts(*plain).exported, 0u);
    EXPECT_TRUE(rig.allocator.info(out->allocation)->dedicated);
    EXPECT_TRUE(rig.allocator.info(in->allocation)->dedicated);
    for (const Buffer& buffer : {*out, *in, *plain})
      EXPECT_TRUE(rig.allocator.destroy(buffer));
  }
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Cases, F34APoolThatExportsEveryBlock) {
  Rig rig(external_profile());
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kHandleType;
  VkExportMemoryAllocateInfo exporting{};
  exporting.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exporting.handleTypes = kHandleType;
  const auto pool = rig.allocator.create_pool(
      {.memory_type = 1, .block_bytes = 64 * kKiB, .memory_next = &exporting});
  ASSERT_TRUE(pool);
  std::vector<Buffer> buffers;
  for (int i = 0; i < 20; ++i) {
    buffers.push_back(*rig.allocator.create_buffer(fakes::chained(buffer_info(10'000), &external),
                                                   {.pool = *pool}));
  }
  EXPECT_GT(rig.gpu.live().memories, 3u);
  for (const VkDeviceMemory memory : rig.gpu.memories())
    EXPECT_EQ(rig.gpu.memory_facts(memory)->exported, kHandleType);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Cases, F35EachPlaneOfADisjointImageIsAskedForAndBound) {
  Rig rig(fakes::profiles::discrete());
  const VkImageCreateInfo info = fakes::disjoint_image_info(333, 111);
  ASSERT_EQ(info.format, VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM);
  const auto pool = rig.allocator.create_pool({.memory_type = 1});
  for (const AllocationDesc& desc :
       {AllocationDesc{}, AllocationDesc{.dedicated = Dedicated::always},
        AllocationDesc{.pool = *pool}}) {
    const auto image = rig.allocator.create_image(info, desc);
    ASSERT_TRUE(image);
    rig.gpu.use_image(image->image);
    for (std::uint32_t plane = 0; plane < 3; ++plane) {
      const auto allocation = rig.allocator.info(image->allocations[plane]);
      EXPECT_EQ(rig.gpu.image_binding(image->image, plane)->offset, allocation->offset);
      EXPECT_FALSE(rig.gpu.memory_facts(allocation->memory)->dedicated);
    }
    EXPECT_TRUE(rig.allocator.destroy(*image));
  }
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Cases, F36LinearAndRingSpaceCountsWhatTheDriverRequires) {
  FakeProfile profile = fakes::profiles::single_type();
  profile.buffer_padding = 1'008;
  Rig rig(profile);
  const auto pool = rig.allocator.create_pool(
      {.algorithm = PoolAlgorithm::linear, .block_bytes = 64 * kKiB, .maximum_blocks = 1});
  ASSERT_TRUE(pool);
  std::vector<Buffer> ring;
  VkDeviceSize used = 0;
  for (;;) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(1'040), {.pool = *pool});
    if (!buffer) break;
    EXPECT_EQ(rig.allocator.info(buffer->allocation)->offset, used);
    used += 2'048;
    ring.push_back(*buffer);
  }
  EXPECT_EQ(ring.size(), 32u);
  EXPECT_EQ(rig.allocator.pool_totals(*pool)->allocation_bytes, 64 * kKiB);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(rig.allocator.destroy(ring.front()));
    ring.erase(ring.begin());
    ring.push_back(*rig.allocator.create_buffer(buffer_info(1'040), {.pool = *pool}));
  }
  for (const Buffer& buffer : ring)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Cases, F40ALinearPoolIsOneFreeRangeWhenAllIsFreedInAnyOrder) {
  for (const std::uint64_t seed : seeds(3)) {
    Random random(seed);
    Rig rig(fakes::profiles::single_type());
    const auto pool = rig.allocator.create_pool(
        {.algorithm = PoolAlgorithm::linear, .block_bytes = 1 * kMiB, .maximum_blocks = 1});
    ASSERT_TRUE(pool);
    std::vector<Buffer> buffers;
    while (
        const auto buffer = rig.allocator.create_buffer(
            buffer_info(random.one_in(2) ? random.between(1, 100) : random.between(10'000, 60'000)),
            {.upper_address = random.one_in(3), .pool = *pool})) {
      buffers.push_back(*buffer);
    }
    EXPECT_GT(buffers.size(), 20u);
    while (!buffers.empty()) {
      std::swap(buffers[static_cast<std::size_t>(random.below(buffers.size()))], buffers.back());
      EXPECT_TRUE(rig.allocator.destroy(buffers.back()));
      buffers.pop_back();
    }
    const auto statistics = rig.allocator.detailed_statistics(*pool);
    EXPECT_EQ(statistics->free_range_count, 1u);
    EXPECT_EQ(statistics->largest_free_range, 1 * kMiB);
    EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
  }
}

}  // namespace
}  // namespace quarry::test
