// SPDX-License-Identifier: MIT
#include "heap/move_recorder.hpp"

#include <algorithm>

#include "copy/image_regions.hpp"
#include "device/planes.hpp"

namespace quarry::heap {

namespace {

constexpr std::uint32_t kImagesAtOnce = 16;
constexpr std::uint32_t kMostMips = 32;

VkPipelineStageFlags at_least_some(VkPipelineStageFlags stages) {
  return stages != 0 ? stages : VkPipelineStageFlags{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
}

VkImageMemoryBarrier barrier_of(VkImage image, VkFormat format, VkImageLayout before,
                                VkImageLayout after, VkAccessFlags written, VkAccessFlags used) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = written;
  barrier.dstAccessMask = used;
  barrier.oldLayout = before;
  barrier.newLayout = after;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {copy::aspects_of(format), 0, VK_REMAINING_MIP_LEVELS, 0,
                              VK_REMAINING_ARRAY_LAYERS};
  return barrier;
}

}  // namespace

bool CommandRecorder::is_possible(const device::Device& device) {
  const VulkanFunctions& fn = device.fn();
  return fn.vkCmdPipelineBarrier != nullptr && fn.vkCmdCopyBuffer != nullptr &&
         fn.vkCmdCopyImage != nullptr;
}

bool CommandRecorder::can_move(const VkImageCreateInfo& info,
                               const DefragmentationStep& step) const {
  const bool needs_graphics = copy::needs_graphics(copy::shape_of(info));
  return device::plane_count(info.format) == 1 && info.mipLevels <= kMostMips &&
         (!needs_graphics || (step.queue & VK_QUEUE_GRAPHICS_BIT) != 0);
}

void CommandRecorder::record(const DefragmentationStep& step, std::span<const BufferMove> buffers,
                             std::span<const ImageMove> images) {
  const VulkanFunctions& fn = device_.fn();
  if (!buffers.empty()) {
    VkPipelineStageFlags stages = 0;
    VkAccessFlags access = 0;
    for (const BufferMove& move : buffers) {
      stages |= at_least_some(move.state.stages);
      access |= move.state.access;
    }
    VkMemoryBarrier before{};
    before.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    before.srcAccessMask = access;
    before.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    fn.vkCmdPipelineBarrier(step.commands, stages, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &before, 0,
                            nullptr, 0, nullptr);
    for (const BufferMove& move : buffers) {
      const VkBufferCopy region{0, 0, move.size};
      fn.vkCmdCopyBuffer(step.commands, move.from, move.to, 1, &region);
    }
    VkMemoryBarrier after{};
    after.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    after.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    after.dstAccessMask = access;
    fn.vkCmdPipelineBarrier(step.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, stages, 0, 1, &after, 0,
                            nullptr, 0, nullptr);
  }
  for (std::size_t i = 0; i < images.size(); i += kImagesAtOnce)
    record_images(step.commands,
                  images.subspan(i, std::min<std::size_t>(kImagesAtOnce, images.size() - i)));
}

void CommandRecorder::record_images(VkCommandBuffer commands,
                                    std::span<const ImageMove> images) const {
  const VulkanFunctions& fn = device_.fn();
  VkImageMemoryBarrier barriers[2 * kImagesAtOnce]{};
  VkPipelineStageFlags stages = 0;
  std::uint32_t count = 0;
  for (const ImageMove& move : images) {
    stages |= at_least_some(move.state.stages);
    barriers[count++] = barrier_of(move.from, move.info->format, move.state.layout,
                                   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, move.state.access,
                                   VK_ACCESS_TRANSFER_READ_BIT);
    barriers[count++] =
        barrier_of(move.to, move.info->format, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
  }
  fn.vkCmdPipelineBarrier(commands, stages, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                          nullptr, count, barriers);
  count = 0;
  for (const ImageMove& move : images) {
    copy(commands, move);
    barriers[count++] =
        barrier_of(move.to, move.info->format, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                   move.state.layout, VK_ACCESS_TRANSFER_WRITE_BIT, move.state.access);
  }
  fn.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, stages, 0, 0, nullptr, 0,
                          nullptr, count, barriers);
}

void CommandRecorder::copy(VkCommandBuffer commands, const ImageMove& move) const {
  const VkImageCreateInfo& info = *move.info;
  VkImageCopy regions[kMostMips];
  for (std::uint32_t mip = 0; mip < info.mipLevels; ++mip) {
    const VkImageSubresourceLayers layers{copy::aspects_of(info.format), mip, 0, info.arrayLayers};
    regions[mip] = {
        layers,
        {},
        layers,
        {},
        {std::max(1u, info.extent.width >> mip), std::max(1u, info.extent.height >> mip),
         std::max(1u, info.extent.depth >> mip)}};
  }
  device_.fn().vkCmdCopyImage(commands, move.from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, move.to,
                              VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, info.mipLevels, regions);
}

}  // namespace quarry::heap
