// SPDX-License-Identifier: MIT
#include "heap/router.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::image_info;
using fakes::kGiB;
using fakes::kKiB;
using fakes::kMiB;

constexpr std::uint32_t kDevice = 1;  ///< of profiles::discrete()
constexpr std::uint32_t kHost = 2;
constexpr std::uint32_t kHostCached = 3;
constexpr std::uint32_t kWindow = 4;

VkDeviceMemory memory_of(Rig& rig, Allocation allocation) {
  const auto info = rig.allocator.info(allocation);
  EXPECT_TRUE(info);
  return info ? info->memory : VK_NULL_HANDLE;
}

// ---- Memory types by intent

std::uint32_t type_for(Rig& rig, const AllocationDesc& desc) {
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000), desc);
  EXPECT_TRUE(buffer);
  if (!buffer) return ~0u;
  const std::uint32_t type = rig.allocator.info(buffer->allocation)->memory_type;
  const auto selected = rig.allocator.select_memory_type(~0u, desc);
  EXPECT_TRUE(selected);
  EXPECT_EQ(selected ? *selected : ~0u, type);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  return type;
}

TEST(Router, EachIntentHasItsType) {
  Rig rig(fakes::profiles::discrete());
  EXPECT_EQ(type_for(rig, {.intent = MemoryIntent::device}), kDevice);
  EXPECT_EQ(type_for(rig, {.intent = MemoryIntent::upload}), kHost);
  EXPECT_EQ(type_for(rig, {.intent = MemoryIntent::readback}), kHostCached);
  EXPECT_EQ(type_for(rig, {.intent = MemoryIntent::device_upload}), kWindow);
  EXPECT_EQ(type_for(rig, {.intent = MemoryIntent::transient_attachment}), kDevice);
  EXPECT_EQ(type_for(rig, {.intent = MemoryIntent::flags,
                           .required_flags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT}),
            kHostCached);
  EXPECT_EQ(type_for(rig, {.intent = MemoryIntent::upload,
                           .preferred_flags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT}),
            kHostCached);
  EXPECT_EQ(type_for(rig, {.intent = MemoryIntent::upload,
                           .forbidden_flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                           .memory_type_bits = ~(1u << kHost)}),
            kHostCached);
}

