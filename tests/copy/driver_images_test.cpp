// SPDX-License-Identifier: MIT
// Images moved on the machine's driver, texel for texel in every mip, layer and aspect.
#include <algorithm>

#include "copy/driver_rig.hpp"
#include "copy/image_regions.hpp"
#include "device/planes.hpp"

namespace quarry::copy {
namespace {

constexpr VkImageUsageFlags kUsage =
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageLayout kLayout = VK_IMAGE_LAYOUT_GENERAL;

/// What one aspect of a format looks like in a buffer.
struct Layout {
  VkImageAspectFlagBits aspect;
  std::uint32_t block_bytes;
  std::uint32_t side = 1;    ///< of a block, in texels
  std::uint32_t divide = 1;  ///< of the image's extent
  bool is_float = false;     ///< values must be numbers between 0 and 1
  std::uint32_t mask = ~0u;  ///< of each 4 bytes that count
};

struct Tried {
  const char* name;
  VkFormat format;
  std::vector<Layout> layouts;
  VkImageType type = VK_IMAGE_TYPE_2D;
};

Layout color(std::uint32_t bytes, std::uint32_t side = 1) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, bytes, side};
}

std::vector<Tried> all_tried() {
  const Layout depth32{VK_IMAGE_ASPECT_DEPTH_BIT, 4, 1, 1, true};
  const Layout depth24{VK_IMAGE_ASPECT_DEPTH_BIT, 4, 1, 1, false, 0x00FF'FFFFu};
  const Layout stencil{VK_IMAGE_ASPECT_STENCIL_BIT, 1};
  return {
      {"RGBA8", VK_FORMAT_R8G8B8A8_UNORM, {color(4)}},
      {"R8", VK_FORMAT_R8_UNORM, {color(1)}},
      {"RG16F", VK_FORMAT_R16G16_SFLOAT, {color(4)}},
      {"RGBA16F", VK_FORMAT_R16G16B16A16_SFLOAT, {color(8)}},
      {"RGBA32F", VK_FORMAT_R32G32B32A32_SFLOAT, {color(16)}},
      {"R5G6B5", VK_FORMAT_R5G6B5_UNORM_PACK16, {color(2)}},
      {"BC1", VK_FORMAT_BC1_RGB_UNORM_BLOCK, {color(8, 4)}},
      {"BC5", VK_FORMAT_BC5_UNORM_BLOCK, {color(16, 4)}},
      {"BC7", VK_FORMAT_BC7_SRGB_BLOCK, {color(16, 4)}},
      {"D16", VK_FORMAT_D16_UNORM, {{VK_IMAGE_ASPECT_DEPTH_BIT, 2}}},
      {"D32", VK_FORMAT_D32_SFLOAT, {depth32}},
      {"S8", VK_FORMAT_S8_UINT, {stencil}},
      {"D24S8", VK_FORMAT_D24_UNORM_S8_UINT, {depth24, stencil}},
      {"D32S8", VK_FORMAT_D32_SFLOAT_S8_UINT, {depth32, stencil}},
      {"TwoPlanes",
       VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
       {{VK_IMAGE_ASPECT_PLANE_0_BIT, 1}, {VK_IMAGE_ASPECT_PLANE_1_BIT, 2, 1, 2}}},
      {"OneDimension", VK_FORMAT_R8G8B8A8_UNORM, {color(4)}, VK_IMAGE_TYPE_1D},
      {"ThreeDimensions", VK_FORMAT_R8G8B8A8_UNORM, {color(4)}, VK_IMAGE_TYPE_3D},
  };
}

VkImageCreateInfo info_of(const Tried& tried) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = tried.type;
  info.format = tried.format;
  info.extent = {52, 36, 1};
  info.mipLevels = 6;
  info.arrayLayers = 3;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = kUsage;
  if (tried.type == VK_IMAGE_TYPE_1D) info.extent.height = 1;
  if (tried.type == VK_IMAGE_TYPE_3D) {
    info.extent.depth = 5;
    info.arrayLayers = 1;
  }
  if (device::plane_count(tried.format) > 1) {
    info.mipLevels = 1;
    info.arrayLayers = 1;
  }
  return info;
}

