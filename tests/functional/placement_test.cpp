// SPDX-License-Identifier: MIT
// Types, pools, dedicated memory, aliases, mapping and accounting, on whatever device there is.
#include <algorithm>

#include "functional/fixture.hpp"

namespace quarry::functional {

namespace {

TEST_F(Functional, IntentsGiveThePropertiesThatTheyPromise) {
  const auto flags_of = [&](MemoryIntent intent) {
    const Buffer buffer = make_buffer(4096, {.intent = intent});
    const auto info = allocator.info(buffer.allocation);
    EXPECT_TRUE(info);
    EXPECT_TRUE(allocator.destroy(buffer));
    return info ? info->property_flags : 0;
  };
  EXPECT_TRUE(flags_of(MemoryIntent::upload) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  EXPECT_TRUE(flags_of(MemoryIntent::readback) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  EXPECT_TRUE(flags_of(MemoryIntent::device) & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  EXPECT_TRUE(flags_of(MemoryIntent::device_upload) & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  EXPECT_FALSE(flags_of(MemoryIntent::device) & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT);
}

TEST_F(Functional, ExplanationsComeTrue) {
  for (const VkDeviceSize size : {256u, 1u << 20, 40u << 20}) {
    for (const MemoryIntent intent :
         {MemoryIntent::device, MemoryIntent::upload, MemoryIntent::readback}) {
      const AllocationDesc desc{.intent = intent};
      const VkDeviceSize before = allocator.totals().block_bytes;
      const auto forecast = allocator.explain(buffer_info(size), desc);
      ASSERT_TRUE(forecast);
      EXPECT_EQ(allocator.totals().block_bytes, before) << "a dry run must allocate nothing";
      const Buffer buffer = make_buffer(size, desc);
      EXPECT_EQ(allocator.totals().block_bytes - before, forecast->new_bytes);
      const auto told = allocator.explain(buffer.allocation);
      ASSERT_TRUE(told);
      EXPECT_EQ(told->memory_type, forecast->memory_type);
      EXPECT_EQ(told->placement, forecast->placement);
      EXPECT_TRUE(allocator.destroy(buffer));
    }
  }
}

TEST_F(Functional, DedicatedMemoryIsGivenBackAtOnce) {
  const Buffer buffer = make_buffer(1 << 20, {.dedicated = Dedicated::always});
  const auto info = allocator.info(buffer.allocation);
  ASSERT_TRUE(info);
  EXPECT_TRUE(info->dedicated);
  EXPECT_EQ(info->offset, 0u);
  const std::vector<std::byte> bytes = noise(1 << 20, 7);
  write(buffer, bytes);
  EXPECT_EQ(read(buffer, 1 << 20), bytes);
  EXPECT_EQ(allocator.totals().dedicated_count, 1u);
  EXPECT_TRUE(allocator.destroy(buffer));
  EXPECT_EQ(allocator.totals().dedicated_count, 0u);
}

TEST_F(Functional, AliasesSeeTheSameBytes) {
  const Buffer owner = make_buffer(65'536, {.can_alias = true});
  const auto info = allocator.info(owner.allocation);
  ASSERT_TRUE(info);
  device().allow_aliasing(*info);
  const auto alias = allocator.create_aliasing_buffer(owner.allocation, 0, buffer_info(65'536));
  ASSERT_TRUE(alias) << to_string(alias.error().reason);
  device().fill_buffer(*alias, 0, 65'536, 0xABCD1234u);
  std::uint32_t word = 0;
  std::memcpy(&word, read(owner, 65'536).data() + 4096, 4);
  EXPECT_EQ(word, 0xABCD1234u);
  const auto destroy =
      reinterpret_cast<PFN_vkDestroyBuffer>(device().device_function("vkDestroyBuffer"));
  destroy(device().device(), *alias, nullptr);
  EXPECT_TRUE(allocator.destroy(owner));
}

TEST_F(Functional, PoolsOfEachAlgorithmKeepContents) {
  const auto type = allocator.select_memory_type(~0u, {.intent = MemoryIntent::upload});
  ASSERT_TRUE(type);
  for (const PoolAlgorithm algorithm :
       {PoolAlgorithm::tlsf, PoolAlgorithm::linear, PoolAlgorithm::buddy}) {
    const auto pool = allocator.create_pool({.memory_type = *type,
                                             .algorithm = algorithm,
                                             .block_bytes = 1 << 20,
                                             .maximum_blocks = 1});
    ASSERT_TRUE(pool) << to_string(pool.error().reason);
    std::vector<Buffer> buffers;
    for (std::uint32_t i = 0; i < 16; ++i) {
      buffers.push_back(make_buffer(4096 + 128 * i, {.pool = *pool}));
      device().fill_buffer(buffers.back().buffer, 0, 4096, i);
    }
    for (std::uint32_t i = 0; i < 16; ++i) {
      EXPECT_EQ(static_cast<std::uint32_t>(read(buffers[i], 4096)[0]), i)
          << "algorithm " << static_cast<int>(algorithm);
    }
    EXPECT_FALSE(allocator.create_buffer(buffer_info(2 << 20), {.pool = *pool}))
        << "larger than the pool";
    EXPECT_FALSE(allocator.destroy_pool(*pool)) << "still in use";
    for (const Buffer& buffer : buffers)
      EXPECT_TRUE(allocator.destroy(buffer));
    EXPECT_TRUE(allocator.destroy_pool(*pool));
  }
}

TEST_F(Functional, PersistentMappingStaysWhereItIs) {
  const Buffer buffer = make_buffer(4096, {.intent = MemoryIntent::upload, .mapped = true});
  const auto info = allocator.info(buffer.allocation);
  ASSERT_TRUE(info);
  ASSERT_NE(info->mapped, nullptr);
  const auto mapped = allocator.map(buffer.allocation);
  ASSERT_TRUE(mapped);
  EXPECT_EQ(*mapped, info->mapped);
  EXPECT_TRUE(allocator.unmap(buffer.allocation));
  EXPECT_FALSE(allocator.unmap(buffer.allocation)) << "one unmap more than maps";
  const std::vector<std::byte> bytes = noise(4096, 3);
  std::memcpy(info->mapped, bytes.data(), bytes.size());
  EXPECT_TRUE(allocator.flush(buffer.allocation));
  EXPECT_EQ(read(buffer, 4096), bytes);
  EXPECT_TRUE(allocator.destroy(buffer));
}

TEST_F(Functional, DeviceAddressesAreAlignedAndApart) {
  std::vector<Buffer> buffers;
  std::vector<VkDeviceAddress> addresses;
  for (int i = 0; i < 8; ++i) {
    const bool known = device().allocator_desc().features.buffer_device_address;
    buffers.push_back(make_buffer(1024, {}, known ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0));
    addresses.push_back(known ? device().address(buffers.back().buffer) : 0);
  }
  if (addresses[0] == 0) {
    for (const Buffer& buffer : buffers)
      EXPECT_TRUE(allocator.destroy(buffer));
    GTEST_SKIP() << "no device addresses here";
  }
  std::sort(addresses.begin(), addresses.end());
  for (std::size_t i = 1; i < addresses.size(); ++i)
    EXPECT_GE(addresses[i] - addresses[i - 1], 1024u);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(allocator.destroy(buffer));
}

TEST_F(Functional, DisjointImagesGetMemoryForEachPlane) {
  constexpr VkFormat kFormat = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
  if (!device().supports_disjoint(kFormat)) GTEST_SKIP() << "no disjoint three-plane images here";
  VkImageCreateInfo info = image_info({64, 64}, VK_IMAGE_USAGE_SAMPLED_BIT);
  info.format = kFormat;
  info.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
  const auto image = allocator.create_image(info);
  ASSERT_TRUE(image) << to_string(image.error().reason);
  EXPECT_TRUE(image->allocations[0]);
  EXPECT_TRUE(image->allocations[1]);
  EXPECT_TRUE(image->allocations[2]);
  EXPECT_EQ(allocator.totals().allocation_count, 3u);
  EXPECT_TRUE(allocator.destroy(*image));
}

TEST_F(Functional, TransientAttachmentsAreMadeAndNamed) {
  VkImageCreateInfo info = image_info({256, 256});
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
  const auto image =
      allocator.create_image(info, {.intent = MemoryIntent::transient_attachment, .name = "msaa"});
  ASSERT_TRUE(image) << to_string(image.error().reason);
  const auto told = allocator.info(image->allocations[0]);
  ASSERT_TRUE(told);
  EXPECT_STREQ(told->name, "msaa");
  EXPECT_TRUE(allocator.destroy(*image));
}

TEST_F(Functional, TotalsBalanceAndBudgetsArePlausible) {
  const Tag tag = *allocator.register_tag("functional");
  std::vector<Buffer> buffers;
  for (int i = 0; i < 20; ++i)
    buffers.push_back(make_buffer(100'000, {.tag = tag}));
  EXPECT_EQ(allocator.tag_totals(tag).allocation_count, 20u);
  EXPECT_GE(allocator.totals().block_bytes, allocator.totals().allocation_bytes);
  allocator.tick();
  HeapBudget heaps[VK_MAX_MEMORY_HEAPS];
  const std::uint32_t count = allocator.budgets(heaps);
  ASSERT_GT(count, 0u);
  VkDeviceSize own = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_LE(heaps[i].budget, heaps[i].size);
    EXPECT_GE(heaps[i].usage, heaps[i].own_bytes);
    own += heaps[i].own_bytes;
  }
  EXPECT_EQ(own, allocator.totals().block_bytes);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(allocator.destroy(buffer));
  EXPECT_EQ(allocator.tag_totals(tag).allocation_count, 0u);
  (void)allocator.trim();
  EXPECT_EQ(allocator.totals().block_bytes, 0u);
}

TEST_F(Functional, ALimitHoldsAndIsTold) {
  for (std::uint32_t heap = 0; heap < allocator.facts().memory.memoryHeapCount; ++heap) {
    ASSERT_TRUE(allocator.set_heap_limit(heap, 1 << 20));
  }
  const auto refused = allocator.create_buffer(buffer_info(2 << 20));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::over_limit);
  EXPECT_EQ(refused.error().code, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  const Buffer small = make_buffer(1000);
  EXPECT_TRUE(allocator.destroy(small));
}

}  // namespace

}  // namespace quarry::functional
