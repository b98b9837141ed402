// SPDX-License-Identifier: MIT
#include "heap/eviction_recorder.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "copy/image_regions.hpp"
#include "copy/packed_image.hpp"
#include "heap/host_moves.hpp"

namespace quarry::heap {

namespace {

/// Another queue family's: waited for with a semaphore.
constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;

bool has_two_families(const DefragmentationStep& step) {
  return step.release != VK_NULL_HANDLE && step.owner_family != step.queue_family;
}

bool any_visible(std::span<const HostCopy> copies, bool out) {
  return std::any_of(copies.begin(), copies.end(),
                     [&](const HostCopy& each) { return each.out == out && each.host_visible; });
}

}  // namespace

bool EvictionRecorder::is_possible(const device::Device& device) {
  const VulkanFunctions& fn = device.fn();
  return fn.vkCmdPipelineBarrier != nullptr && fn.vkCmdCopyBuffer != nullptr &&
         fn.vkCmdCopyImageToBuffer != nullptr && fn.vkCmdCopyBufferToImage != nullptr;
}

void EvictionRecorder::record(const DefragmentationStep& step, std::span<const HostCopy> copies) {
  const bool two = has_two_families(step);
  if (any_visible(copies, true)) barrier_from_host(device_, two ? step.release : step.commands);
  enter(step, copies);
  for (const HostCopy& each : copies)
    copy(step.commands, each);
  leave(step, copies);
  if (any_visible(copies, false)) barrier_to_host(device_, two ? step.acquire : step.commands);
}

/// Stages and accesses of the owner's to what leaves, or to what comes back.
EvictionRecorder::Scope EvictionRecorder::scope_of(std::span<const HostCopy> copies, bool out) {
  Scope scope;
  for (const HostCopy& each : copies) {
    if (each.out != out) continue;
    scope.stages |= each.state.stages != 0 ? each.state.stages : kAll;
    scope.access |= each.state.access;
  }
  return scope;
}

/// A buffer that stays with its family needs no barrier of its own.
void EvictionRecorder::add(const HostCopy& each, VkImageLayout before, VkImageLayout after,
                           std::uint32_t from_family, std::uint32_t to_family) {
  bool added = true;
  if (each.image != VK_NULL_HANDLE) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.oldLayout = before;
    barrier.newLayout = after;
    barrier.srcQueueFamilyIndex = from_family;
    barrier.dstQueueFamilyIndex = to_family;
    barrier.image = each.image;
    barrier.subresourceRange = {copy::aspects_of(each.info->format), 0, VK_REMAINING_MIP_LEVELS, 0,
                                VK_REMAINING_ARRAY_LAYERS};
    added = images_.push_back(barrier);
  } else if (from_family != to_family) {
    VkBufferMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    barrier.srcQueueFamilyIndex = from_family;
    barrier.dstQueueFamilyIndex = to_family;
    barrier.buffer = each.buffer;
    barrier.size = VK_WHOLE_SIZE;
    added = buffers_.push_back(barrier);
  }
  QUARRY_CHECK(added);
}

/// What was added, and everything else, from the one scope to the other.
void EvictionRecorder::emit(VkCommandBuffer commands, Scope before, Scope after) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = before.access;
  memory.dstAccessMask = after.access;
  for (VkBufferMemoryBarrier& barrier : buffers_) {
    barrier.srcAccessMask = before.access;
    barrier.dstAccessMask = after.access;
  }
  for (VkImageMemoryBarrier& barrier : images_) {
    barrier.srcAccessMask = before.access;
    barrier.dstAccessMask = after.access;
  }
  device_.fn().vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 1, &memory,
                                    static_cast<std::uint32_t>(buffers_.size()), buffers_.data(),
                                    static_cast<std::uint32_t>(images_.size()), images_.data());
}

void EvictionRecorder::enter(const DefragmentationStep& step, std::span<const HostCopy> copies) {
  const bool two = has_two_families(step);
  const auto changes_owner = [&](const HostCopy& each) { return two && !each.concurrent; };
  const Scope owner = scope_of(copies, true);
  buffers_.clear();
  images_.clear();
  for (const HostCopy& each : copies) {
    if (each.out && changes_owner(each))
      add(each, each.state.layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, step.owner_family,
          step.queue_family);
  }
  if (two && owner.stages != 0) emit(step.release, owner, {.stages = kAll});
  // What was released above is acquired with the same barriers.
  for (const HostCopy& each : copies) {
    if (each.out && !changes_owner(each))
      add(each, each.state.layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_QUEUE_FAMILY_IGNORED,
          VK_QUEUE_FAMILY_IGNORED);
    if (!each.out)
      add(each, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
          VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
  }
  // Copies of earlier steps filled what is read now.
  Scope before{.stages = kTransfer, .access = VK_ACCESS_TRANSFER_WRITE_BIT};
  if (two) {
    before = {.stages = kAll, .access = VK_ACCESS_MEMORY_WRITE_BIT};
  } else {
    before.stages |= owner.stages;
    before.access |= owner.access;
  }
  emit(step.commands, before,
       {.stages = kTransfer, .access = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT});
}

void EvictionRecorder::leave(const DefragmentationStep& step, std::span<const HostCopy> copies) {
  const bool two = has_two_families(step);
  const Scope owner = scope_of(copies, false);
  if (owner.stages == 0) return;
  const auto add_if = [&](bool handed_over) {
    for (const HostCopy& each : copies) {
      if (each.out || (two && !each.concurrent) != handed_over) continue;
      add(each, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, each.state.layout,
          handed_over ? step.queue_family : VK_QUEUE_FAMILY_IGNORED,
          handed_over ? step.owner_family : VK_QUEUE_FAMILY_IGNORED);
    }
  };
  buffers_.clear();
  images_.clear();
  add_if(true);
  add_if(false);
  const Scope written{.stages = kTransfer, .access = VK_ACCESS_TRANSFER_WRITE_BIT};
  emit(step.commands, written, two ? Scope{.stages = kAll} : owner);
  if (!two) return;
  buffers_.clear();
  images_.clear();
  add_if(true);
  emit(step.acquire, {.stages = kAll}, owner);
}

void EvictionRecorder::copy(VkCommandBuffer commands, const HostCopy& each) const {
  const VulkanFunctions& fn = device_.fn();
  if (each.image == VK_NULL_HANDLE) {
    const VkBufferCopy region{0, 0, each.size};
    fn.vkCmdCopyBuffer(commands, each.out ? each.buffer : each.host,
                       each.out ? each.host : each.buffer, 1, &region);
    return;
  }
  const copy::PackedImage packed = copy::pack_image(*each.info);
  if (each.out) {
    fn.vkCmdCopyImageToBuffer(commands, each.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, each.host,
                              packed.count, packed.regions);
  } else {
    fn.vkCmdCopyBufferToImage(commands, each.host, each.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                              packed.count, packed.regions);
  }
}

}  // namespace quarry::heap
