// SPDX-License-Identifier: MIT
// Buffers and images: creation with the checks a caller's mistake deserves, destruction, binding,
// true usage flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <vulkan/vulkan_core.h>

#include <quarry/result.hpp>

#include "device/device.hpp"
#include "device/requirements.hpp"

namespace quarry::device {

/// size_zero for empty resources, unsupported for sparse ones, feature_not_enabled for protected
/// ones without the feature and disjoint ones without planes.
Status check_info(const Device& device, const VkBufferCreateInfo& info);
Status check_info(const Device& device, const VkImageCreateInfo& info);

/// check_info, then the driver.
Result<VkBuffer> create_buffer(const Device& device, const VkBufferCreateInfo& info);
Result<VkImage> create_image(const Device& device, const VkImageCreateInfo& info);
/// Null handles do nothing.
void destroy_buffer(const Device& device, VkBuffer buffer);
void destroy_image(const Device& device, VkImage image);

/// `offset` in bytes into `memory`. `next` goes to the bind structure's pNext; it needs
/// bind_memory2, else feature_not_enabled.
Status bind_buffer(const Device& device, VkBuffer buffer, VkDeviceMemory memory,
                   VkDeviceSize offset, const void* next = nullptr);
Status bind_image(const Device& device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset,
                  const void* next = nullptr);

/// Where one plane of a disjoint image goes.
struct PlaneBinding {
  VkImageAspectFlagBits plane = kNoPlane;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
};
/// Binds a disjoint image. `planes` names all of them: Vulkan wants them in one call. At most
/// kMaximumPlanes, else bad_argument; feature_not_enabled on a device opened without planes.
inline constexpr std::size_t kMaximumPlanes = 4;
Status bind_image_planes(const Device& device, VkImage image, std::span<const PlaneBinding> planes);

/// The usage that counts: VkBufferUsageFlags2CreateInfo replaces VkBufferCreateInfo::usage where
/// maintenance5 is enabled.
std::uint64_t buffer_usage(const Device& device, const VkBufferCreateInfo& info);

}  // namespace quarry::device
