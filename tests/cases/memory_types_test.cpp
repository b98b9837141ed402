// SPDX-License-Identifier: MIT
// F01 to F10: memory types and heaps as devices in the field have them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::Function;
using fakes::image_info;
using fakes::kGiB;
using fakes::kKiB;
using fakes::kMiB;

constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;

constexpr std::array kIntents{MemoryIntent::device,
                              MemoryIntent::upload,
                              MemoryIntent::readback,
                              MemoryIntent::device_upload,
                              MemoryIntent::transient_attachment,
                              MemoryIntent::flags};

/// The type of a buffer made so; destroyed again.
std::uint32_t type_of_buffer(Rig& rig, VkDeviceSize size, const AllocationDesc& desc) {
  const auto buffer = rig.allocator.create_buffer(buffer_info(size), desc);
  EXPECT_TRUE(buffer) << to_string(reason_of(buffer));
  if (!buffer) return VK_MAX_MEMORY_TYPES;
  const std::uint32_t type = rig.allocator.info(buffer->allocation)->memory_type;
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  return type;
}

TEST(Cases, F01TheLayoutDecidesAndNotWhatTheDeviceCallsItself) {
  FakeProfile integrated = fakes::profiles::apu_carve_out();
  FakeProfile discrete = integrated;
  discrete.device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  Rig a(integrated);
  Rig b(discrete);
  for (const MemoryIntent intent : kIntents) {
    for (const VkDeviceSize size : {VkDeviceSize{1'000}, 20 * kMiB, 300 * kMiB}) {
      EXPECT_EQ(type_of_buffer(a, size, {.intent = intent}),
                type_of_buffer(b, size, {.intent = intent}));
    }
  }
  EXPECT_EQ(type_of_buffer(a, 1'000, {.intent = MemoryIntent::device_upload}), 2u);
  EXPECT_EQ(type_of_buffer(a, 1'000, {.intent = MemoryIntent::readback}), 3u);
}

TEST(Cases, F02TheOnlyTypeServesEveryIntent) {
  Rig rig(fakes::profiles::integrated());
  for (const MemoryIntent intent : kIntents)
    EXPECT_EQ(type_of_buffer(rig, 1'000, {.intent = intent}), 0u);
  const auto image = rig.allocator.create_image(image_info(64, 64));
  ASSERT_TRUE(image);
  EXPECT_TRUE(rig.allocator.destroy(*image));
}

TEST(Cases, F03AHeapThatIsTooSmallIsNeverAskedForMoreThanItHas) {
  FakeProfile profile = fakes::profiles::tiny_first_heap();
  profile.adjust_image = [](const VkImageCreateInfo&, std::uint32_t,
                            fakes::FakeRequirements& needed) {
    needed.memory.size = 16'777'224;
    needed.memory.alignment = 8;
    needed.memory.memoryTypeBits = 3;
  };
  Rig rig(profile);
  bool too_large = false;
  rig.gpu.refuse_allocations([&](const VkMemoryAllocateInfo& info) {
    too_large |= info.memoryTypeIndex == 0 && info.allocationSize > 16'777'216;
    return VK_SUCCESS;
  });
  std::vector<Image> images;
  for (int i = 0; i < 4; ++i) {
    const auto image = rig.allocator.create_image(image_info(2'048, 2'048));
    ASSERT_TRUE(image);
    EXPECT_EQ(rig.allocator.info(image->allocations[0])->memory_type, 1u);
    images.push_back(*image);
  }
  EXPECT_FALSE(too_large);
  for (const Image& image : images)
    EXPECT_TRUE(rig.allocator.destroy(image));
}

TEST(Cases, F04AWindowThatIsTooSmallIsPassedOverWithoutADriverCall) {
  Rig rig(fakes::profiles::small_window());
  bool window_asked = false;
  rig.gpu.refuse_allocations([&](const VkMemoryAllocateInfo& info) {
    window_asked |= info.memoryTypeIndex == 1;
    return VK_SUCCESS;
  });
  EXPECT_EQ(
      type_of_buffer(rig, 536'870'912, {.intent = MemoryIntent::upload, .preferred_flags = kLocal}),
      2u);
  EXPECT_EQ(type_of_buffer(rig, 536'870'912,
                           {.intent = MemoryIntent::device_upload, .required_flags = kVisible}),
            2u);
  EXPECT_FALSE(window_asked);
}

TEST(Cases, F05AStagingBufferDoesNotGoIntoTheSmallWindow) {
  Rig rig(fakes::profiles::window_and_cached());
  const VkBufferCreateInfo info = buffer_info(256 * kMiB, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const auto buffer = rig.allocator.create_buffer(info, {.intent = MemoryIntent::upload});
  ASSERT_TRUE(buffer);
  EXPECT_EQ(rig.allocator.info(buffer->allocation)->memory_type, 2u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Cases, F06DeviceCoherentTypesAreNotEvenAFallback) {
  Rig rig(fakes::profiles::amd());
  bool twin_asked = false;
  rig.gpu.refuse_allocations([&](const VkMemoryAllocateInfo& info) {
    twin_asked |= info.memoryTypeIndex >= 4;
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  });
  for (const MemoryIntent intent : kIntents) {
    for (const Dedicated dedicated : {Dedicated::automatic, Dedicated::always}) {
      EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(1'000),
                                                      {.intent = intent, .dedicated = dedicated})),
                Reason::out_of_device_memory);
      EXPECT_EQ(reason_of(rig.allocator.allocate(requirements(1'000), ResourceKind::unknown,
                                                 {.intent = intent, .dedicated = dedicated})),
                Reason::out_of_device_memory);
    }
  }
  EXPECT_EQ(reason_of(rig.allocator.create_buffer(buffer_info(1'000), {.memory_type_bits = 0xF0})),
            Reason::no_memory_type);
  EXPECT_FALSE(twin_asked);
  rig.gpu.refuse_allocations(nullptr);
}

TEST(Cases, F07WhetherMemoryIsCoherentCanBeSeenAndAskedFor) {
  Rig rig(fakes::profiles::non_coherent());
  const auto seen = rig.allocator.create_buffer(
      buffer_info(1'000), {.intent = MemoryIntent::device_upload, .mapped = true});
  const auto asked =
      rig.allocator.create_buffer(buffer_info(1'000), {.intent = MemoryIntent::device_upload,
                                                       .mapped = true,
                                                       .required_flags = kVisible | kCoherent});
  ASSERT_TRUE(seen && asked);
  EXPECT_EQ(rig.allocator.info(seen->allocation)->memory_type, 1u);
  EXPECT_EQ(rig.allocator.info(seen->allocation)->property_flags & kCoherent, 0u);
  EXPECT_EQ(rig.allocator.info(asked->allocation)->memory_type, 2u);
  EXPECT_NE(rig.allocator.info(asked->allocation)->property_flags & kCoherent, 0u);
  rig.gpu.reset_calls();
  EXPECT_TRUE(rig.allocator.flush(asked->allocation));
  EXPECT_EQ(rig.gpu.calls(Function::flush_mapped_memory_ranges), 0u);
  EXPECT_TRUE(rig.allocator.flush(seen->allocation));
  EXPECT_EQ(rig.gpu.calls(Function::flush_mapped_memory_ranges), 1u);
  EXPECT_TRUE(rig.allocator.destroy(*seen));
  EXPECT_TRUE(rig.allocator.destroy(*asked));
}

TEST(Cases, F08LazyMemoryIsForTransientAttachmentsAlone) {
  FakeProfile profile = fakes::profiles::single_type();
  profile.types = {{kLocal, 0}, {kLocal | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, 0}};
  const VkImageCreateInfo attachment =
      image_info(256, 256, VK_FORMAT_R8G8B8A8_UNORM,
                 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT);
  for (const std::uint32_t allowed : {3u, 1u}) {
    profile.image_type_bits = allowed;
    Rig rig(profile);
    const auto image =
        rig.allocator.create_image(attachment, {.intent = MemoryIntent::transient_attachment});
    ASSERT_TRUE(image);
    EXPECT_EQ(rig.allocator.info(image->allocations[0])->memory_type, allowed == 3 ? 1u : 0u);
    EXPECT_TRUE(rig.allocator.destroy(*image));
  }
  // A buffer whose driver reports the type all the same.
  profile.adjust_buffer = [](const VkBufferCreateInfo&, fakes::FakeRequirements& needed) {
    needed.memory.memoryTypeBits = 3;
  };
  Rig rig(profile);
  for (const MemoryIntent intent :
       {MemoryIntent::device, MemoryIntent::transient_attachment, MemoryIntent::flags}) {
    EXPECT_EQ(type_of_buffer(rig, 1'000, {.intent = intent}), 0u);
    EXPECT_EQ(type_of_buffer(
                  rig, 1'000,
                  {.intent = intent, .preferred_flags = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT}),
              0u);
  }
}

TEST(Cases, F09MappedInAPoolThatIsNotHostVisibleSucceedsUnmapped) {
  Rig rig(fakes::profiles::discrete());
  const auto pool = rig.allocator.create_pool({.memory_type = 1});
  ASSERT_TRUE(pool);
  for (const Dedicated dedicated : {Dedicated::never, Dedicated::always}) {
    const auto buffer = rig.allocator.create_buffer(
        buffer_info(1'000), {.dedicated = dedicated, .mapped = true, .pool = *pool});
    ASSERT_TRUE(buffer);
    EXPECT_EQ(rig.allocator.info(buffer->allocation)->mapped, nullptr);
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
  }
  EXPECT_EQ(rig.gpu.calls(Function::map_memory), 0u);
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Cases, F10ProtectedMemoryIsForProtectedResourcesAlone) {
  Rig rig(fakes::profiles::protected_memory());
  for (const MemoryIntent intent : kIntents) {
    const auto raw = rig.allocator.allocate(requirements(1'000), ResourceKind::unknown,
                                            {.intent = intent, .mapped = true});
    ASSERT_TRUE(raw);
    EXPECT_NE(rig.allocator.info(*raw)->memory_type, 0u);
    EXPECT_TRUE(rig.allocator.free(*raw));
  }
  VkBufferCreateInfo secret = buffer_info(1'000);
  secret.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
  const auto hidden = rig.allocator.create_buffer(secret, {.mapped = true});
  const auto open = rig.allocator.create_buffer(buffer_info(1'000));
  const auto asked = rig.allocator.allocate(
      requirements(1'000), ResourceKind::unknown,
      {.intent = MemoryIntent::flags, .required_flags = VK_MEMORY_PROPERTY_PROTECTED_BIT});
  ASSERT_TRUE(hidden && open && asked);
  EXPECT_EQ(rig.allocator.info(hidden->allocation)->memory_type, 0u);
  EXPECT_EQ(rig.allocator.info(hidden->allocation)->mapped, nullptr);
  EXPECT_EQ(rig.allocator.info(*asked)->memory_type, 0u);
  EXPECT_NE(rig.allocator.info(open->allocation)->memory,
            rig.allocator.info(hidden->allocation)->memory);
  EXPECT_EQ(reason_of(rig.allocator.map(hidden->allocation)), Reason::not_host_visible);
  EXPECT_EQ(rig.allocator.explain(hidden->allocation)->verdicts[0], TypeVerdict::chosen);
  EXPECT_EQ(rig.allocator.explain(hidden->allocation)->verdicts[1], TypeVerdict::not_in_type_bits);
  EXPECT_TRUE(rig.allocator.destroy(*hidden));
  EXPECT_TRUE(rig.allocator.destroy(*open));
  EXPECT_TRUE(rig.allocator.free(*asked));
}

}  // namespace
}  // namespace quarry::test
