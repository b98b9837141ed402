// SPDX-License-Identifier: MIT
// What creating a resource and explaining its creation beforehand have in common: checks, the pool,
// the create-info as it will be used, the request.
#pragma once

#include <quarry/allocator.hpp>

#include "device/create_info_copy.hpp"
#include "heap/core.hpp"
#include "heap/lookup.hpp"
#include "heap/request.hpp"

namespace quarry::heap {

/// Checks the description and enters its pool.
Result<PoolUse> begin(Core& core, const AllocationDesc& desc);

/// The create-info that is given to the driver: the caller's, or for a movable resource a copy with
/// transfer usages.
template <class Info>
struct EffectiveInfo {
  MovableVerdict movable = MovableVerdict::not_requested;
  device::CreateInfoCopy copy;  ///< filled when movable
  const Info* info = nullptr;
};
Result<EffectiveInfo<VkBufferCreateInfo>> effective_info(Core& core, const VkBufferCreateInfo& info,
                                                         const AllocationDesc& desc,
                                                         const PoolState* pool);
Result<EffectiveInfo<VkImageCreateInfo>> effective_info(Core& core, const VkImageCreateInfo& info,
                                                        const AllocationDesc& desc,
                                                        const PoolState* pool);

inline ResourceKind kind_of(VkImageTiling tiling) {
  return tiling == VK_IMAGE_TILING_LINEAR ? ResourceKind::linear : ResourceKind::optimal;
}

/// Where the create-info is not known, the intent is the caller's word for it.
inline bool means_transient_image(const AllocationDesc& desc, ResourceKind kind) {
  return desc.intent == MemoryIntent::transient_attachment && kind == ResourceKind::optimal;
}

/// The request for a resource of that create-info; the resource's handle is filled in by whoever
/// has one.
Request request_for(const VkBufferCreateInfo& info, const device::Requirements& requirements,
                    const AllocationDesc& desc, PoolState* pool);
Request request_for(const VkImageCreateInfo& info, const device::Requirements& requirements,
                    const AllocationDesc& desc, PoolState* pool);

}  // namespace quarry::heap