TEST(Router, DeviceUploadTellsWhenATransferIsNeeded) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.buffer_type_bits = ~(1u << kWindow);
  Rig rig(profile);
  const auto buffer = rig.allocator.create_buffer(
      buffer_info(1'000), {.intent = MemoryIntent::device_upload, .mapped = true});
  ASSERT_TRUE(buffer);
  const auto info = rig.allocator.info(buffer->allocation);
  EXPECT_EQ(info->property_flags, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  EXPECT_EQ(info->mapped, nullptr);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Router, ATransientAttachmentGoesToLazyMemoryHoweverItIsAllocated) {
  Rig rig(fakes::profiles::mobile());
  const VkImageCreateInfo info =
      image_info(64, 64, VK_FORMAT_R8G8B8A8_UNORM,
                 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
  const AllocationDesc desc{.intent = MemoryIntent::transient_attachment};
  const auto image = rig.allocator.create_image(info, desc);
  ASSERT_TRUE(image);
  EXPECT_EQ(rig.allocator.info(image->allocations[0])->memory_type, 1u);

  VkImage own = VK_NULL_HANDLE;
  ASSERT_EQ(fakes::FakeGpu::functions().vkCreateImage(rig.gpu.device(), &info, nullptr, &own),
            VK_SUCCESS);
  const auto memory = rig.allocator.allocate_for_image(own, VK_IMAGE_TILING_OPTIMAL, desc);
  ASSERT_TRUE(memory);
  EXPECT_EQ(rig.allocator.info(*memory)->memory_type, 1u);
  EXPECT_TRUE(rig.allocator.bind_image(*memory, own));
  fakes::FakeGpu::functions().vkDestroyImage(rig.gpu.device(), own, nullptr);
  EXPECT_TRUE(rig.allocator.free(*memory));
  EXPECT_TRUE(rig.allocator.destroy(*image));

  // An image that is none, with the same wish.
  const auto plain = rig.allocator.create_image(image_info(64, 64), desc);
  ASSERT_TRUE(plain);
  EXPECT_NE(rig.allocator.info(plain->allocations[0])->memory_type, 1u);
  EXPECT_TRUE(rig.allocator.destroy(*plain));
}

TEST(Router, NoTypeIsNoShortage) {
  Rig rig(fakes::profiles::discrete());
  const auto none = rig.allocator.create_buffer(buffer_info(16), {.memory_type_bits = 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, Reason::no_memory_type);
  EXPECT_EQ(none.error().code, VK_ERROR_FEATURE_NOT_PRESENT);
  EXPECT_EQ(none.error().tried, 0u);
  EXPECT_EQ(reason_of(rig.allocator.select_memory_type(0, {})), Reason::no_memory_type);
  EXPECT_EQ(reason_of(rig.allocator.allocate(requirements(16, 1, 0), ResourceKind::linear)),
            Reason::no_memory_type);
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(20 * kGiB))),
            Reason::larger_than_heap);
}

// ---- Which block

TEST(Router, LinearAndOptimalNeverShareABlockWhereGranulesAreWide) {
  for (const VkDeviceSize granularity : {VkDeviceSize{1}, VkDeviceSize{4'096}}) {
    FakeProfile profile = fakes::profiles::discrete();
    profile.granularity = granularity;
    Rig rig(profile);
    const auto buffer = rig.allocator.create_buffer(buffer_info(100));
    const auto image = rig.allocator.create_image(image_info(16, 16));
    ASSERT_TRUE(buffer && image);
    EXPECT_EQ(memory_of(rig, buffer->allocation) == memory_of(rig, image->allocations[0]),
              granularity == 1);
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
    EXPECT_TRUE(rig.allocator.destroy(*image));
  }
}

TEST(Router, LifetimesAndPrioritiesNeverShareABlock) {
  Rig rig(fakes::profiles::rebar());
  std::vector<Buffer> buffers;
  std::vector<VkDeviceMemory> memories;
  for (const Lifetime lifetime :
       {Lifetime::unspecified, Lifetime::short_lived, Lifetime::long_lived}) {
    for (const float priority : {0.0f, 0.5f, 1.0f}) {
      const auto buffer = rig.allocator.create_buffer(buffer_info(100),
                                                      {.lifetime = lifetime, .priority = priority});
      ASSERT_TRUE(buffer);
      buffers.push_back(*buffer);
      const VkDeviceMemory memory = memory_of(rig, buffer->allocation);
      EXPECT_EQ(rig.gpu.memory_facts(memory)->priority, priority);
      for (const VkDeviceMemory other : memories)
        EXPECT_NE(memory, other);
      memories.push_back(memory);
    }
  }
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

TEST(Router, PrioritiesAreNothingWithoutTheExtension) {
  Rig rig(fakes::profiles::discrete());
  const auto low = rig.allocator.create_buffer(buffer_info(100), {.priority = 0.0f});
  const auto high = rig.allocator.create_buffer(buffer_info(100), {.priority = 1.0f});
  ASSERT_TRUE(low && high);
  EXPECT_EQ(memory_of(rig, low->allocation), memory_of(rig, high->allocation));
  EXPECT_TRUE(rig.allocator.destroy(*low));
  EXPECT_TRUE(rig.allocator.destroy(*high));
}

TEST(Router, PrioritiesOutOfRangeAreClamped) {
  Rig rig(fakes::profiles::rebar());
  for (const float priority : {-1.0f, 7.0f, std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()}) {
    for (const Dedicated dedicated : {Dedicated::automatic, Dedicated::always}) {
      const auto buffer = rig.allocator.create_buffer(
          buffer_info(100), {.dedicated = dedicated, .priority = priority});
      ASSERT_TRUE(buffer);
      EXPECT_TRUE(rig.allocator.destroy(*buffer));
    }
  }
}

TEST(Router, TheLowestBlockWithRoomIsUsed) {
  Rig rig(fakes::profiles::discrete());
  const auto first = rig.allocator.create_buffer(buffer_info(3 * kMiB));
  const auto second = rig.allocator.create_buffer(buffer_info(3 * kMiB));
  ASSERT_TRUE(first && second);
  ASSERT_NE(memory_of(rig, first->allocation), memory_of(rig, second->allocation));
  ASSERT_TRUE(rig.allocator.destroy(*first));
  const auto third = rig.allocator.create_buffer(buffer_info(3 * kMiB));
  ASSERT_TRUE(third);
  EXPECT_EQ(rig.driver_allocations(), 2u);
  EXPECT_TRUE(rig.allocator.destroy(*second));
  EXPECT_TRUE(rig.allocator.destroy(*third));
}

TEST(Router, AlignmentFloorsAreHonoured) {
  Rig rig(fakes::profiles::discrete());
  const auto first = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(first);
  for (const VkDeviceSize alignment :
       {VkDeviceSize{1}, VkDeviceSize{4'096}, 1 * kMiB, 1 * kGiB, VkDeviceSize{1} << 63}) {
    const auto buffer =
        rig.allocator.create_buffer(buffer_info(100), {.minimum_alignment = alignment});
    ASSERT_TRUE(buffer);
    EXPECT_EQ(rig.allocator.info(buffer->allocation)->offset % alignment, 0u);
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
  }
  EXPECT_TRUE(rig.allocator.destroy(*first));
}

// ---- Dedicated memory

TEST(Router, DedicatedWhereTheDriverPrefersItAsLongAsObjectsAreToSpare) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.prefers_dedicated_bytes = 1 * kMiB;
  profile.maximum_allocation_count = 8;  // 6 are three quarters
  Rig rig(profile);
  const VkImageCreateInfo target =
      image_info(512, 512, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  std::vector<Image> images;
  for (int i = 0; i < 12; ++i) {
    const auto image = rig.allocator.create_image(target);
    ASSERT_TRUE(image);
    EXPECT_EQ(rig.allocator.info(image->allocations[0])->dedicated, i < 6);
    images.push_back(*image);
  }
  for (const Image& image : images)
    EXPECT_TRUE(rig.allocator.destroy(image));
}

TEST(Router, APreferenceGivesWayToAWishAndToAliasing) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.prefers_dedicated_bytes = 1 * kMiB;
  Rig rig(profile);
  const VkImageCreateInfo target =
      image_info(512, 512, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  for (const AllocationDesc& desc :
       {AllocationDesc{.dedicated = Dedicated::never}, AllocationDesc{.can_alias = true}}) {
    const auto image = rig.allocator.create_image(target, desc);
    ASSERT_TRUE(image);
    EXPECT_FALSE(rig.allocator.info(image->allocations[0])->dedicated);
    EXPECT_TRUE(rig.allocator.destroy(*image));
  }
}

TEST(Router, WhatIsWishedToBeDedicatedIsWhateverItsSize) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer =
      rig.allocator.create_buffer(buffer_info(16), {.dedicated = Dedicated::always});
  const auto raw = rig.allocator.allocate(requirements(1'000), ResourceKind::unknown,
                                          {.dedicated = Dedicated::always});
  ASSERT_TRUE(buffer && raw);
  EXPECT_TRUE(rig.allocator.info(buffer->allocation)->dedicated);
  EXPECT_EQ(rig.gpu.memory_facts(memory_of(rig, *raw))->size, 1'000u);
  EXPECT_FALSE(rig.gpu.memory_facts(memory_of(rig, *raw))->dedicated) << "no resource is known";
  EXPECT_EQ(rig.allocator.totals().dedicated_count, 2u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  EXPECT_TRUE(rig.allocator.free(*raw));
  EXPECT_EQ(rig.gpu.live().memories, 0u) << "dedicated memory goes at once";
}

TEST(Router, ADedicatedRequestThatFindsNoRoomIsSuballocatedUnlessItIsDemanded) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.prefers_dedicated_bytes = 1 * kMiB;
  Rig rig(profile);
  const VkImageCreateInfo target =
      image_info(512, 512, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  rig.gpu.refuse_allocations([](const VkMemoryAllocateInfo& info) {
    return info.pNext != nullptr && info.allocationSize < 2 * kMiB ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                                                   : VK_SUCCESS;
  });
  const auto preferred = rig.allocator.create_image(target);
  ASSERT_TRUE(preferred);
  EXPECT_FALSE(rig.allocator.info(preferred->allocations[0])->dedicated);
  EXPECT_EQ(reason_of(rig.allocator.create_image(target, {.dedicated = Dedicated::always})),
            Reason::out_of_device_memory);
  rig.gpu.refuse_allocations(nullptr);
  EXPECT_TRUE(rig.allocator.destroy(*preferred));
}

TEST(Router, TheNumberOfMemoryObjectsIsNeverExceeded) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.maximum_allocation_count = 4;
  Rig rig(profile);
  std::vector<Buffer> buffers;
  for (int i = 0; i < 4; ++i) {
    const auto buffer =
        rig.allocator.create_buffer(buffer_info(16), {.dedicated = Dedicated::always});
    ASSERT_TRUE(buffer);
    buffers.push_back(*buffer);
  }
  const auto refused =
      rig.allocator.create_buffer(buffer_info(16), {.dedicated = Dedicated::always});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::too_many_allocations);
  EXPECT_EQ(refused.error().code, VK_ERROR_TOO_MANY_OBJECTS);
  EXPECT_EQ(rig.driver_allocations(), 4u);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

// ---- Within the budget, on every path

struct BudgetPath {
  const char* name;
  AllocationDesc desc;
  bool in_pool = false;
};

class WithinBudget : public testing::TestWithParam<BudgetPath> {};

TEST_P(WithinBudget, NothingIsMadeBeyondIt) {
  FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = 1 * kGiB;
  Rig rig(profile, [](AllocatorDesc& desc) { desc.assumed_budget_share = 0.125; });
  // 128 MiB, of which 10.24 MiB stay free.
  AllocationDesc desc = GetParam().desc;
  desc.within_budget = true;
  Pool pool;
  if (GetParam().in_pool) {
    pool = *rig.allocator.create_pool({.block_bytes = 16 * kMiB});
    desc.pool = pool;
  }
  std::vector<Buffer> buffers;
  Reason reason = Reason::none;
  for (int i = 0; i < 200 && reason == Reason::none; ++i) {
    const auto buffer = rig.allocator.create_buffer(buffer_info(3 * kMiB), desc);
    reason = reason_of(buffer);
    if (buffer) buffers.push_back(*buffer);
  }
  EXPECT_EQ(reason, Reason::over_budget);
  EXPECT_LE(rig.gpu.used_bytes(0), 128 * kMiB);
  EXPECT_GE(rig.gpu.used_bytes(0), 96 * kMiB);
  // Who does not care gets more.
  AllocationDesc careless = desc;
  careless.within_budget = false;
  const auto beyond = rig.allocator.create_buffer(buffer_info(3 * kMiB), careless);
  ASSERT_TRUE(beyond);
  EXPECT_TRUE(rig.allocator.destroy(*beyond));
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  if (pool) {
    EXPECT_TRUE(rig.allocator.destroy_pool(pool));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Paths, WithinBudget,
    testing::Values(BudgetPath{"blocks", {}},
                    BudgetPath{"dedicated", {.dedicated = Dedicated::always}},
                    BudgetPath{"suballocated", {.dedicated = Dedicated::never}},
                    BudgetPath{"mapped", {.mapped = true}}, BudgetPath{"pool", {}, true},
                    BudgetPath{"dedicated_in_a_pool", {.dedicated = Dedicated::always}, true}),
    [](const testing::TestParamInfo<BudgetPath>& tested) { return tested.param.name; });

TEST(Router, BeyondTheBudgetNothingIsMadeForConvenience) {
  FakeProfile profile = fakes::profiles::single_type();
  profile.heaps[0].size = 1 * kGiB;
  Rig rig(profile, [](AllocatorDesc& desc) { desc.assumed_budget_share = 0.015625; });
  // 16 MiB, of which 10.24 stay free: 5.76 MiB.
  const auto first = rig.allocator.create_buffer(buffer_info(5 * kMiB));
  ASSERT_TRUE(first);
  const VkDeviceSize before = rig.gpu.used_bytes(0);
  EXPECT_LE(before, 16 * kMiB - 10 * kMiB);
  const auto beyond = rig.allocator.create_buffer(buffer_info(3 * kMiB));
  ASSERT_TRUE(beyond);
  EXPECT_EQ(rig.gpu.used_bytes(0), before + 3 * kMiB);
  EXPECT_TRUE(rig.allocator.destroy(*first));
  EXPECT_TRUE(rig.allocator.destroy(*beyond));
}

TEST(Router, EveryTypeIsTriedWithinItsBudgetBeforeAnyIsExceeded) {
  FakeProfile profile = fakes::profiles::small_first_device();
  profile.device_extensions.clear();
  Rig rig(profile, [](AllocatorDesc& desc) { desc.assumed_budget_share = 0.25; });
  // 64 MiB of heap 0, 2 GiB of heap 1.
  const auto first = rig.allocator.create_buffer(buffer_info(55 * kMiB));
  const auto second = rig.allocator.create_buffer(buffer_info(55 * kMiB));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(rig.allocator.info(first->allocation)->memory_type, 0u);
  EXPECT_EQ(rig.allocator.info(second->allocation)->memory_type, 1u);
  EXPECT_TRUE(rig.allocator.destroy(*first));
  EXPECT_TRUE(rig.allocator.destroy(*second));
}

// ---- Bad descriptions

TEST(Router, GarbageInADescriptionIsRefusedByEveryFunctionThatTakesOne) {
  Rig rig(fakes::profiles::discrete());
  struct Bad {
    AllocationDesc desc;
    Reason reason;
  };
  const Bad all[] = {
      {{.intent = static_cast<MemoryIntent>(6)}, Reason::bad_argument},
      {{.intent = static_cast<MemoryIntent>(255)}, Reason::bad_argument},
      {{.lifetime = static_cast<Lifetime>(3)}, Reason::bad_argument},
      {{.dedicated = static_cast<Dedicated>(3)}, Reason::bad_argument},
      {{.minimum_alignment = 0}, Reason::bad_alignment},
      {{.minimum_alignment = 3}, Reason::bad_alignment},
      {{.minimum_alignment = ~VkDeviceSize{0}}, Reason::bad_alignment},
      {{.tag = Tag{1}}, Reason::bad_argument},
  };
  const VkBufferCreateInfo buffer = buffer_info(64);
  const VkImageCreateInfo image = image_info(8, 8);
  VkBuffer own_buffer = VK_NULL_HANDLE;
  VkImage own_image = VK_NULL_HANDLE;
  const VulkanFunctions vk = fakes::FakeGpu::functions();
  ASSERT_EQ(vk.vkCreateBuffer(rig.gpu.device(), &buffer, nullptr, &own_buffer), VK_SUCCESS);
  ASSERT_EQ(vk.vkCreateImage(rig.gpu.device(), &image, nullptr, &own_image), VK_SUCCESS);
  Allocator& a = rig.allocator;
  for (const auto& [desc, reason] : all) {
    EXPECT_EQ(reason_of(a.create_buffer(buffer, desc)), reason);
    EXPECT_EQ(reason_of(a.create_image(image, desc)), reason);
    EXPECT_EQ(reason_of(a.allocate(requirements(64), ResourceKind::linear, desc)), reason);
    EXPECT_EQ(reason_of(a.allocate_for_buffer(own_buffer, desc)), reason);
    EXPECT_EQ(reason_of(a.allocate_for_image(own_image, VK_IMAGE_TILING_OPTIMAL, desc)), reason);
    EXPECT_EQ(reason_of(a.select_memory_type(~0u, desc)), reason);
    EXPECT_EQ(reason_of(a.explain(buffer, desc)), reason);
    EXPECT_EQ(reason_of(a.explain(image, desc)), reason);
    EXPECT_EQ(reason_of(a.explain(requirements(64), ResourceKind::linear, desc)), reason);
  }
  EXPECT_EQ(a.totals().allocation_count, 0u);
  EXPECT_EQ(rig.driver_allocations(), 0u);
  vk.vkDestroyBuffer(rig.gpu.device(), own_buffer, nullptr);
  vk.vkDestroyImage(rig.gpu.device(), own_image, nullptr);
}

TEST(Router, GarbageInRequirementsIsRefused) {
  Rig rig(fakes::profiles::discrete());
  Allocator& a = rig.allocator;
  const auto expect = [&](const VkMemoryRequirements& needed, ResourceKind kind, Reason reason) {
    EXPECT_EQ(reason_of(a.allocate(needed, kind)), reason);
    EXPECT_EQ(reason_of(a.explain(needed, kind)), reason);
  };
  expect(requirements(0), ResourceKind::linear, Reason::size_zero);
  expect(requirements(16, 0), ResourceKind::linear, Reason::bad_alignment);
  expect(requirements(16, 24), ResourceKind::linear, Reason::bad_alignment);
  expect(requirements(16), static_cast<ResourceKind>(3), Reason::bad_argument);
  EXPECT_EQ(reason_of(a.allocate(requirements(~VkDeviceSize{0}), ResourceKind::unknown)),
            Reason::larger_than_heap);
  EXPECT_EQ(reason_of(a.allocate(requirements(VkDeviceSize{1} << 63, VkDeviceSize{1} << 63),
                                 ResourceKind::optimal)),
            Reason::larger_than_heap);
  EXPECT_EQ(reason_of(a.allocate_for_buffer(VK_NULL_HANDLE)), Reason::bad_argument);
  EXPECT_EQ(reason_of(a.allocate_for_image(VK_NULL_HANDLE, VK_IMAGE_TILING_OPTIMAL)),
            Reason::bad_argument);
}

TEST(Router, SizesOfZeroAreRefusedWithoutADriverCall) {
  Rig rig(fakes::profiles::discrete());
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(0))), Reason::size_zero);
  EXPECT_EQ(reason_of(rig.allocator.explain(buffer_info(0))), Reason::size_zero);
  for (const VkImageCreateInfo& info : {image_info(0, 4), image_info(4, 0)}) {
    EXPECT_EQ(reason_of(rig.allocator.create_image(info)), Reason::size_zero);
    EXPECT_EQ(reason_of(rig.allocator.explain(info)), Reason::size_zero);
  }
  EXPECT_EQ(rig.gpu.calls(), 0u);
}

}  // namespace
}  // namespace quarry::test
