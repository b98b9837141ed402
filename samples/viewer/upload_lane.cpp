// SPDX-License-Identifier: MIT
// Vulkan specification, "Queue Family Ownership Transfer": release and acquire name the same
// families and layouts; with one family there is one plain transition instead.
#include "viewer/upload_lane.hpp"

#include <algorithm>

namespace quarry::viewer {

namespace {

VkImageMemoryBarrier2 whole_image(VkImage image) {
  auto barrier = structure<VkImageMemoryBarrier2>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2);
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
  return barrier;
}

VkImageMemoryBarrier2 to_copy_target(VkImage image) {
  VkImageMemoryBarrier2 barrier = whole_image(image);
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  return barrier;
}

VkImageMemoryBarrier2 to_sampled(VkImage image) {
  VkImageMemoryBarrier2 barrier = whole_image(image);
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  return barrier;
}

VkImageMemoryBarrier2 release_barrier(Gpu& gpu, VkImage image) {
  VkImageMemoryBarrier2 barrier = to_sampled(image);
  // The stage of the semaphore's signal; a stage of NONE reads as a hazard to the validation layer.
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_NONE;
  barrier.srcQueueFamilyIndex = gpu.transfer().family();
  barrier.dstQueueFamilyIndex = gpu.graphics().family();
  return barrier;
}

}  // namespace

Outcome<DeviceObject<VkSemaphore>> make_timeline(VkDevice device) {
  auto type = structure<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  info.pNext = &type;
  return make_object<VkSemaphore>(device, vkCreateSemaphore, info, vkDestroySemaphore,
                                  "vkCreateSemaphore");
}

bool needs_acquire(Gpu& gpu) {
  return gpu.transfer().family() != gpu.graphics().family();
}

VkImageMemoryBarrier2 acquire_barrier(Gpu& gpu, VkImage image) {
  VkImageMemoryBarrier2 barrier = to_sampled(image);
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_NONE;
  barrier.srcQueueFamilyIndex = gpu.transfer().family();
  barrier.dstQueueFamilyIndex = gpu.graphics().family();
  return barrier;
}

Outcome<std::unique_ptr<UploadLane>> UploadLane::create(Gpu& gpu, Memory& memory,
                                                        std::uint64_t ring_bytes,
                                                        std::atomic<std::uint64_t>& uploaded) {
  auto lane = std::make_unique<UploadLane>(gpu, uploaded);
  UploadRingDesc desc;
  desc.bytes = ring_bytes;
  desc.tag = memory.staging_tag();
  desc.name = "texture staging";
  auto ring = UploadRing::create(memory.allocator(), desc);
  if (!ring) return failure("no memory for staging: " + describe(ring.error()));
  lane->ring_ = std::move(*ring);
  auto timeline = make_timeline(gpu.device());
  if (!timeline) return failure(timeline.error());
  lane->timeline_ = std::move(*timeline);
  auto pool = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = lane->queue_.family();
  auto made = make_object<VkCommandPool>(gpu.device(), vkCreateCommandPool, pool,
                                         vkDestroyCommandPool, "vkCreateCommandPool");
  if (!made) return failure(made.error());
  lane->pool_ = std::move(*made);
  std::array<VkCommandBuffer, kBatches> commands{};
  auto info =
      structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = lane->pool_.get();
  info.commandBufferCount = kBatches;
  const VkResult result = vkAllocateCommandBuffers(gpu.device(), &info, commands.data());
  if (result != VK_SUCCESS) return failure(call_failed("vkAllocateCommandBuffers", result));
  for (std::size_t i = 0; i < kBatches; ++i)
    lane->batches_[i].commands = commands[i];
  return lane;
}

UploadLane::~UploadLane() {
  drain();
}

Outcome<void> UploadLane::wait(std::uint64_t value) {
  auto info = structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_.get();
  info.pValues = &value;
  const VkResult result = vkWaitSemaphores(gpu_.device(), &info, UINT64_MAX);
  if (result != VK_SUCCESS) return failure(call_failed("vkWaitSemaphores", result));
  return {};
}

void UploadLane::drain() {
  if (recording_) (void)submit();
  if (submitted_ > 0) (void)wait(submitted_);
}

Outcome<void> UploadLane::begin() {
  Batch& batch = batches_[current_];
  if (batch.value > 0) {
    if (auto waited = wait(batch.value); !waited) return waited;
  }
  auto info = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  const VkResult result = vkBeginCommandBuffer(batch.commands, &info);
  if (result != VK_SUCCESS) return failure(call_failed("vkBeginCommandBuffer", result));
  recording_ = true;
  return {};
}

