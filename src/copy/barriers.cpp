// SPDX-License-Identifier: MIT
#include "copy/barriers.hpp"

#include "copy/image_regions.hpp"

namespace quarry::copy {

namespace {

constexpr VkImageLayout kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr VkImageLayout kDestination = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
/// A release makes nothing visible here, an acquire has nothing to wait for but the semaphore.
constexpr VkAccessFlags kNone = 0;

/// Who hands over to whom; the same family twice where nobody does.
struct Families {
  std::uint32_t from = VK_QUEUE_FAMILY_IGNORED;
  std::uint32_t to = VK_QUEUE_FAMILY_IGNORED;
};

/// Collects the barriers of one vkCmdPipelineBarrier.
class Batch {
 public:
  Batch(const device::Device& device, Step& step) : device_(device), step_(step) {
    step_.buffers.clear();
    step_.images.clear();
  }

  void add(VkImage image, const ImageShape& shape, VkImageLayout from, VkImageLayout to,
           VkAccessFlags before, VkAccessFlags after, Families families) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.srcAccessMask = before;
    barrier.dstAccessMask = after;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = shape.concurrent ? VK_QUEUE_FAMILY_IGNORED : families.from;
    barrier.dstQueueFamilyIndex = shape.concurrent ? VK_QUEUE_FAMILY_IGNORED : families.to;
    barrier.image = image;
    barrier.subresourceRange = {aspects_of(shape.format), 0, VK_REMAINING_MIP_LEVELS, 0,
                                VK_REMAINING_ARRAY_LAYERS};
    (void)step_.images.push_back(barrier);
  }

  void add(VkBuffer buffer, VkAccessFlags before, VkAccessFlags after, Families families) {
    if (buffer == VK_NULL_HANDLE) return;
    VkBufferMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    barrier.srcAccessMask = before;
    barrier.dstAccessMask = after;
    barrier.srcQueueFamilyIndex = families.from;
    barrier.dstQueueFamilyIndex = families.to;
    barrier.buffer = buffer;
    barrier.size = VK_WHOLE_SIZE;
    (void)step_.buffers.push_back(barrier);
  }

  /// With a global memory barrier unless both accesses are kNone.
  void record(VkCommandBuffer commands, Usage before, Usage after) {
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, before.access,
                                 after.access};
    const bool global = before.access != kNone || after.access != kNone;
    device_.fn().vkCmdPipelineBarrier(
        commands, before.stages, after.stages, 0, global ? 1 : 0, &memory,
        static_cast<std::uint32_t>(step_.buffers.size()), step_.buffers.data(),
        static_cast<std::uint32_t>(step_.images.size()), step_.images.data());
  }

 private:
  const device::Device& device_;
  Step& step_;
};

/// An image without contents stays as it is.
bool has_contents(const ImageMove& move) {
  return move.layout != VK_IMAGE_LAYOUT_UNDEFINED;
}

constexpr VkPipelineStageFlags kStart = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
constexpr VkPipelineStageFlags kEnd = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;

}  // namespace

Usage copying(const Commands& commands) {
  Usage usage{VK_PIPELINE_STAGE_TRANSFER_BIT,
              VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
  if ((commands.copy_queue & VK_QUEUE_COMPUTE_BIT) != 0) {
    usage.stages |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    usage.access |= VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  }
  return usage;
}

bool reserve_barriers(std::size_t buffers, std::size_t images, Step& step) {
  // Of an image both halves, old and new.
  return step.buffers.reserve(buffers) && step.images.reserve(2 * images);
}

void barriers_before(const device::Device& device, const Commands& commands,
                     std::span<const BufferMove> buffers, std::span<const ImageMove> images,
                     Step& step) {
  const Usage copies = copying(commands);
  const bool handed_over = !commands.one_family();
  const Families families =
      handed_over ? Families{commands.owner_family, commands.copy_family} : Families{};
  if (handed_over) {
    Batch release(device, step);
    for (const BufferMove& move : buffers) {
      release.add(move.source_buffer, commands.before.access, kNone, families);
    }
    for (const ImageMove& move : images) {
      if (!has_contents(move)) continue;
      release.add(move.source, move.shape, move.layout, kSource, commands.before.access, kNone,
                  families);
    }
    release.record(commands.release, {commands.before.stages, commands.before.access},
                   {kEnd, kNone});
  }
  Batch batch(device, step);
  const VkAccessFlags before = handed_over ? kNone : commands.before.access;
  for (const BufferMove& move : buffers) {
    if (handed_over) batch.add(move.source_buffer, kNone, copies.access, families);
  }
  for (const ImageMove& move : images) {
    if (!has_contents(move)) continue;
    const VkImageLayout old = move.shape.concurrent && handed_over ? kSource : move.layout;
    batch.add(move.source, move.shape, old, kSource, before, VK_ACCESS_TRANSFER_READ_BIT, families);
    batch.add(move.destination, move.shape, VK_IMAGE_LAYOUT_UNDEFINED, kDestination, before,
              VK_ACCESS_TRANSFER_WRITE_BIT, {});
  }
  // After a release the semaphore's wait stands at the stages of the copies.
  batch.record(commands.copy, handed_over ? Usage{copies.stages, kNone} : commands.before, copies);
}

void barriers_after(const device::Device& device, const Commands& commands,
                    std::span<const BufferMove> buffers, std::span<const ImageMove> images,
                    Step& step) {
  const Usage copies = copying(commands);
  const bool handed_over = !commands.one_family();
  const Families families =
      handed_over ? Families{commands.copy_family, commands.owner_family} : Families{};
  const VkAccessFlags after = handed_over ? kNone : commands.after.access;
  Batch batch(device, step);
  for (const BufferMove& move : buffers) {
    if (handed_over) batch.add(move.destination_buffer, copies.access, kNone, families);
  }
  for (const ImageMove& move : images) {
    if (!has_contents(move)) continue;
    batch.add(move.destination, move.shape, kDestination, move.layout, VK_ACCESS_TRANSFER_WRITE_BIT,
              after, families);
  }
  batch.record(commands.copy, copies, handed_over ? Usage{kEnd, kNone} : commands.after);
  if (!handed_over) return;

  Batch acquire(device, step);
  for (const BufferMove& move : buffers) {
    acquire.add(move.destination_buffer, kNone, commands.after.access, families);
  }
  for (const ImageMove& move : images) {
    const VkImageLayout old = move.shape.concurrent ? move.layout : kDestination;
    if (!has_contents(move)) continue;
    acquire.add(move.destination, move.shape, old, move.layout, kNone, commands.after.access,
                families);
  }
  acquire.record(commands.acquire, {kStart, kNone}, commands.after);
}

void barrier_between(const device::Device& device, const Commands& commands) {
  const Usage copies = copying(commands);
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, copies.access,
                               copies.access};
  device.fn().vkCmdPipelineBarrier(commands.copy, copies.stages, copies.stages, 0, 1, &memory, 0,
                                   nullptr, 0, nullptr);
}

}  // namespace quarry::copy
