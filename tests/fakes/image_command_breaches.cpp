// SPDX-License-Identifier: MIT
// Breaches in recorded commands on images.
#include <span>

#include "fakes/breaches.hpp"

namespace quarry::fakes {

namespace {

constexpr VkImageUsageFlags kCopied =
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageLayout kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr VkImageLayout kDestination = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
constexpr VkFormat kColor = VK_FORMAT_R8G8B8A8_UNORM;

VkImage bound_image(Bench& bench, VkImageLayout layout, VkFormat format = kColor) {
  const VkImage image = bench.image(image_info(64, 64, format, kCopied));
  bench.bind_image(image, bench.allocate(1, kMiB));
  const std::byte byte{1};
  bench.gpu.write_image(image, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, layout, std::span(&byte, 1));
  return image;
}

VkImageCopy whole(VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  const VkImageSubresourceLayers layers{aspect, 0, 0, 1};
  return {layers, {}, layers, {}, {64, 64, 1}};
}

void copy(Bench& bench, VkImage from, VkImage to, const VkImageCopy& region,
          std::uint32_t family = 0, VkImageLayout layout = kSource) {
  const VkCommandBuffer commands = bench.gpu.begin_commands(family);
  bench.vk.vkCmdCopyImage(commands, from, layout, to, kDestination, 1, &region);
  bench.gpu.submit(std::span(&commands, 1));
}

void copy_in_another_layout(Bench& bench) {
  copy(bench, bound_image(bench, VK_IMAGE_LAYOUT_GENERAL), bound_image(bench, kDestination),
       whole());
}

void copy_in_a_layout_for_reading(Bench& bench) {
  constexpr VkImageLayout kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  copy(bench, bound_image(bench, kRead), bound_image(bench, kDestination), whole(), 0, kRead);
}

void copy_a_mip_that_is_not_there(Bench& bench) {
  VkImageCopy region = whole();
  region.srcSubresource.mipLevel = 1;
  copy(bench, bound_image(bench, kSource), bound_image(bench, kDestination), region);
}

void copy_beyond_the_edge(Bench& bench) {
  VkImageCopy region = whole();
  region.srcOffset.x = 1;
  copy(bench, bound_image(bench, kSource), bound_image(bench, kDestination), region);
}

void copy_to_another_format(Bench& bench) {
  copy(bench, bound_image(bench, kSource), bound_image(bench, kDestination, VK_FORMAT_R8_UNORM),
       whole());
}

void copy_a_corner(Bench& bench) {
  VkImageCopy region = whole();
  region.extent = {8, 8, 1};
  copy(bench, bound_image(bench, kSource), bound_image(bench, kDestination), region);
}

void copy_depth_on_the_transfer_queue(Bench& bench) {
  constexpr VkFormat kDepth = VK_FORMAT_D32_SFLOAT;
  copy(bench, bound_image(bench, kSource, kDepth), bound_image(bench, kDestination, kDepth),
       whole(VK_IMAGE_ASPECT_DEPTH_BIT), 1);
}

void copy_to_a_short_buffer(Bench& bench) {
  const VkBuffer buffer = bench.buffer(4096);
  bench.bind_buffer(buffer, bench.allocate(1, 4096));
  const VkCommandBuffer commands = bench.gpu.begin_commands();
  VkBufferImageCopy region{};
  region.imageSubresource = whole().srcSubresource;
  region.imageExtent = {64, 64, 1};
  bench.vk.vkCmdCopyImageToBuffer(commands, bound_image(bench, kSource), kSource, buffer, 1,
                                  &region);
  bench.gpu.submit(std::span(&commands, 1));
}

void change(Bench& bench, VkImage image, VkImageLayout from, VkImageLayout to) {
  const VkCommandBuffer commands = bench.gpu.begin_commands();
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  bench.vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                                &barrier);
  bench.gpu.submit(std::span(&commands, 1));
}

void change_from_another_layout(Bench& bench) {
  change(bench, bound_image(bench, VK_IMAGE_LAYOUT_GENERAL), kSource, kDestination);
}

void change_to_undefined(Bench& bench) {
  change(bench, bound_image(bench, kSource), kSource, VK_IMAGE_LAYOUT_UNDEFINED);
}

void change_without_usage(Bench& bench) {
  const VkImage image = bench.image(image_info(64, 64));
  bench.bind_image(image, bench.allocate(1, kMiB));
  change(bench, image, VK_IMAGE_LAYOUT_UNDEFINED, kDestination);
}

}  // namespace

std::vector<Breach> image_command_breaches() {
  const FakeProfile plain = profiles::discrete();
  return {
      {Rule::copy_image_layout, plain, copy_in_another_layout},
      {Rule::copy_image_layout_kind, plain, copy_in_a_layout_for_reading},
      {Rule::copy_image_region, plain, copy_a_mip_that_is_not_there},
      {Rule::copy_image_region, plain, copy_beyond_the_edge},
      {Rule::copy_image_compatible, plain, copy_to_another_format},
      {Rule::copy_image_partial, plain, copy_a_corner},
      {Rule::queue_lacks_capability, plain, copy_depth_on_the_transfer_queue},
      {Rule::transfer_region, plain, copy_to_a_short_buffer},
      {Rule::barrier_old_layout, plain, change_from_another_layout},
      {Rule::barrier_new_layout, plain, change_to_undefined},
      {Rule::barrier_layout_usage, plain, change_without_usage},
  };
}

}  // namespace quarry::fakes
