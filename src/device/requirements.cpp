// SPDX-License-Identifier: MIT
#include "device/requirements.hpp"

#include <algorithm>
#include <bit>

#include "device/error.hpp"
#include "device/resource.hpp"
#include "device/structure_chain.hpp"

namespace quarry::device {

namespace {

/// The two output structures, chained where the device knows dedicated allocation.
class Answer {
 public:
  explicit Answer(const Device& device) : device_(device) {
    requirements_.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
    dedicated_.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
    if (device.facts().uses_dedicated_allocation) requirements_.pNext = &dedicated_;
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  VkMemoryRequirements2* out() { return &requirements_; }
  VkMemoryRequirements* out_1_0() { return &requirements_.memoryRequirements; }

  /// Drivers have been seen to answer alignment 0, and to set bits of types that do not exist.
  Requirements result() const {
    Requirements result;
    result.memory = requirements_.memoryRequirements;
    result.memory.alignment = std::bit_ceil(std::max<VkDeviceSize>(1, result.memory.alignment));
    const std::uint32_t type_count = device_.facts().memory.memoryTypeCount;
    result.memory.memoryTypeBits &= ~0u >> (VK_MAX_MEMORY_TYPES - type_count);
    result.requires_dedicated = dedicated_.requiresDedicatedAllocation == VK_TRUE;
    result.prefers_dedicated = dedicated_.prefersDedicatedAllocation == VK_TRUE;
    return result;
  }

 private:
  const Device& device_;
  VkMemoryRequirements2 requirements_{};
  VkMemoryDedicatedRequirements dedicated_{};
};

/// Queries without a resource exclude these (specification, VkDeviceImageMemoryRequirements).
bool needs_a_real_image(const VkImageCreateInfo& info) {
  return find_structure(info.pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR) != nullptr ||
         find_structure(info.pNext,
                        VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT) !=
             nullptr;
}

}  // namespace

Requirements requirements_of_buffer(const Device& device, VkBuffer buffer) {
  Answer answer(device);
  if (device.facts().uses_requirements2) {
    VkBufferMemoryRequirementsInfo2 info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2;
    info.buffer = buffer;
    device.fn().vkGetBufferMemoryRequirements2(device.handle(), &info, answer.out());
  } else {
    device.fn().vkGetBufferMemoryRequirements(device.handle(), buffer, answer.out_1_0());
  }
  return answer.result();
}

Result<Requirements> requirements_of_image(const Device& device, VkImage image,
                                           VkImageAspectFlagBits plane) {
  if (plane != kNoPlane && !device.uses_planes()) return refuse(Reason::feature_not_enabled);
  Answer answer(device);
  if (!device.facts().uses_requirements2) {
    device.fn().vkGetImageMemoryRequirements(device.handle(), image, answer.out_1_0());
    return answer.result();
  }
  VkImagePlaneMemoryRequirementsInfo plane_info{};
  plane_info.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO;
  plane_info.planeAspect = plane;
  VkImageMemoryRequirementsInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2;
  if (plane != kNoPlane) info.pNext = &plane_info;
  info.image = image;
  device.fn().vkGetImageMemoryRequirements2(device.handle(), &info, answer.out());
  return answer.result();
}

Result<Requirements> requirements_of(const Device& device, const VkBufferCreateInfo& info) {
  if (device.facts().uses_maintenance4) {
    if (const Status checked = check_info(device, info); !checked) {
      return Unexpected(checked.error());
    }
    Answer answer(device);
    VkDeviceBufferMemoryRequirements query{};
    query.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS;
    query.pCreateInfo = &info;
    device.fn().vkGetDeviceBufferMemoryRequirements(device.handle(), &query, answer.out());
    return answer.result();
  }
  const Result<VkBuffer> buffer = create_buffer(device, info);
  if (!buffer) return Unexpected(buffer.error());
  const Requirements requirements = requirements_of_buffer(device, *buffer);
  destroy_buffer(device, *buffer);
  return requirements;
}

Result<Requirements> requirements_of(const Device& device, const VkImageCreateInfo& info,
                                     VkImageAspectFlagBits plane) {
  const bool disjoint = (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  if (disjoint != (plane != kNoPlane)) return refuse(Reason::bad_argument);
  if (device.facts().uses_maintenance4 && !needs_a_real_image(info)) {
    if (const Status checked = check_info(device, info); !checked) {
      return Unexpected(checked.error());
    }
    Answer answer(device);
    VkDeviceImageMemoryRequirements query{};
    query.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS;
    query.pCreateInfo = &info;
    query.planeAspect = plane;
    device.fn().vkGetDeviceImageMemoryRequirements(device.handle(), &query, answer.out());
    return answer.result();
  }
  const Result<VkImage> image = create_image(device, info);
  if (!image) return Unexpected(image.error());
  Result<Requirements> requirements = requirements_of_image(device, *image, plane);
  destroy_image(device, *image);
  return requirements;
}

}  // namespace quarry::device
