// SPDX-License-Identifier: MIT
// What is declared decides what is called: Vulkan 1.0 with and without its extensions, to 1.4. The
// fake counts a call of anything else as a breach.
#include <cstdint>
#include <vector>

#include <quarry/upload_ring.hpp>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::Function;
using fakes::image_info;
using fakes::kMiB;

struct Declared {
  const char* name;
  std::uint32_t version;
  std::vector<const char*> device_extensions;
  std::vector<const char*> instance_extensions;
  EnabledFeatures features;
};

std::vector<Declared> all_declared() {
  const std::vector<const char*> khr{"VK_KHR_get_memory_requirements2",
                                     "VK_KHR_dedicated_allocation",
                                     "VK_KHR_bind_memory2",
                                     "VK_KHR_maintenance1",
                                     "VK_KHR_maintenance3",
                                     "VK_KHR_sampler_ycbcr_conversion",
                                     "VK_EXT_memory_budget"};
  const std::vector<const char*> instance{"VK_KHR_get_physical_device_properties2"};
  return {
      {"vulkan_1_0", VK_API_VERSION_1_0, {}, {}, {}},
      {"vulkan_1_0_with_extensions", VK_API_VERSION_1_0, khr, instance, {}},
      {"vulkan_1_1", VK_API_VERSION_1_1, {}, {}, {}},
      {"vulkan_1_2",
       VK_API_VERSION_1_2,
       {"VK_EXT_memory_budget"},
       {},
       {.buffer_device_address = true, .timeline_semaphore = true}},
      {"vulkan_1_3",
       VK_API_VERSION_1_3,
       {},
       {},
       {.buffer_device_address = true, .maintenance4 = true, .timeline_semaphore = true}},
      {"vulkan_1_3_without_features", VK_API_VERSION_1_3, {}, {}, {}},
      {"vulkan_1_4",
       VK_MAKE_API_VERSION(0, 1, 4, 0),
       {"VK_EXT_memory_priority"},
       {},
       {.buffer_device_address = true,
        .memory_priority = true,
        .maintenance4 = true,
        .maintenance5 = true,
        .timeline_semaphore = true}},
  };
}

FakeProfile profile_of(const Declared& declared) {
  FakeProfile profile = fakes::profiles::discrete();
  profile.api_version = VK_MAKE_API_VERSION(0, 1, 4, 0);
  profile.declared_version = declared.version;
  profile.device_extensions = declared.device_extensions;
  profile.instance_extensions = declared.instance_extensions;
  profile.features = declared.features;
  profile.prefers_dedicated_bytes = 1 * kMiB;
  return profile;
}

class Versions : public testing::TestWithParam<Declared> {};

TEST_P(Versions, EverythingWorksWithWhatIsDeclared) {
  Rig rig(profile_of(GetParam()));
  Allocator& allocator = rig.allocator;
  const auto buffer = allocator.create_buffer(buffer_info(1'000), {.movable = true});
  const auto image = allocator.create_image(image_info(64, 64), {.movable = true});
  const auto target = allocator.create_image(
      image_info(512, 512, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT));
  const auto own = allocator.create_buffer(buffer_info(1'000), {.dedicated = Dedicated::always});
  ASSERT_TRUE(buffer && image && target && own);
  const bool knows_dedicated = allocator.facts().uses_dedicated_allocation;
  EXPECT_EQ(allocator.info(target->allocations[0])->dedicated, knows_dedicated);
  const auto own_memory = allocator.info(own->allocation)->memory;
  EXPECT_EQ(rig.gpu.memory_facts(own_memory)->dedicated, knows_dedicated);
  EXPECT_TRUE(allocator.explain(buffer_info(5'000)));
  EXPECT_TRUE(allocator.explain(image_info(16, 16)));
  allocator.tick();
  {
    auto ring = UploadRing::create(allocator, {.bytes = 10'000});
    ASSERT_TRUE(ring);
    ASSERT_TRUE(ring->allocate(100));
    if (GetParam().features.timeline_semaphore) {
      const VkSemaphore semaphore = rig.gpu.create_timeline_semaphore(1);
      EXPECT_TRUE(ring->close(semaphore, 1));
    } else {
      const VkFence fence = rig.gpu.create_fence(true);
      EXPECT_TRUE(ring->close_with_fence(fence));
    }
    EXPECT_EQ(*ring->collect(), 100u);
  }
  for (const Buffer& each : {*buffer, *own})
    EXPECT_TRUE(allocator.destroy(each));
  for (const Image& each : {*image, *target})
    EXPECT_TRUE(allocator.destroy(each));
}

TEST_P(Versions, DisjointImagesWhereTheyAreKnown) {
  Rig rig(profile_of(GetParam()));
  const bool known =
      GetParam().version >= VK_API_VERSION_1_1 || !GetParam().device_extensions.empty();
  const auto image = rig.allocator.create_image(fakes::disjoint_image_info(64, 64));
  EXPECT_EQ(reason_of(image), known ? Reason::none : Reason::feature_not_enabled);
  EXPECT_EQ(reason_of(rig.allocator.explain(fakes::disjoint_image_info(64, 64))),
            known ? Reason::none : Reason::feature_not_enabled);
  if (image) {
    EXPECT_TRUE(rig.allocator.destroy(*image));
  }
}

TEST_P(Versions, FunctionsOfTheTableThatAreNotDeclaredAreNotCalled) {
  const VulkanFunctions table = fakes::FakeGpu::functions();
  Rig rig(profile_of(GetParam()), [&](AllocatorDesc& desc) {
    desc.get_instance_proc_addr = nullptr;
    desc.functions = &table;
  });
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000));
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(rig.allocator.explain(buffer_info(1'000)));
  rig.allocator.tick();
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  const bool budget = rig.allocator.facts().uses_memory_budget;
  EXPECT_EQ(rig.gpu.calls(Function::get_physical_device_memory_properties2), budget ? 1u : 0u);
}

TEST_P(Versions, DeviceAddressesNeedTheFeature) {
  Rig rig(profile_of(GetParam()));
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000));
  const auto image = rig.allocator.create_image(image_info(64, 64));
  ASSERT_TRUE(buffer && image);
  EXPECT_EQ(rig.gpu.memory_facts(rig.allocator.info(buffer->allocation)->memory)->device_address,
            GetParam().features.buffer_device_address);
  EXPECT_FALSE(
      rig.gpu.memory_facts(rig.allocator.info(image->allocations[0])->memory)->device_address);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  EXPECT_TRUE(rig.allocator.destroy(*image));
}

INSTANTIATE_TEST_SUITE_P(Declared, Versions, testing::ValuesIn(all_declared()),
                         [](const testing::TestParamInfo<Declared>& tested) {
                           return tested.param.name;
                         });

}  // namespace
}  // namespace quarry::test
