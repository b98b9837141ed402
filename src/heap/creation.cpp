// SPDX-License-Identifier: MIT
#include "heap/creation.hpp"

#include "heap/movability.hpp"
#include "heap/router.hpp"

namespace quarry::heap {

namespace {

template <class Info>
Result<EffectiveInfo<Info>> copy_if_movable(Core& core, const Info& info, MovableVerdict verdict,
                                            const Info* (device::CreateInfoCopy::*part)() const) {
  EffectiveInfo<Info> effective;
  effective.movable = verdict;
  effective.info = &info;
  if (verdict != MovableVerdict::movable) return effective;
  auto copy = device::CreateInfoCopy::of(core.host, info);
  if (copy) {
    effective.copy = std::move(*copy);
    effective.copy.add_transfer_usage();
    effective.info = (effective.copy.*part)();
  } else if (copy.error() == device::CopyError::unknown_structure) {
    effective.movable = MovableVerdict::unknown_create_info;
  } else {
    return device::refuse(Reason::out_of_host_memory);
  }
  return effective;
}

}  // namespace

Result<PoolUse> begin(Core& core, const AllocationDesc& desc) {
  const Reason reason = check(core, desc);
  if (reason != Reason::none) return device::refuse(reason);
  if (!desc.pool) {
    if (desc.upper_address) return device::refuse(Reason::unsupported);
    return PoolUse(nullptr);
  }
  auto pool = enter(core, desc.pool);
  if (pool && desc.upper_address && pool->get()->desc.algorithm != PoolAlgorithm::linear)
    return device::refuse(Reason::unsupported);
  return pool;
}

Result<EffectiveInfo<VkBufferCreateInfo>> effective_info(Core& core, const VkBufferCreateInfo& info,
                                                         const AllocationDesc& desc,
                                                         const PoolState* pool) {
  return copy_if_movable(core, info, movability(core.device, info, desc, pool),
                         &device::CreateInfoCopy::buffer);
}

Result<EffectiveInfo<VkImageCreateInfo>> effective_info(Core& core, const VkImageCreateInfo& info,
                                                        const AllocationDesc& desc,
                                                        const PoolState* pool) {
  return copy_if_movable(core, info, movability(info, desc, pool), &device::CreateInfoCopy::image);
}

Request request_for(const VkBufferCreateInfo& info, const device::Requirements& requirements,
                    const AllocationDesc& desc, PoolState* pool) {
  Request request = Request::of(requirements, ResourceKind::linear, desc);
  request.pool = pool;
  request.wants_protected = (info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0;
  return request;
}

Request request_for(const VkImageCreateInfo& info, const device::Requirements& requirements,
                    const AllocationDesc& desc, PoolState* pool) {
  Request request = Request::of(requirements, kind_of(info.tiling), desc);
  request.pool = pool;
  request.wants_protected = (info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0;
  request.transient_image = (info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0;
  return request;
}

}  // namespace quarry::heap