struct Packed {
  std::vector<VkBufferImageCopy> regions;
  std::vector<const Layout*> layouts;  ///< of each region
  VkDeviceSize bytes = 0;
};

/// Every aspect and mip, one after the other.
Packed pack(const Tried& tried, const VkImageCreateInfo& info) {
  Packed packed;
  for (const Layout& layout : tried.layouts) {
    for (std::uint32_t mip = 0; mip < info.mipLevels; ++mip) {
      VkBufferImageCopy region{};
      region.bufferOffset = packed.bytes;
      region.imageSubresource = {static_cast<VkImageAspectFlags>(layout.aspect), mip, 0,
                                 info.arrayLayers};
      region.imageExtent = {std::max(1u, info.extent.width / layout.divide >> mip),
                            std::max(1u, info.extent.height / layout.divide >> mip),
                            std::max(1u, info.extent.depth >> mip)};
      const auto blocks = [&](std::uint32_t texels) {
        return VkDeviceSize{(texels + layout.side - 1) / layout.side};
      };
      const VkDeviceSize size = blocks(region.imageExtent.width) *
                                blocks(region.imageExtent.height) * region.imageExtent.depth *
                                info.arrayLayers * layout.block_bytes;
      packed.regions.push_back(region);
      packed.layouts.push_back(&layout);
      packed.bytes += (size + 15) / 16 * 16;
    }
  }
  return packed;
}

/// Calls visit for every 4 bytes of the regions of layouts that are not plain bytes.
template <class Visit>
void each_word(const Packed& packed, std::vector<std::byte>& bytes, Visit visit) {
  for (std::size_t i = 0; i < packed.regions.size(); ++i) {
    const Layout& layout = *packed.layouts[i];
    if (!layout.is_float && layout.mask == ~0u) continue;
    const VkDeviceSize end =
        i + 1 < packed.regions.size() ? packed.regions[i + 1].bufferOffset : packed.bytes;
    for (VkDeviceSize at = packed.regions[i].bufferOffset; at < end; at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, &bytes[at], 4);
      word = visit(layout, word);
      std::memcpy(&bytes[at], &word, 4);
    }
  }
}

/// Values become ones that the format keeps.
std::vector<std::byte> valid(const Packed& packed, std::vector<std::byte> bytes) {
  each_word(packed, bytes, [](const Layout& layout, std::uint32_t word) {
    if (!layout.is_float) return word;
    const float value = static_cast<float>(word >> 8) / static_cast<float>(1u << 24);
    std::memcpy(&word, &value, 4);
    return word;
  });
  return bytes;
}

/// Without the bits that mean nothing.
std::vector<std::byte> meaning(const Packed& packed, std::vector<std::byte> bytes) {
  each_word(packed, bytes,
            [](const Layout& layout, std::uint32_t word) { return word & layout.mask; });
  return bytes;
}

