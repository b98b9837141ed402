// SPDX-License-Identifier: MIT
#include "heap/movability.hpp"

#include "device/resource.hpp"
#include "device/structure_chain.hpp"

namespace quarry::heap {

namespace {

/// What does not depend on the kind of resource.
MovableVerdict of_description(const AllocationDesc& desc, const PoolState* pool) {
  if (!desc.movable) return MovableVerdict::not_requested;
  if (pool != nullptr && pool->desc.algorithm != PoolAlgorithm::tlsf)
    return MovableVerdict::custom_pool;
  if (desc.memory_next != nullptr) return MovableVerdict::imported_or_exported;
  if (pool != nullptr && pool->desc.memory_next != nullptr)
    return MovableVerdict::imported_or_exported;
  if (desc.can_alias) return MovableVerdict::aliased;
  if (desc.mapped) return MovableVerdict::persistently_mapped;
  return MovableVerdict::movable;
}

}  // namespace

MovableVerdict movability(const device::Device& device, const VkBufferCreateInfo& info,
                          const AllocationDesc& desc, const PoolState* pool) {
  constexpr std::uint64_t kAddressed = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  constexpr std::uint64_t kStructures = VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR;
  const MovableVerdict verdict = of_description(desc, pool);
  if (verdict != MovableVerdict::movable) return verdict;
  const std::uint64_t usage = device::buffer_usage(device, info);
  if ((info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0) return MovableVerdict::protected_memory;
  if ((info.flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) != 0 ||
      (usage & kStructures) != 0) {
    return MovableVerdict::unsupported_usage;
  }
  if ((usage & kAddressed) != 0 && !desc.refetches_address) return MovableVerdict::device_address;
  if (device::find_structure(info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO) !=
      nullptr) {
    return MovableVerdict::imported_or_exported;
  }
  return MovableVerdict::movable;
}

MovableVerdict movability(const VkImageCreateInfo& info, const AllocationDesc& desc,
                          const PoolState* pool) {
  const MovableVerdict verdict = of_description(desc, pool);
  if (verdict != MovableVerdict::movable) return verdict;
  if ((info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0) return MovableVerdict::protected_memory;
  if ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0) return MovableVerdict::disjoint;
  if ((info.flags & VK_IMAGE_CREATE_ALIAS_BIT) != 0) return MovableVerdict::aliased;
  if ((info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0) return MovableVerdict::transient;
  if (device::find_structure(info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO) !=
      nullptr) {
    return MovableVerdict::imported_or_exported;
  }
  return MovableVerdict::movable;
}

}  // namespace quarry::heap
