// SPDX-License-Identifier: MIT
// One command buffer, one wait.
#include "viewer/setup_commands.hpp"

#include <algorithm>
#include <cstring>

#include "viewer/upload_lane.hpp"

namespace quarry::viewer {

namespace {

constexpr VkDeviceSize kRingBytes = VkDeviceSize{4} << 20;

}  // namespace

VkImageMemoryBarrier2 image_barrier(VkImage image, VkImageAspectFlags aspect) {
  auto barrier = structure<VkImageMemoryBarrier2>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2);
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
  return barrier;
}

void record_barrier(VkCommandBuffer commands, const VkImageMemoryBarrier2& barrier) {
  record_barriers(commands, {&barrier, 1});
}

void record_barriers(VkCommandBuffer commands, std::span<const VkImageMemoryBarrier2> barriers) {
  if (barriers.empty()) return;
  auto info = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  info.imageMemoryBarrierCount = static_cast<std::uint32_t>(barriers.size());
  info.pImageMemoryBarriers = barriers.data();
  vkCmdPipelineBarrier2(commands, &info);
}

Outcome<UploadRing> make_frame_ring(Memory& memory) {
  UploadRingDesc desc;
  desc.bytes = kRingBytes;
  desc.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
               VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT;
  desc.tag = memory.frame_tag();
  desc.name = "frame data";
  auto ring = UploadRing::create(memory.allocator(), desc);
  if (!ring) return failure("no memory for frame data: " + describe(ring.error()));
  return std::move(*ring);
}

Outcome<SetupCommands> SetupCommands::create(Gpu& gpu, UploadRing& ring) {
  SetupCommands setup;
  setup.gpu_ = &gpu;
  setup.ring_ = &ring;
  auto timeline = make_timeline(gpu.device());
  if (!timeline) return failure(timeline.error());
  setup.timeline_ = std::move(*timeline);
  auto info = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = gpu.graphics().family();
  auto pool = make_object<VkCommandPool>(gpu.device(), vkCreateCommandPool, info,
                                         vkDestroyCommandPool, "vkCreateCommandPool");
  if (!pool) return failure(pool.error());
  setup.pool_ = std::move(*pool);
  auto allocate =
      structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocate.commandPool = setup.pool_.get();
  allocate.commandBufferCount = 1;
  const VkResult result = vkAllocateCommandBuffers(gpu.device(), &allocate, &setup.commands_);
  if (result != VK_SUCCESS) return failure(call_failed("vkAllocateCommandBuffers", result));
  return setup;
}

Outcome<VkCommandBuffer> SetupCommands::begin() {
  VkResult result = vkResetCommandPool(gpu_->device(), pool_.get(), 0);
  auto info = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (result == VK_SUCCESS) result = vkBeginCommandBuffer(commands_, &info);
  if (result != VK_SUCCESS) return failure(call_failed("vkBeginCommandBuffer", result));
  return commands_;
}

Outcome<void> SetupCommands::fill_buffer(VkBuffer buffer, VkDeviceSize offset,
                                         std::span<const std::byte> bytes) {
  auto span = ring_->allocate(bytes.size());
  if (!span) return failure("frame data: " + describe(span.error()));
  std::memcpy(span->mapped, bytes.data(), bytes.size());
  const VkBufferCopy region{span->offset, offset, bytes.size()};
  vkCmdCopyBuffer(commands_, span->buffer, buffer, 1, &region);
  return {};
}

Outcome<void> SetupCommands::fill_image(VkImage image, std::uint32_t mip, VkExtent2D extent,
                                        std::span<const std::byte> bytes) {
  auto span = ring_->allocate(bytes.size());
  if (!span) return failure("frame data: " + describe(span.error()));
  std::memcpy(span->mapped, bytes.data(), bytes.size());
  VkBufferImageCopy region{};
  region.bufferOffset = span->offset;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1};
  region.imageExtent = {extent.width, extent.height, 1};
  vkCmdCopyBufferToImage(commands_, span->buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                         &region);
  return {};
}

Outcome<void> SetupCommands::finish(std::span<const VkSemaphoreSubmitInfo> waits) {
  VkResult result = vkEndCommandBuffer(commands_);
  if (result != VK_SUCCESS) return failure(call_failed("vkEndCommandBuffer", result));
  if (auto flushed = ring_->flush(); !flushed) return failure(describe(flushed.error()));
  auto commands =
      structure<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  commands.commandBuffer = commands_;
  auto signal = structure<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  signal.semaphore = timeline_.get();
  signal.value = ++value_;
  signal.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  auto info = structure<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.waitSemaphoreInfoCount = static_cast<std::uint32_t>(waits.size());
  info.pWaitSemaphoreInfos = waits.data();
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &commands;
  info.signalSemaphoreInfoCount = 1;
  info.pSignalSemaphoreInfos = &signal;
  result = gpu_->graphics().submit(info);
  if (result != VK_SUCCESS) return failure(call_failed("vkQueueSubmit2", result));
  auto wait = structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  wait.semaphoreCount = 1;
  wait.pSemaphores = &timeline_.get();
  wait.pValues = &value_;
  result = vkWaitSemaphores(gpu_->device(), &wait, UINT64_MAX);
  if (result != VK_SUCCESS) return failure(call_failed("vkWaitSemaphores", result));
  if (auto closed = ring_->close(timeline_.get(), value_); !closed) {
    return failure(describe(closed.error()));
  }
  // The ring is shared with the frames in flight, which wait for another timeline.
  if (auto collected = ring_->collect(); !collected) return failure(describe(collected.error()));
  return {};
}

}  // namespace quarry::viewer
