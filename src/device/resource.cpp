// SPDX-License-Identifier: MIT
#include "device/resource.hpp"

#include <array>

#include "device/error.hpp"
#include "device/structure_chain.hpp"

namespace quarry::device {

Status check_info(const Device& device, const VkBufferCreateInfo& info) {
  constexpr VkBufferCreateFlags kSparse = VK_BUFFER_CREATE_SPARSE_BINDING_BIT |
                                          VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                                          VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;
  if (info.size == 0) return refuse(Reason::size_zero);
  if ((info.flags & kSparse) != 0) return refuse(Reason::unsupported);
  if ((info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0 &&
      !device.facts().features.protected_memory) {
    return refuse(Reason::feature_not_enabled);
  }
  return {};
}

Status check_info(const Device& device, const VkImageCreateInfo& info) {
  constexpr VkImageCreateFlags kSparse = VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
                                         VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
                                         VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;
  if (info.extent.width == 0 || info.extent.height == 0 || info.extent.depth == 0 ||
      info.mipLevels == 0 || info.arrayLayers == 0) {
    return refuse(Reason::size_zero);
  }
  if ((info.flags & kSparse) != 0) return refuse(Reason::unsupported);
  if ((info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0 &&
      !device.facts().features.protected_memory) {
    return refuse(Reason::feature_not_enabled);
  }
  if ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0 && !device.uses_planes()) {
    return refuse(Reason::feature_not_enabled);
  }
  return {};
}

Result<VkBuffer> create_buffer(const Device& device, const VkBufferCreateInfo& info) {
  if (const Status checked = check_info(device, info); !checked) {
    return Unexpected(checked.error());
  }
  VkBuffer buffer = VK_NULL_HANDLE;
  const VkResult code =
      device.fn().vkCreateBuffer(device.handle(), &info, device.callbacks(), &buffer);
  if (code != VK_SUCCESS) return driver_failed(code, info.size);
  return buffer;
}

Result<VkImage> create_image(const Device& device, const VkImageCreateInfo& info) {
  if (const Status checked = check_info(device, info); !checked) {
    return Unexpected(checked.error());
  }
  VkImage image = VK_NULL_HANDLE;
  const VkResult code =
      device.fn().vkCreateImage(device.handle(), &info, device.callbacks(), &image);
  if (code != VK_SUCCESS) return driver_failed(code);
  return image;
}

void destroy_buffer(const Device& device, VkBuffer buffer) {
  if (buffer == VK_NULL_HANDLE) return;
  device.fn().vkDestroyBuffer(device.handle(), buffer, device.callbacks());
}

void destroy_image(const Device& device, VkImage image) {
  if (image == VK_NULL_HANDLE) return;
  device.fn().vkDestroyImage(device.handle(), image, device.callbacks());
}

Status bind_buffer(const Device& device, VkBuffer buffer, VkDeviceMemory memory,
                   VkDeviceSize offset, const void* next) {
  VkResult code = VK_SUCCESS;
  if (device.facts().uses_bind2) {
    VkBindBufferMemoryInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO;
    info.pNext = next;
    info.buffer = buffer;
    info.memory = memory;
    info.memoryOffset = offset;
    code = device.fn().vkBindBufferMemory2(device.handle(), 1, &info);
  } else {
    if (next != nullptr) return refuse(Reason::feature_not_enabled);
    code = device.fn().vkBindBufferMemory(device.handle(), buffer, memory, offset);
  }
  if (code != VK_SUCCESS) return driver_failed(code);
  return {};
}

Status bind_image(const Device& device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset,
                  const void* next) {
  VkResult code = VK_SUCCESS;
  if (device.facts().uses_bind2) {
    VkBindImageMemoryInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO;
    info.pNext = next;
    info.image = image;
    info.memory = memory;
    info.memoryOffset = offset;
    code = device.fn().vkBindImageMemory2(device.handle(), 1, &info);
  } else {
    if (next != nullptr) return refuse(Reason::feature_not_enabled);
    code = device.fn().vkBindImageMemory(device.handle(), image, memory, offset);
  }
  if (code != VK_SUCCESS) return driver_failed(code);
  return {};
}

Status bind_image_planes(const Device& device, VkImage image,
                         std::span<const PlaneBinding> planes) {
  if (!device.uses_planes()) return refuse(Reason::feature_not_enabled);
  if (planes.empty() || planes.size() > kMaximumPlanes) return refuse(Reason::bad_argument);
  std::array<VkBindImagePlaneMemoryInfo, kMaximumPlanes> plane_infos{};
  std::array<VkBindImageMemoryInfo, kMaximumPlanes> infos{};
  for (std::size_t index = 0; index < planes.size(); ++index) {
    plane_infos[index].sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO;
    plane_infos[index].planeAspect = planes[index].plane;
    infos[index].sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO;
    infos[index].pNext = &plane_infos[index];
    infos[index].image = image;
    infos[index].memory = planes[index].memory;
    infos[index].memoryOffset = planes[index].offset;
  }
  const VkResult code = device.fn().vkBindImageMemory2(
      device.handle(), static_cast<std::uint32_t>(planes.size()), infos.data());
  if (code != VK_SUCCESS) return driver_failed(code);
  return {};
}

std::uint64_t buffer_usage(const Device& device, const VkBufferCreateInfo& info) {
#if defined(VK_KHR_maintenance5)
  if (device.facts().features.maintenance5) {
    const auto* usage2 = find_structure<VkBufferUsageFlags2CreateInfoKHR>(
        info.pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
    if (usage2 != nullptr) return usage2->usage;
  }
#else
  (void)device;
#endif
  return info.usage;
}

}  // namespace quarry::device
