// SPDX-License-Identifier: MIT
// Readback, averaging and the writer thread.
#include "viewer/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "viewer/png.hpp"
#include "viewer/setup_commands.hpp"

namespace quarry::viewer {

namespace {

float to_light(std::uint8_t value) {
  const float v = static_cast<float>(value) / 255.0f;
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

std::uint8_t from_light(float light) {
  const float v =
      light <= 0.0031308f ? light * 12.92f : 1.055f * std::pow(light, 1.0f / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::lround(std::clamp(v, 0.0f, 1.0f) * 255.0f));
}

const std::array<float, 256>& light_table() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = to_light(static_cast<std::uint8_t>(i));
    return made;
  }();
  return table;
}

float radical_inverse(std::uint32_t index, std::uint32_t base) {
  float value = 0.0f;
  float digit = 1.0f;
  for (; index > 0; index /= base) {
    digit /= static_cast<float>(base);
    value += digit * static_cast<float>(index % base);
  }
  return value;
}

}  // namespace

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
  auto buffer = memory.allocator().create_buffer(info, desc);
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

void PictureAverage::add(std::span<const std::byte> rgba) {
  light_.resize(rgba.size());
  const auto& table = light_table();
  for (std::size_t i = 0; i < rgba.size(); ++i)
    light_[i] += table[std::to_integer<std::size_t>(rgba[i])];
  ++count_;
}

std::vector<std::uint8_t> PictureAverage::result() const {
  std::vector<std::uint8_t> pixels(light_.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = i % 4 == 3 ? 255 : from_light(light_[i] / static_cast<float>(count_));
  }
  return pixels;
}

std::pair<float, float> sample_position(std::uint32_t index, std::uint32_t count) {
  if (count <= 1) return {0.0f, 0.0f};
  return {radical_inverse(index + 1, 2) - 0.5f, radical_inverse(index + 1, 3) - 0.5f};
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
