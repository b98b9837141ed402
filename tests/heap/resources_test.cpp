// SPDX-License-Identifier: MIT
#include "heap/resources.hpp"

#include <cstdint>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::disjoint_image_info;
using fakes::image_info;
using fakes::kKiB;
using fakes::kMiB;
using fakes::linear_image_info;

VkBuffer own_buffer(Rig& rig, const VkBufferCreateInfo& info) {
  VkBuffer buffer = VK_NULL_HANDLE;
  EXPECT_EQ(fakes::FakeGpu::functions().vkCreateBuffer(rig.gpu.device(), &info, nullptr, &buffer),
            VK_SUCCESS);
  return buffer;
}
void destroy_own(Rig& rig, VkBuffer buffer) {
  fakes::FakeGpu::functions().vkDestroyBuffer(rig.gpu.device(), buffer, nullptr);
}
VkImage own_image(Rig& rig, const VkImageCreateInfo& info) {
  VkImage image = VK_NULL_HANDLE;
  EXPECT_EQ(fakes::FakeGpu::functions().vkCreateImage(rig.gpu.device(), &info, nullptr, &image),
            VK_SUCCESS);
  return image;
}
void destroy_own(Rig& rig, VkImage image, const VkAllocationCallbacks* callbacks) {
  fakes::FakeGpu::functions().vkDestroyImage(rig.gpu.device(), image, callbacks);
}

TEST(Resources, ABufferIsBoundWhereItsAllocationSays) {
  Rig rig(fakes::profiles::discrete());
  std::vector<Buffer> buffers;
  for (VkDeviceSize size : {VkDeviceSize{1}, VkDeviceSize{100}, 3 * kMiB}) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(size));
    ASSERT_TRUE(buffer);
    const auto info = rig.allocator.info(buffer->allocation);
    const auto binding = rig.gpu.buffer_binding(buffer->buffer);
    ASSERT_TRUE(info && binding);
    EXPECT_EQ(info->memory, binding->memory);
    EXPECT_EQ(info->offset, binding->offset);
    EXPECT_GE(info->size, size);
    buffers.push_back(*buffer);
  }
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

TEST(Resources, DisjointPlanesHaveAnAllocationEach) {
  Rig rig(fakes::profiles::discrete());
  const auto image = rig.allocator.create_image(disjoint_image_info(64, 64));
  ASSERT_TRUE(image);
  for (std::uint32_t plane = 0; plane < 3; ++plane) {
    const auto info = rig.allocator.info(image->allocations[plane]);
    const auto binding = rig.gpu.image_binding(image->image, plane);
    ASSERT_TRUE(info && binding);
    EXPECT_EQ(info->memory, binding->memory);
    EXPECT_EQ(info->offset, binding->offset);
  }
  EXPECT_FALSE(image->allocations[3]);
  EXPECT_EQ(rig.allocator.totals().allocation_count, 3u);
  rig.gpu.use_image(image->image);
  EXPECT_TRUE(rig.allocator.destroy(*image));
  EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
}

TEST(Resources, APlaneThatFindsNoMemoryTakesTheOthersAlong) {
  for (std::uint32_t failing = 0; failing < 3; ++failing) {
    fakes::FakeProfile profile = fakes::profiles::discrete();
    profile.adjust_image = [failing](const VkImageCreateInfo&, std::uint32_t plane,
                                     fakes::FakeRequirements& requirements) {
      if (plane == failing) requirements.memory.memoryTypeBits = 0;
    };
    Rig rig(profile);
    EXPECT_EQ(reason_of(rig.allocator.create_image(disjoint_image_info(64, 64))),
              Reason::no_memory_type);
    EXPECT_EQ(rig.gpu.live().images, 0u);
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  }
}