void change(VkCommandBuffer commands, VkImage image, VkFormat format, VkImageLayout from,
            VkImageLayout to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {aspects_of(format), 0, VK_REMAINING_MIP_LEVELS, 0,
                              VK_REMAINING_ARRAY_LAYERS};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

class CopyImagesOnDriver : public OnDriver {
 protected:
  void move(const VkImageCreateInfo& info, VkImage from, VkImage to) {
    const ImageMove moved{from, to, shape_of(info), kLayout};
    device.run(0, [&](VkCommandBuffer recording) {
      Commands commands;
      commands.copy = recording;
      ASSERT_TRUE(engine->record(commands, {}, std::span(&moved, 1), {}, step));
    });
  }
};

class CopyFormats : public CopyImagesOnDriver, public testing::WithParamInterface<Tried> {};

TEST_P(CopyFormats, EveryTexel) {
  const VkImageCreateInfo info = info_of(GetParam());
  if (!device.supports(info)) GTEST_SKIP() << "the driver has no such images";
  open(Way::automatic);
  const DeviceImage from = device.image(info);
  const DeviceImage to = device.image(info);
  const Packed packed = pack(GetParam(), info);
  const auto count = static_cast<std::uint32_t>(packed.regions.size());
  const Staging up(device, packed.bytes);
  const Staging down(device, packed.bytes);
  const std::vector<std::byte> bytes = valid(packed, noise(packed.bytes, 3));
  std::memcpy(up.data(), bytes.data(), bytes.size());
  std::memcpy(down.data(), bytes.data(), bytes.size());
  device.run(0, [&](VkCommandBuffer commands) {
    change(commands, from.image, info.format, VK_IMAGE_LAYOUT_UNDEFINED, kLayout);
    vkCmdCopyBufferToImage(commands, up.buffer(), from.image, kLayout, count,
                           packed.regions.data());
    full_barrier(commands);
  });
  move(info, from.image, to.image);
  // Only what is read back counts, not the gaps between the regions.
  for (std::size_t i = 0; i < packed.regions.size(); ++i)
    down.data()[packed.regions[i].bufferOffset] ^= std::byte{0xFF};
  device.run(0, [&](VkCommandBuffer commands) {
    vkCmdCopyImageToBuffer(commands, to.image, kLayout, down.buffer(), count,
                           packed.regions.data());
    full_barrier(commands);
  });
  std::vector<std::byte> back(down.data(), down.data() + packed.bytes);
  EXPECT_TRUE(meaning(packed, back) == meaning(packed, bytes));
  device.free(from);
  device.free(to);
}

INSTANTIATE_TEST_SUITE_P(, CopyFormats, testing::ValuesIn(all_tried()),
                         [](const testing::TestParamInfo<Tried>& tested) {
                           return std::string(tested.param.name);
                         });

TEST_F(CopyImagesOnDriver, EverySampleOfAMultisampledImage) {
  Tried tried{"", VK_FORMAT_R8G8B8A8_UNORM, {color(4)}};
  VkImageCreateInfo info = info_of(tried);
  info.mipLevels = 1;
  info.arrayLayers = 1;
  VkImageCreateInfo single = info;
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  if (!device.supports(info)) GTEST_SKIP() << "the driver has no such images";
  open(Way::automatic);
  const DeviceImage from = device.image(info);
  const DeviceImage to = device.image(info);
  const DeviceImage resolved = device.image(single);
  const VkDeviceSize bytes = VkDeviceSize{4} * info.extent.width * info.extent.height;
  const Staging down(device, bytes);
  const VkImageSubresourceLayers layers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  device.run(0, [&](VkCommandBuffer commands) {
    change(commands, from.image, info.format, VK_IMAGE_LAYOUT_UNDEFINED, kLayout);
    const VkClearColorValue value{{1.0f, 0.0f, 1.0f, 0.0f}};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(commands, from.image, kLayout, &value, 1, &range);
    full_barrier(commands);
  });
  move(info, from.image, to.image);
  device.run(0, [&](VkCommandBuffer commands) {
    change(commands, resolved.image, info.format, VK_IMAGE_LAYOUT_UNDEFINED, kLayout);
    const VkImageResolve region{layers, {}, layers, {}, info.extent};
    vkCmdResolveImage(commands, to.image, kLayout, resolved.image, kLayout, 1, &region);
    full_barrier(commands);
    VkBufferImageCopy copy{};
    copy.imageSubresource = layers;
    copy.imageExtent = info.extent;
    vkCmdCopyImageToBuffer(commands, resolved.image, kLayout, down.buffer(), 1, &copy);
    full_barrier(commands);
  });
  for (VkDeviceSize i = 0; i < bytes; ++i)
    ASSERT_EQ(down.data()[i], i % 2 == 0 ? std::byte{0xFF} : std::byte{0}) << i;
  device.free(from);
  device.free(to);
  device.free(resolved);
}

}  // namespace
}  // namespace quarry::copy
