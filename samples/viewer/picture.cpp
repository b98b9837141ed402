// SPDX-License-Identifier: MIT
// Readback and the writer thread.
#include "viewer/picture.hpp"

#include <utility>

#include "viewer/png.hpp"
#include "viewer/setup_commands.hpp"

namespace quarry::viewer {

Outcome<Readback> Readback::create(Memory& memory, VkDeviceSize bytes) {
  auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  AllocationDesc desc;
  desc.intent = MemoryIntent::readback;
  desc.lifetime = Lifetime::long_lived;
  desc.mapped = true;
  desc.tag = memory.frame_tag();
  desc.name = "picture readback";
  auto buffer = memory.create_buffer(info, desc);
  if (!buffer) return failure("picture readback: " + describe(buffer.error()));
  Readback readback;
  readback.buffer_ = UniqueBuffer(memory.allocator(), *buffer);
  readback.bytes_ = bytes;
  return readback;
}

void Readback::record(VkCommandBuffer commands, VkImage image, VkExtent2D extent) const {
  VkImageMemoryBarrier2 barrier = image_barrier(image, VK_IMAGE_ASPECT_COLOR_BIT);
  barrier.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  record_barrier(commands, barrier);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {extent.width, extent.height, 1};
  vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer_->buffer, 1,
                         &region);
  auto to_host = structure<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
  to_host.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  to_host.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  to_host.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
  to_host.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
  auto dependency = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &to_host;
  vkCmdPipelineBarrier2(commands, &dependency);
}

Outcome<std::span<const std::byte>> Readback::read(Memory& memory) const {
  const Allocation allocation = buffer_->allocation;
  if (auto visible = memory.allocator().invalidate(allocation); !visible) {
    return failure("picture readback: " + describe(visible.error()));
  }
  const auto info = memory.allocator().info(allocation);
  if (!info || info->mapped == nullptr) return failure("picture readback: not mapped");
  return std::span(static_cast<const std::byte*>(info->mapped), static_cast<std::size_t>(bytes_));
}

PictureWriter::PictureWriter() : thread_([this] { run(); }) {}

PictureWriter::~PictureWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PictureWriter::write(PictureFile picture) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(picture));
  }
  changed_.notify_all();
}

std::vector<std::string> PictureWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.empty() && !writing_; });
  return std::exchange(problems_, {});
}

void PictureWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const PictureFile picture = std::move(queue_.front());
    queue_.pop_front();
    writing_ = true;
    lock.unlock();
    const bool written = write_png(picture.path.string().c_str(), picture.width, picture.height,
                                   picture.pixels.data());
    lock.lock();
    writing_ = false;
    if (!written) problems_.push_back(picture.path.string() + ": cannot be written");
    changed_.notify_all();
  }
}

}  // namespace quarry::viewer
