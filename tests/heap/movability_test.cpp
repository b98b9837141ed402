// SPDX-License-Identifier: MIT
#include "heap/movability.hpp"

#include <cstdint>
#include <functional>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::disjoint_image_info;
using fakes::FakeProfile;
using fakes::image_info;
using fakes::kMiB;

FakeProfile with_export() {
  FakeProfile profile = fakes::profiles::discrete();
  profile.device_extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  profile.external_handle_types = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  return profile;
}

/// The verdict before, and the same after.
MovableVerdict verdict_of(Rig& rig, const VkBufferCreateInfo& info, const AllocationDesc& desc) {
  const auto before = rig.allocator.explain(info, desc);
  const auto buffer = rig.allocator.create_buffer(info, desc);
  EXPECT_TRUE(before && buffer);
  if (!before || !buffer) return MovableVerdict::not_requested;
  const auto after = rig.allocator.explain(buffer->allocation);
  EXPECT_EQ(after->movable, before->movable);
  EXPECT_EQ(rig.allocator.info(buffer->allocation)->movable,
            before->movable == MovableVerdict::movable);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
  return before->movable;
}

MovableVerdict verdict_of(Rig& rig, const VkImageCreateInfo& info, const AllocationDesc& desc) {
  const auto before = rig.allocator.explain(info, desc);
  const auto image = rig.allocator.create_image(info, desc);
  EXPECT_TRUE(before && image);
  if (!before || !image) return MovableVerdict::not_requested;
  EXPECT_EQ(rig.allocator.explain(image->allocations[0])->movable, before->movable);
  EXPECT_TRUE(rig.allocator.destroy(*image));
  return before->movable;
}

