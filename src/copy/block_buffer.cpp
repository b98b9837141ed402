// SPDX-License-Identifier: MIT
#include "copy/block_buffer.hpp"

#include <algorithm>

#include "device/error.hpp"

namespace quarry::copy {

namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT;
/// The shaders read 16 bytes at a time.
constexpr VkDeviceSize kQuad = 16;

VkDeviceAddress address_of(const device::Device& device, VkBuffer buffer) {
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer;
  const VkDeviceAddress address = device.fn().vkGetBufferDeviceAddress(device.handle(), &info);
  return address % kQuad == 0 ? address : 0;
}

}  // namespace

Result<BlockBuffer> create_block_buffer(const device::Device& device, const BlockMemory& block,
                                        std::span<const std::uint32_t> queue_families,
                                        VkDeviceSize largest_buffer) {
  const VulkanFunctions& fn = device.fn();
  const bool addressed = block.device_address && fn.vkGetBufferDeviceAddress != nullptr;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = std::min(block.size, largest_buffer);
  info.usage = kUsage;
  if (addressed) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  if (queue_families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<std::uint32_t>(queue_families.size());
    info.pQueueFamilyIndices = queue_families.data();
  }
  BlockBuffer made{.size = info.size};
  VkResult result = fn.vkCreateBuffer(device.handle(), &info, device.callbacks(), &made.buffer);
  if (result != VK_SUCCESS) return device::driver_failed(result);

  VkMemoryRequirements requirements{};
  fn.vkGetBufferMemoryRequirements(device.handle(), made.buffer, &requirements);
  const VkDeviceSize padding = requirements.size - std::min(requirements.size, block.size);
  if ((requirements.memoryTypeBits >> block.memory_type & 1u) == 0 || padding >= info.size) {
    destroy_block_buffer(device, made);
    return device::refuse(Reason::unsupported);
  }
  if (padding != 0) {
    destroy_block_buffer(device, made);
    return create_block_buffer(device, block, queue_families, info.size - padding);
  }
  result = fn.vkBindBufferMemory(device.handle(), made.buffer, block.memory, 0);
  if (result != VK_SUCCESS) {
    destroy_block_buffer(device, made);
    return device::driver_failed(result);
  }
  if (addressed) made.address = address_of(device, made.buffer);
  return made;
}

void destroy_block_buffer(const device::Device& device, const BlockBuffer& block) {
  device.fn().vkDestroyBuffer(device.handle(), block.buffer, device.callbacks());
}

}  // namespace quarry::copy