Outcome<void> UploadLane::submit() {
  Batch& batch = batches_[current_];
  recording_ = false;
  VkResult result = vkEndCommandBuffer(batch.commands);
  if (result != VK_SUCCESS) return failure(call_failed("vkEndCommandBuffer", result));
  if (auto flushed = ring_.flush(); !flushed) return failure(describe(flushed.error()));
  auto commands =
      structure<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  commands.commandBuffer = batch.commands;
  auto signal = structure<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  signal.semaphore = timeline_.get();
  signal.value = submitted_ + 1;
  signal.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  auto info = structure<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &commands;
  info.signalSemaphoreInfoCount = 1;
  info.pSignalSemaphoreInfos = &signal;
  result = queue_.submit(info);
  if (result != VK_SUCCESS) return failure(call_failed("vkQueueSubmit2", result));
  batch.value = ++submitted_;
  current_ = (current_ + 1) % kBatches;
  uploaded_ += recorded_bytes_;
  recorded_bytes_ = 0;
  if (auto closed = ring_.close(timeline_.get(), submitted_); !closed) {
    return failure(describe(closed.error()));
  }
  return {};
}

Outcome<UploadSpan> UploadLane::take(std::uint64_t bytes, std::uint64_t alignment) {
  auto span = ring_.allocate(bytes, alignment);
  // The ring is full: what is recorded has to go first, then the oldest batch has to end.
  for (std::size_t i = 1; !span && span.error().reason == Reason::over_limit && i <= kBatches;
       ++i) {
    if (recording_) {
      if (auto submitted = submit(); !submitted) return failure(submitted.error());
    }
    const std::uint64_t oldest = batches_[(current_ + i - 1) % kBatches].value;
    if (oldest > 0) {
      if (auto waited = wait(oldest); !waited) return failure(waited.error());
    }
    if (auto collected = ring_.collect(); !collected) return failure(describe(collected.error()));
    span = ring_.allocate(bytes, alignment);
  }
  if (!span) return failure("staging: " + describe(span.error()));
  return *span;
}

void UploadLane::barrier(const VkImageMemoryBarrier2& barrier) {
  auto info = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(batches_[current_].commands, &info);
}

Outcome<void> UploadLane::copy(VkImage image, const TextureSource& source, std::uint32_t level,
                               const Slice& slice) {
  auto span = take(slice.bytes, slice_alignment(source.shape));
  if (!span) return failure(span.error());
  const std::span<std::byte> bytes(span->mapped, static_cast<std::size_t>(slice.bytes));
  if (auto read = source.file.read_slice(slice.level, slice.file_offset, bytes); !read) {
    return failure(read.error().to_string());
  }
  if (!recording_) {
    if (auto begun = begin(); !begun) return begun;
  }
  VkBufferImageCopy region{};
  region.bufferOffset = span->offset;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, slice.level - source.finest - level, 0, 1};
  region.imageOffset.y = static_cast<std::int32_t>(slice.y);
  region.imageExtent = {slice.width, slice.height, 1};
  vkCmdCopyBufferToImage(batches_[current_].commands, span->buffer, image,
                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  recorded_bytes_ += slice.bytes;
  if (recorded_bytes_ >= ring_.capacity() / 4) return submit();
  return {};
}

Outcome<UploadTicket> UploadLane::upload(VkImage image, const TextureSource& source,
                                         std::uint32_t level) {
  const auto slices = cut_into_slices(source.shape, source.finest + level, source.last,
                                      {ring_.capacity() / 4, queue_.granularity()});
  if (!slices)
    return failure(source.name + ": a row of texels is larger than the staging ring takes");
  if (auto begun = begin(); !begun) return failure(begun.error());
  barrier(to_copy_target(image));
  for (const Slice& slice : *slices) {
    if (auto copied = copy(image, source, level, slice); !copied) {
      drain();
      return failure(copied.error());
    }
  }
  if (!recording_) {
    if (auto begun = begin(); !begun) return failure(begun.error());
  }
  barrier(needs_acquire(gpu_) ? release_barrier(gpu_, image) : to_sampled(image));
  if (auto submitted = submit(); !submitted) return failure(submitted.error());
  (void)ring_.collect();
  return UploadTicket{timeline_.get(), submitted_};
}

}  // namespace quarry::viewer