TEST(Movability, OfBuffers) {
  FakeProfile profile = with_export();
  Rig rig(profile);
  const VkBufferCreateInfo plain = buffer_info(1'000);
  EXPECT_EQ(verdict_of(rig, plain, {}), MovableVerdict::not_requested);
  EXPECT_EQ(verdict_of(rig, plain, {.movable = true}), MovableVerdict::movable);
  EXPECT_EQ(
      verdict_of(rig, plain, {.intent = MemoryIntent::upload, .mapped = true, .movable = true}),
      MovableVerdict::persistently_mapped);
  EXPECT_EQ(verdict_of(rig, plain, {.can_alias = true, .movable = true}), MovableVerdict::aliased);
  EXPECT_EQ(verdict_of(rig, buffer_info(1'000, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT),
                       {.movable = true}),
            MovableVerdict::device_address);
  EXPECT_EQ(verdict_of(rig, buffer_info(1'000, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT),
                       {.movable = true, .refetches_address = true}),
            MovableVerdict::movable);
  EXPECT_EQ(
      verdict_of(rig, buffer_info(1'000, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR),
                 {.movable = true}),
      MovableVerdict::unsupported_usage);

  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  EXPECT_EQ(verdict_of(rig, fakes::chained(plain, &external), {.movable = true}),
            MovableVerdict::imported_or_exported);
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  EXPECT_EQ(verdict_of(rig, fakes::chained(plain, &external),
                       {.movable = true, .memory_next = &exported}),
            MovableVerdict::imported_or_exported);
}

TEST(Movability, OfBuffersInPools) {
  Rig rig(with_export());
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  const auto tlsf = rig.allocator.create_pool({.memory_type = 1});
  const auto linear = rig.allocator.create_pool(
      {.memory_type = 1, .algorithm = PoolAlgorithm::linear, .block_bytes = 1 * kMiB});
  const auto buddy = rig.allocator.create_pool(
      {.memory_type = 1, .algorithm = PoolAlgorithm::buddy, .block_bytes = 1 * kMiB});
  ASSERT_TRUE(tlsf && linear && buddy);
  const VkBufferCreateInfo plain = buffer_info(1'000);
  EXPECT_EQ(verdict_of(rig, plain, {.movable = true, .pool = *tlsf}), MovableVerdict::movable);
  EXPECT_EQ(verdict_of(rig, plain, {.movable = true, .pool = *linear}),
            MovableVerdict::custom_pool);
  EXPECT_EQ(verdict_of(rig, plain, {.movable = true, .pool = *buddy}), MovableVerdict::custom_pool);
  for (const Pool pool : {*tlsf, *linear, *buddy})
    EXPECT_TRUE(rig.allocator.destroy_pool(pool));

  const auto exporting = rig.allocator.create_pool({.memory_type = 1, .memory_next = &exported});
  ASSERT_TRUE(exporting);
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  EXPECT_EQ(
      verdict_of(rig, fakes::chained(plain, &external), {.movable = true, .pool = *exporting}),
      MovableVerdict::imported_or_exported);
  EXPECT_TRUE(rig.allocator.destroy_pool(*exporting));
}

TEST(Movability, OfImages) {
  Rig rig(with_export());
  const VkImageCreateInfo plain = image_info(64, 64);
  EXPECT_EQ(verdict_of(rig, plain, {}), MovableVerdict::not_requested);
  EXPECT_EQ(verdict_of(rig, plain, {.movable = true}), MovableVerdict::movable);
  EXPECT_EQ(verdict_of(rig, disjoint_image_info(64, 64), {.movable = true}),
            MovableVerdict::disjoint);
  EXPECT_EQ(verdict_of(rig,
                       image_info(64, 64, VK_FORMAT_R8G8B8A8_UNORM,
                                  VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                      VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT),
                       {.movable = true}),
            MovableVerdict::transient);
  VkImageCreateInfo alias = plain;
  alias.flags = VK_IMAGE_CREATE_ALIAS_BIT;
  EXPECT_EQ(verdict_of(rig, alias, {.movable = true}), MovableVerdict::aliased);
  VkExternalMemoryImageCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  EXPECT_EQ(verdict_of(rig, fakes::chained(plain, &external), {.movable = true}),
            MovableVerdict::imported_or_exported);
}

TEST(Movability, OfProtectedResources) {
  Rig rig(fakes::profiles::protected_memory());
  VkBufferCreateInfo buffer = buffer_info(1'000);
  buffer.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
  EXPECT_EQ(verdict_of(rig, buffer, {.movable = true}), MovableVerdict::protected_memory);
  VkImageCreateInfo image = image_info(64, 64);
  image.flags = VK_IMAGE_CREATE_PROTECTED_BIT;
  EXPECT_EQ(verdict_of(rig, image, {.movable = true}), MovableVerdict::protected_memory);
}

TEST(Movability, OfWhatTheLibraryDidNotCreate) {
  Rig rig(fakes::profiles::discrete());
  const auto raw =
      rig.allocator.allocate(requirements(1'000), ResourceKind::linear, {.movable = true});
  ASSERT_TRUE(raw);
  EXPECT_EQ(rig.allocator.explain(*raw)->movable, MovableVerdict::not_created_here);
  EXPECT_TRUE(rig.allocator.free(*raw));
}

TEST(Movability, AnUnknownStructureInTheChainIsTold) {
  FakeProfile profile = fakes::profiles::discrete();
  Rig rig(profile);
  VkBaseInStructure unknown{};
  unknown.sType = static_cast<VkStructureType>(1'999'999'999);
  rig.gpu.permit(fakes::Rule::chain_unknown);
  EXPECT_EQ(verdict_of(rig, fakes::chained(buffer_info(1'000), &unknown), {.movable = true}),
            MovableVerdict::unknown_create_info);
  EXPECT_EQ(verdict_of(rig, fakes::chained(image_info(16, 16), &unknown), {.movable = true}),
            MovableVerdict::unknown_create_info);
}

TEST(Movability, AMovableResourceIsMadeWithTransferUsagesAndItsInfoIsKept) {
  VkBufferUsageFlags buffer_usage = 0;
  VkImageUsageFlags image_usage = 0;
  FakeProfile profile = fakes::profiles::discrete();
  profile.adjust_buffer = [&](const VkBufferCreateInfo& info, fakes::FakeRequirements&) {
    buffer_usage = info.usage;
  };
  profile.adjust_image = [&](const VkImageCreateInfo& info, std::uint32_t,
                             fakes::FakeRequirements&) { image_usage = info.usage; };
  Rig rig(profile);
  const std::size_t before = rig.host.live_bytes();
  constexpr VkBufferUsageFlags kBufferTransfer =
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  constexpr VkImageUsageFlags kImageTransfer =
      VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  {
    const VkBufferCreateInfo info = buffer_info(1'000, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    const auto buffer = rig.allocator.create_buffer(info, {.movable = true});
    ASSERT_TRUE(buffer);
    EXPECT_EQ(buffer_usage, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kBufferTransfer);
    EXPECT_EQ(info.usage, VkBufferUsageFlags{VK_BUFFER_USAGE_VERTEX_BUFFER_BIT});
    const auto image = rig.allocator.create_image(image_info(32, 32), {.movable = true});
    ASSERT_TRUE(image);
    EXPECT_EQ(image_usage, VK_IMAGE_USAGE_SAMPLED_BIT | kImageTransfer);
    EXPECT_GT(rig.host.live_bytes(), before);
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
    EXPECT_TRUE(rig.allocator.destroy(*image));
  }
  const auto plain =
      rig.allocator.create_buffer(buffer_info(1'000, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT));
  ASSERT_TRUE(plain);
  EXPECT_EQ(buffer_usage, VkBufferUsageFlags{VK_BUFFER_USAGE_VERTEX_BUFFER_BIT});
  EXPECT_TRUE(rig.allocator.destroy(*plain));
}

}  // namespace
}  // namespace quarry::test