TEST(Resources, BindYourOwn) {
  Rig rig(fakes::profiles::discrete());
  const VkBuffer buffer = own_buffer(rig, buffer_info(5'000));
  const auto of_buffer = rig.allocator.allocate_for_buffer(buffer, {.name = "mine"});
  ASSERT_TRUE(of_buffer);
  EXPECT_TRUE(rig.allocator.bind_buffer(*of_buffer, buffer));
  rig.gpu.use_buffer(buffer);

  const VkImage image = own_image(rig, image_info(64, 64));
  const auto of_image = rig.allocator.allocate_for_image(image, VK_IMAGE_TILING_OPTIMAL);
  ASSERT_TRUE(of_image);
  EXPECT_TRUE(rig.allocator.bind_image(*of_image, image));
  rig.gpu.use_image(image);

  destroy_own(rig, buffer);
  destroy_own(rig, image, nullptr);
  EXPECT_TRUE(rig.allocator.free(*of_buffer));
  EXPECT_TRUE(rig.allocator.free(*of_image));
}

TEST(Resources, DestroyTakesAResourceOfItsOwnersMaking) {
  Rig rig(fakes::profiles::discrete());
  const VkBufferCreateInfo info = buffer_info(5'000);
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(fakes::FakeGpu::functions().vkCreateBuffer(rig.gpu.device(), &info,
                                                       rig.host.callbacks(), &buffer),
            VK_SUCCESS);
  const auto allocation = rig.allocator.allocate_for_buffer(buffer);
  ASSERT_TRUE(allocation);
  ASSERT_TRUE(rig.allocator.bind_buffer(*allocation, buffer));
  EXPECT_TRUE(rig.allocator.destroy(Buffer{buffer, *allocation}));
  EXPECT_EQ(rig.gpu.live().buffers, 0u);
}

TEST(Resources, RawMemoryServesSeveralResourcesAtOffsets) {
  Rig rig(fakes::profiles::discrete());
  const auto raw = rig.allocator.allocate(requirements(64 * kKiB, 1 * kKiB), ResourceKind::linear);
  ASSERT_TRUE(raw);
  const VkBuffer low = own_buffer(rig, buffer_info(1'000));
  const VkBuffer high = own_buffer(rig, buffer_info(1'000));
  EXPECT_TRUE(rig.allocator.bind_buffer(*raw, low, 0));
  EXPECT_TRUE(rig.allocator.bind_buffer(*raw, high, 32 * kKiB));
  const auto info = rig.allocator.info(*raw);
  ASSERT_TRUE(info);
  EXPECT_EQ(rig.gpu.buffer_binding(high)->offset, info->offset + 32 * kKiB);
  destroy_own(rig, low);
  destroy_own(rig, high);
  EXPECT_TRUE(rig.allocator.free(*raw));
}

TEST(Resources, WhatDoesNotFitIsNotBound) {
  Rig rig(fakes::profiles::discrete());
  const auto raw = rig.allocator.allocate(requirements(4 * kKiB, 256), ResourceKind::linear);
  ASSERT_TRUE(raw);
  const VkBuffer buffer = own_buffer(rig, buffer_info(1'024));
  EXPECT_EQ(reason_of(rig.allocator.bind_buffer(*raw, buffer, 4 * kKiB)), Reason::out_of_range);
  EXPECT_EQ(reason_of(rig.allocator.bind_buffer(*raw, buffer, 3 * kKiB + 1)), Reason::out_of_range);
  EXPECT_EQ(reason_of(rig.allocator.bind_buffer(*raw, buffer, ~VkDeviceSize{0})),
            Reason::out_of_range);
  EXPECT_EQ(reason_of(rig.allocator.bind_buffer(*raw, buffer, 1)), Reason::bad_alignment);
  EXPECT_EQ(reason_of(rig.allocator.bind_buffer(*raw, VK_NULL_HANDLE)), Reason::bad_argument);
  EXPECT_EQ(reason_of(rig.allocator.bind_image(*raw, VK_NULL_HANDLE)), Reason::bad_argument);
  EXPECT_FALSE(rig.gpu.buffer_binding(buffer));

  // Host memory, and an image that wants device memory.
  const auto host = rig.allocator.allocate(requirements(kMiB, 64 * kKiB), ResourceKind::unknown,
                                           {.intent = MemoryIntent::upload});
  ASSERT_TRUE(host);
  const VkImage image = own_image(rig, image_info(16, 16));
  EXPECT_EQ(reason_of(rig.allocator.bind_image(*host, image)), Reason::no_memory_type);
  destroy_own(rig, buffer);
  destroy_own(rig, image, nullptr);
  EXPECT_TRUE(rig.allocator.free(*raw));
  EXPECT_TRUE(rig.allocator.free(*host));
}

TEST(Resources, AliasesShareTheMemoryOfALiveAllocation) {
  Rig rig(fakes::profiles::discrete());
  const auto image = rig.allocator.create_image(image_info(256, 256), {.can_alias = true});
  ASSERT_TRUE(image);
  const auto info = rig.allocator.info(image->allocations[0]);
  ASSERT_TRUE(info);
  rig.gpu.allow_aliasing(info->memory, info->offset, info->size);
  const auto other =
      rig.allocator.create_aliasing_image(image->allocations[0], 0, image_info(128, 128));
  const auto buffer = rig.allocator.create_aliasing_buffer(image->allocations[0], 128 * kKiB,
                                                           buffer_info(64 * kKiB));
  ASSERT_TRUE(other && buffer);
  EXPECT_EQ(rig.gpu.buffer_binding(*buffer)->offset, info->offset + 128 * kKiB);
  EXPECT_EQ(rig.gpu.image_binding(*other)->memory, info->memory);
  fakes::FakeGpu::functions().vkDestroyBuffer(rig.gpu.device(), *buffer, rig.host.callbacks());
  destroy_own(rig, *other, rig.host.callbacks());
  EXPECT_TRUE(rig.allocator.destroy(*image));
}

TEST(Resources, AnAliasThatDoesNotFitLeavesNothing) {
  Rig rig(fakes::profiles::discrete());
  const auto image = rig.allocator.create_image(image_info(64, 64), {.can_alias = true});
  ASSERT_TRUE(image);
  EXPECT_EQ(reason_of(rig.allocator.create_aliasing_image(image->allocations[0], 0,
                                                          image_info(128, 128))),
            Reason::out_of_range);
  EXPECT_EQ(
      reason_of(rig.allocator.create_aliasing_buffer(image->allocations[0], 0, buffer_info(kMiB))),
      Reason::out_of_range);
  EXPECT_EQ(
      reason_of(rig.allocator.create_aliasing_buffer(image->allocations[0], 0, buffer_info(0))),
      Reason::size_zero);
  EXPECT_EQ(rig.gpu.live().images, 1u);
  EXPECT_EQ(rig.gpu.live().buffers, 0u);
  EXPECT_TRUE(rig.allocator.destroy(*image));
}

TEST(Resources, AKindThatNeighboursDoNotExpectIsRefused) {
  Rig rig(fakes::profiles::discrete());  // granularity 1,024
  const auto linear =
      rig.allocator.allocate(requirements(64 * kKiB, 64 * kKiB, 1u << 1), ResourceKind::linear);
  const auto optimal = rig.allocator.create_image(image_info(64, 64));
  ASSERT_TRUE(linear && optimal);
  EXPECT_EQ(reason_of(rig.allocator.create_aliasing_image(*linear, 0, image_info(16, 16))),
            Reason::bad_argument);
  EXPECT_EQ(
      reason_of(rig.allocator.create_aliasing_buffer(optimal->allocations[0], 0, buffer_info(64))),
      Reason::bad_argument);
  EXPECT_TRUE(rig.allocator.free(*linear));
  EXPECT_TRUE(rig.allocator.destroy(*optimal));
}

TEST(Resources, MemoryOfUnknownKindTakesEither) {
  Rig rig(fakes::profiles::discrete());
  const auto raw =
      rig.allocator.allocate(requirements(16 * kKiB, 4 * kKiB, 1u << 1), ResourceKind::unknown);
  const auto neighbour = rig.allocator.create_buffer(buffer_info(10));
  ASSERT_TRUE(raw && neighbour);
  const auto image = rig.allocator.create_aliasing_image(*raw, 0, image_info(32, 32));
  ASSERT_TRUE(image);
  destroy_own(rig, *image, rig.host.callbacks());
  const auto buffer = rig.allocator.create_aliasing_buffer(*raw, 0, buffer_info(100));
  ASSERT_TRUE(buffer);
  fakes::FakeGpu::functions().vkDestroyBuffer(rig.gpu.device(), *buffer, rig.host.callbacks());
  EXPECT_TRUE(rig.allocator.free(*raw));
  EXPECT_TRUE(rig.allocator.destroy(*neighbour));
}

TEST(Resources, MemoryDedicatedToOneResourceServesNoOther) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer =
      rig.allocator.create_buffer(buffer_info(64 * kKiB), {.dedicated = Dedicated::always});
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(rig.allocator.info(buffer->allocation)->dedicated);
  EXPECT_EQ(reason_of(rig.allocator.create_aliasing_buffer(buffer->allocation, 0,
                                                           buffer_info(64 * kKiB))),
            Reason::bad_argument);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Resources, WhatMustBeDedicatedIsNotBoundIntoSharedMemory) {
  fakes::FakeProfile profile = fakes::profiles::discrete();
  profile.requires_dedicated_bytes = 1 * kMiB;
  Rig rig(profile);
  const auto raw = rig.allocator.allocate(requirements(4 * kMiB, 64 * kKiB), ResourceKind::linear);
  ASSERT_TRUE(raw);
  EXPECT_EQ(reason_of(rig.allocator.create_aliasing_buffer(*raw, 0, buffer_info(2 * kMiB))),
            Reason::bad_argument);
  // A driver that insists outweighs the wish to share.
  const auto alone = rig.allocator.create_buffer(buffer_info(2 * kMiB), {.can_alias = true});
  ASSERT_TRUE(alone);
  EXPECT_TRUE(rig.gpu.memory_facts(rig.allocator.info(alone->allocation)->memory)->dedicated);
  EXPECT_TRUE(rig.allocator.destroy(*alone));
  EXPECT_TRUE(rig.allocator.free(*raw));
}

TEST(Resources, AnotherResourceThanTheMemoryWasMadeForIsNotDestroyed) {
  Rig rig(fakes::profiles::discrete());
  const auto a = rig.allocator.create_buffer(buffer_info(100));
  const auto b = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(reason_of(rig.allocator.destroy(Buffer{a->buffer, b->allocation})),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(rig.allocator.destroy(Buffer{VK_NULL_HANDLE, b->allocation})),
            Reason::bad_argument);
  EXPECT_EQ(reason_of(rig.allocator.destroy(Buffer{a->buffer, {}})), Reason::stale_handle);
  EXPECT_TRUE(rig.allocator.destroy(*a));
  EXPECT_TRUE(rig.allocator.destroy(*b));
}

TEST(Resources, AnImageWithABadAllocationStaysWhole) {
  Rig rig(fakes::profiles::discrete());
  const auto image = rig.allocator.create_image(disjoint_image_info(64, 64));
  ASSERT_TRUE(image);
  Image broken = *image;
  broken.allocations[2] = broken.allocations[1];
  EXPECT_EQ(reason_of(rig.allocator.destroy(broken)), Reason::stale_handle);
  for (int plane = 0; plane < 3; ++plane)
    EXPECT_TRUE(rig.allocator.info(image->allocations[static_cast<std::size_t>(plane)]));
  EXPECT_TRUE(rig.allocator.destroy(*image));
}

TEST(Resources, NullIsDestroyedToNoEffect) {
  Rig rig(fakes::profiles::discrete());
  EXPECT_TRUE(rig.allocator.destroy(Buffer{}));
  EXPECT_TRUE(rig.allocator.destroy(Image{}));
}

TEST(Resources, LinearImagesAreLinear) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer = rig.allocator.create_buffer(buffer_info(100));
  const auto image = rig.allocator.create_image(linear_image_info(16, 16));
  ASSERT_TRUE(buffer && image);
  EXPECT_EQ(rig.allocator.info(buffer->allocation)->memory,
            rig.allocator.info(image->allocations[0])->memory);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  EXPECT_TRUE(rig.allocator.destroy(*image));
}

TEST(Resources, FailedBindingLeavesNothing) {
  for (const auto function :
       {fakes::Function::bind_buffer_memory2, fakes::Function::bind_image_memory2}) {
    Rig rig(fakes::profiles::discrete());
    rig.gpu.fail(function, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    if (function == fakes::Function::bind_buffer_memory2) {
      EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(100))),
                Reason::out_of_host_memory);
    } else {
      EXPECT_EQ(reason_of(rig.allocator.create_image(image_info(16, 16))),
                Reason::out_of_host_memory);
    }
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
    EXPECT_EQ(rig.gpu.live().buffers + rig.gpu.live().images, 0u);
  }
}

TEST(Resources, NamesAndUserDataCanBeChanged) {
  Rig rig(fakes::profiles::discrete());
  int thing = 0;
  const auto buffer =
      rig.allocator.create_buffer(buffer_info(100), {.name = "first", .user_data = &thing});
  ASSERT_TRUE(buffer);
  const Allocation allocation = buffer->allocation;
  EXPECT_STREQ(rig.allocator.info(allocation)->name, "first");
  EXPECT_EQ(rig.allocator.info(allocation)->user_data, &thing);
  EXPECT_TRUE(rig.allocator.set_name(allocation, "second"));
  EXPECT_STREQ(rig.allocator.info(allocation)->name, "second");
  EXPECT_TRUE(rig.allocator.set_name(allocation, nullptr));
  EXPECT_EQ(rig.allocator.info(allocation)->name, nullptr);
  EXPECT_TRUE(rig.allocator.set_name(allocation, ""));
  EXPECT_STREQ(rig.allocator.info(allocation)->name, "");
  EXPECT_TRUE(rig.allocator.set_user_data(allocation, nullptr));
  EXPECT_EQ(rig.allocator.info(allocation)->user_data, nullptr);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));

  const auto plain = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(plain);
  EXPECT_EQ(rig.allocator.info(plain->allocation)->name, nullptr);
  EXPECT_TRUE(rig.allocator.set_name(plain->allocation, nullptr));
  EXPECT_TRUE(rig.allocator.set_name(plain->allocation, "late"));
  EXPECT_STREQ(rig.allocator.info(plain->allocation)->name, "late");
  EXPECT_TRUE(rig.allocator.destroy(*plain));
}

}  // namespace
}  // namespace quarry::test
