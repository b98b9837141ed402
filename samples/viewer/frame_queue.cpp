// SPDX-License-Identifier: MIT
// One pool and one command buffer a slot.
#include "viewer/frame_queue.hpp"

#include <vector>

namespace quarry::viewer {

Outcome<FrameQueue> FrameQueue::create(Gpu& gpu) {
  FrameQueue frames;
  frames.gpu_ = &gpu;
  auto timeline = make_timeline(gpu.device());
  if (!timeline) return failure(timeline.error());
  frames.timeline_ = std::move(*timeline);
  for (std::size_t i = 0; i < kFramesInFlight; ++i) {
    auto info = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    info.queueFamilyIndex = gpu.graphics().family();
    auto pool = make_object<VkCommandPool>(gpu.device(), vkCreateCommandPool, info,
                                           vkDestroyCommandPool, "vkCreateCommandPool");
    if (!pool) return failure(pool.error());
    frames.pools_[i] = std::move(*pool);
    auto allocate =
        structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    allocate.commandPool = frames.pools_[i].get();
    allocate.commandBufferCount = 1;
    const VkResult result = vkAllocateCommandBuffers(gpu.device(), &allocate, &frames.commands_[i]);
    if (result != VK_SUCCESS) return failure(call_failed("vkAllocateCommandBuffers", result));
  }
  return frames;
}

Outcome<void> FrameQueue::wait(std::uint64_t value) {
  auto info = structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_.get();
  info.pValues = &value;
  const VkResult result = vkWaitSemaphores(gpu_->device(), &info, UINT64_MAX);
  if (result != VK_SUCCESS) return failure(call_failed("vkWaitSemaphores", result));
  return {};
}

Outcome<VkCommandBuffer> FrameQueue::begin(UploadRing& ring) {
  number_ = submitted_ + 1;
  if (number_ > kFramesInFlight) {
    if (auto waited = wait(number_ - kFramesInFlight); !waited) return failure(waited.error());
  }
  VkResult result = vkGetSemaphoreCounterValue(gpu_->device(), timeline_.get(), &completed_);
  if (result != VK_SUCCESS) return failure(call_failed("vkGetSemaphoreCounterValue", result));
  if (auto collected = ring.collect(); !collected) return failure(describe(collected.error()));
  // A frame may take half of the ring: when the frames in flight hold more, they are waited for.
  while (completed_ < submitted_ && ring.used() > ring.capacity() / 2) {
    if (auto waited = wait(++completed_); !waited) return failure(waited.error());
    if (auto collected = ring.collect(); !collected) return failure(describe(collected.error()));
  }
  result = vkResetCommandPool(gpu_->device(), pools_[slot()].get(), 0);
  auto info = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (result == VK_SUCCESS) result = vkBeginCommandBuffer(commands_[slot()], &info);
  if (result != VK_SUCCESS) return failure(call_failed("vkBeginCommandBuffer", result));
  return commands_[slot()];
}

Outcome<void> FrameQueue::submit(UploadRing& ring, std::span<const VkSemaphoreSubmitInfo> waits,
                                 VkSemaphore signal) {
  VkResult result = vkEndCommandBuffer(commands_[slot()]);
  if (result != VK_SUCCESS) return failure(call_failed("vkEndCommandBuffer", result));
  if (auto flushed = ring.flush(); !flushed) return failure(describe(flushed.error()));
  auto commands =
      structure<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  commands.commandBuffer = commands_[slot()];
  std::vector<VkSemaphoreSubmitInfo> signals(
      1, structure<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO));
  signals[0].semaphore = timeline_.get();
  signals[0].value = number_;
  signals[0].stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  if (signal != VK_NULL_HANDLE) {
    signals.push_back(signals[0]);
    signals[1].semaphore = signal;
    signals[1].value = 0;
  }
  auto info = structure<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.waitSemaphoreInfoCount = static_cast<std::uint32_t>(waits.size());
  info.pWaitSemaphoreInfos = waits.data();
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &commands;
  info.signalSemaphoreInfoCount = static_cast<std::uint32_t>(signals.size());
  info.pSignalSemaphoreInfos = signals.data();
  result = gpu_->graphics().submit(info);
  if (result != VK_SUCCESS) return failure(call_failed("vkQueueSubmit2", result));
  submitted_ = number_;
  if (auto closed = ring.close(timeline_.get(), number_); !closed) {
    return failure(describe(closed.error()));
  }
  return {};
}

void FrameQueue::drain() {
  if (submitted_ > 0) (void)wait(submitted_);
  completed_ = submitted_;
}

}  // namespace quarry::viewer
