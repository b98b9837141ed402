// SPDX-License-Identifier: MIT
// Buffers and images: creation and destruction together with their memory, raw memory, binding,
// aliasing.
#pragma once

#include <quarry/allocator.hpp>

#include "heap/core.hpp"
#include "heap/request.hpp"

namespace quarry::heap {

Result<Buffer> create_buffer(Core& core, const VkBufferCreateInfo& info, const AllocationDesc& desc,
                             const Following& following = {});
Result<Image> create_image(Core& core, const VkImageCreateInfo& info, const AllocationDesc& desc,
                           const Following& following = {});
Status destroy(Core& core, const Buffer& buffer);
Status destroy(Core& core, const Image& image);
Status free(Core& core, Allocation allocation);

Result<Allocation> allocate(Core& core, const VkMemoryRequirements& requirements, ResourceKind kind,
                            const AllocationDesc& desc, const Following& following = {});
Result<Allocation> allocate_for_buffer(Core& core, VkBuffer buffer, const AllocationDesc& desc);
Result<Allocation> allocate_for_image(Core& core, VkImage image, VkImageTiling tiling,
                                      const AllocationDesc& desc);

Status bind_buffer(Core& core, Allocation allocation, VkBuffer buffer, VkDeviceSize offset,
                   const void* next);
Status bind_image(Core& core, Allocation allocation, VkImage image, VkDeviceSize offset,
                  const void* next);
Result<VkBuffer> create_aliasing_buffer(Core& core, Allocation allocation, VkDeviceSize offset,
                                        const VkBufferCreateInfo& info);
Result<VkImage> create_aliasing_image(Core& core, Allocation allocation, VkDeviceSize offset,
                                      const VkImageCreateInfo& info);

}  // namespace quarry::heap
