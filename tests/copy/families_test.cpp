// SPDX-License-Identifier: MIT
// Images, and moves on another queue family than the owner's, on a fake GPU that keeps layouts and
// owners.
#include <array>

#include "copy/fake_rig.hpp"
#include "fakes/commands.hpp"

namespace quarry::copy {
namespace {

using fakes::kMiB;

constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
constexpr std::uint32_t kOwner = 0;
constexpr std::uint32_t kCompute = 2;

VkImageCreateInfo movable(VkFormat format) {
  VkImageCreateInfo info = fakes::image_info(
      64, 32, format, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  info.mipLevels = 4;
  info.arrayLayers = 2;
  return info;
}

/// A pair of images in their own memory, the source with contents in every subresource.
struct ImagePair {
  ImagePair(FakeRig& owner, const VkImageCreateInfo& created)
      : rig(owner), info(created), memories{rig.allocate(0, 2 * kMiB), rig.allocate(0, 2 * kMiB)} {
    move.source = rig.image(info);
    move.destination = rig.image(info);
    move.shape = shape_of(info);
    move.layout = kLayout;
    rig.bind_image(move.source, memories[0]);
    rig.bind_image(move.destination, memories[1]);
    each([&](VkImageAspectFlagBits aspect, std::uint32_t mip, std::uint32_t layer) {
      const std::array<std::byte, 3> bytes{static_cast<std::byte>(mip + 1),
                                           static_cast<std::byte>(layer + 1),
                                           static_cast<std::byte>(aspect)};
      rig.gpu.write_image(move.source, aspect, mip, layer, kLayout, bytes);
    });
  }
  ~ImagePair() {
    rig.destroy_image(move.source);
    rig.destroy_image(move.destination);
    for (VkDeviceMemory memory : memories)
      rig.free(memory);
  }
  ImagePair(const ImagePair&) = delete;
  ImagePair& operator=(const ImagePair&) = delete;

  template <class Visit>
  void each(Visit visit) const {
    for (VkImageAspectFlags rest = fakes::aspects_of(info.format); rest != 0; rest &= rest - 1) {
      for (std::uint32_t mip = 0; mip < info.mipLevels; ++mip) {
        for (std::uint32_t layer = 0; layer < info.arrayLayers; ++layer)
          visit(static_cast<VkImageAspectFlagBits>(rest & ~(rest - 1)), mip, layer);
      }
    }
  }
  void expect_moved() {
    each([&](VkImageAspectFlagBits aspect, std::uint32_t mip, std::uint32_t layer) {
      EXPECT_EQ(rig.gpu.read_image(move.destination, aspect, mip, layer),
                rig.gpu.read_image(move.source, aspect, mip, layer))
          << "format " << info.format << ", aspect " << aspect << ", mip " << mip;
      EXPECT_EQ(rig.gpu.image_layout(move.destination, mip, layer), kLayout);
    });
  }

  FakeRig& rig;
  VkImageCreateInfo info;
  std::array<VkDeviceMemory, 2> memories;
  ImageMove move;
};

TEST(CopyImages, EverySubresourceAndItsLayout) {
  for (const VkFormat format :
       {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_D32_SFLOAT,
        VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_R5G6B5_UNORM_PACK16}) {
    FakeRig rig;
    ImagePair pair(rig, movable(format));
    Commands commands;
    commands.copy = rig.gpu.begin_commands();
    ASSERT_TRUE(rig.engine.record(commands, {}, std::span(&pair.move, 1), {}, rig.step));
    rig.gpu.submit(std::span(&commands.copy, 1));
    pair.expect_moved();
  }
}

TEST(CopyImages, PlanesOfAMultiPlanarImage) {
  FakeRig rig;
  VkImageCreateInfo info = movable(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM);
  info.mipLevels = 1;
  ImagePair pair(rig, info);
  Commands commands;
  commands.copy = rig.gpu.begin_commands();
  ASSERT_TRUE(rig.engine.record(commands, {}, std::span(&pair.move, 1), {}, rig.step));
  rig.gpu.submit(std::span(&commands.copy, 1));
  pair.expect_moved();
}

TEST(CopyImages, NothingIsRecordedForUndefinedContents) {
  FakeRig rig;
  ImagePair pair(rig, movable(VK_FORMAT_R8G8B8A8_UNORM));
  pair.move.layout = VK_IMAGE_LAYOUT_UNDEFINED;
  Commands commands;
  commands.copy = rig.gpu.begin_commands();
  const auto figures = rig.engine.record(commands, {}, std::span(&pair.move, 1), {}, rig.step);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->copy_commands, 0u);
  rig.gpu.submit(std::span(&commands.copy, 1));
  EXPECT_EQ(rig.gpu.image_layout(pair.move.destination, 0, 0), VK_IMAGE_LAYOUT_UNDEFINED);
}

TEST(CopyImages, PreinitializedOnesAreRefused) {
  FakeRig rig;
  ImagePair pair(rig, movable(VK_FORMAT_R8G8B8A8_UNORM));
  pair.move.layout = VK_IMAGE_LAYOUT_PREINITIALIZED;
  Commands commands;
  commands.copy = rig.gpu.begin_commands();
  EXPECT_EQ(rig.engine.record(commands, {}, std::span(&pair.move, 1), {}, rig.step).error().reason,
            Reason::bad_argument);
}

TEST(CopyImages, DepthNeedsAQueueWithGraphics) {
  FakeRig rig;
  ImagePair pair(rig, movable(VK_FORMAT_D32_SFLOAT));
  Commands commands;
  commands.copy = rig.gpu.begin_commands(kCompute);
  commands.copy_family = commands.owner_family = kCompute;
  commands.copy_queue = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  EXPECT_EQ(rig.engine.record(commands, {}, std::span(&pair.move, 1), {}, rig.step).error().reason,
            Reason::unsupported);
}

/// Release on the owner's family, copy on the compute family, acquire on the owner's.
struct ThreeParts {
  explicit ThreeParts(FakeRig& owner) : rig(owner) {
    commands.release = rig.gpu.begin_commands(kOwner);
    commands.copy = rig.gpu.begin_commands(kCompute);
    commands.acquire = rig.gpu.begin_commands(kOwner);
    commands.owner_family = kOwner;
    commands.copy_family = kCompute;
    commands.copy_queue = rig.gpu.profile().queue_families[kCompute];
  }
  void submit() {
    const std::array order{commands.release, commands.copy, commands.acquire};
    rig.gpu.submit(order);
  }
  FakeRig& rig;
  Commands commands;
};

TEST(CopyFamilies, ImagesAreHandedOverAndBack) {
  FakeRig rig;
  ImagePair pair(rig, movable(VK_FORMAT_R8G8B8A8_UNORM));
  rig.gpu.set_image_owner(pair.move.source, kOwner);
  ThreeParts parts(rig);
  ASSERT_TRUE(rig.engine.record(parts.commands, {}, std::span(&pair.move, 1), {}, rig.step));
  parts.submit();
  pair.expect_moved();
}

TEST(CopyFamilies, ConcurrentImagesChangeLayoutsOnly) {
  FakeRig rig;
  VkImageCreateInfo info = movable(VK_FORMAT_R8G8B8A8_UNORM);
  const std::array<std::uint32_t, 2> families{kOwner, kCompute};
  info.sharingMode = VK_SHARING_MODE_CONCURRENT;
  info.queueFamilyIndexCount = 2;
  info.pQueueFamilyIndices = families.data();
  ImagePair pair(rig, info);
  ThreeParts parts(rig);
  ASSERT_TRUE(rig.engine.record(parts.commands, {}, std::span(&pair.move, 1), {}, rig.step));
  parts.submit();
  pair.expect_moved();
}

TEST(CopyFamilies, BuffersAreHandedOverAndBack) {
  FakeRig rig;
  const BlockBuffer& block = rig.add_block(kMiB);
  const VkBuffer from = rig.buffer(4096);
  const VkBuffer to = rig.buffer(4096);
  rig.bind_buffer(from, rig.memories[0], 0);
  rig.bind_buffer(to, rig.memories[0], 8192);
  rig.gpu.set_buffer_owner(from, kOwner);
  const std::vector<std::byte> bytes(4096, std::byte{5});
  rig.gpu.device_write(rig.memories[0], 0, bytes);
  const BufferMove move{.source = &block,
                        .destination = &block,
                        .destination_offset = 8192,
                        .size = 4096,
                        .slot_size = 4096,
                        .source_buffer = from,
                        .destination_buffer = to};
  rig.make_list(std::span(&move, 1));
  ThreeParts parts(rig);
  ASSERT_TRUE(rig.engine.record(parts.commands, std::span(&move, 1), {}, rig.list, rig.step));
  parts.submit();
  std::vector<std::byte> moved(4096);
  rig.gpu.device_read(rig.memories[0], 8192, moved);
  EXPECT_EQ(moved, bytes);
  rig.destroy_buffer(from);
  rig.destroy_buffer(to);
}

}  // namespace
}  // namespace quarry::copy
