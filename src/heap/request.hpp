// SPDX-License-Identifier: MIT
// One request for memory, reduced to what routing needs to know.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/explain.hpp>
#include <quarry/ordered_free.hpp>

#include "device/create_info_copy.hpp"
#include "device/requirements.hpp"
#include "memory/type_selection.hpp"

namespace quarry::heap {

class PoolState;

/// Of a request for work that may follow earlier uses of its memory; null for any other.
struct Following {
  const GpuUse* use = nullptr;
  ReuseOrder* order = nullptr;
};

struct Request {
  VkDeviceSize size = 0;        ///< bytes the driver requires, > 0
  VkDeviceSize alignment = 1;   ///< the driver's and the owner's, the larger
  std::uint32_t type_bits = 0;  ///< of the requirements and the description, combined
  ResourceKind kind = ResourceKind::unknown;
  bool requires_dedicated = false;
  bool prefers_dedicated = false;
  bool transient_image = false;
  bool wants_protected = false;
  bool disjoint = false;  ///< one plane of the image: must carry no dedicated information
  VkBuffer buffer = VK_NULL_HANDLE;  ///< for the dedicated information; at most one of the two
  VkImage image = VK_NULL_HANDLE;
  device::CreateInfoCopy* create_info = nullptr;  ///< moved from when the allocation is movable
  MovableVerdict movable = MovableVerdict::not_created_here;
  PoolState* pool = nullptr;  ///< entered by the caller
  const AllocationDesc* desc = nullptr;
  Following following{};

  static Request of(const device::Requirements& requirements, ResourceKind kind,
                    const AllocationDesc& desc) {
    Request request;
    request.size = requirements.memory.size;
    request.alignment = requirements.memory.alignment > desc.minimum_alignment
                            ? requirements.memory.alignment
                            : desc.minimum_alignment;
    request.type_bits = requirements.memory.memoryTypeBits & desc.memory_type_bits;
    // What shares its memory later may be of either kind.
    request.kind = desc.can_alias ? ResourceKind::unknown : kind;
    request.requires_dedicated = requirements.requires_dedicated;
    request.prefers_dedicated = requirements.prefers_dedicated;
    request.desc = &desc;
    return request;
  }

  memory::TypeRequest types() const {
    return {.type_bits = type_bits,
            .intent = desc->intent,
            .required = desc->required_flags,
            .preferred = desc->preferred_flags,
            .forbidden = desc->forbidden_flags,
            .size = size,
            .transient_image = transient_image,
            .wants_protected = wants_protected};
  }

  /// By the library, or by the owner who says so of memory that the library does not know the
  /// resource of.
  bool may_move() const {
    return movable == MovableVerdict::movable ||
           (movable == MovableVerdict::not_created_here && desc->movable && !desc->mapped &&
            !desc->can_alias);
  }
  /// Whether it may have memory in which an earlier use still runs.
  bool may_follow() const {
    const bool by_host = desc->mapped || desc->intent == MemoryIntent::upload ||
                         desc->intent == MemoryIntent::readback ||
                         desc->intent == MemoryIntent::device_upload ||
                         (desc->required_flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
    return following.use != nullptr && !by_host && !may_move() && !disjoint &&
           !desc->upper_address && !demands_dedicated() && !likes_dedicated();
  }
  /// Must have its own VkDeviceMemory.
  bool demands_dedicated() const {
    return requires_dedicated || desc->dedicated == Dedicated::always ||
           desc->memory_next != nullptr;
  }
  /// Its own VkDeviceMemory is told for which resource it is, and then serves no other. A driver
  /// that insists outweighs the wish to share.
  bool names_its_resource() const {
    return (buffer != VK_NULL_HANDLE || image != VK_NULL_HANDLE) && !disjoint &&
           (!desc->can_alias || requires_dedicated);
  }
  /// Should have it while VkDeviceMemory objects are to spare.
  bool likes_dedicated() const {
    return prefers_dedicated && desc->dedicated == Dedicated::automatic && !desc->can_alias;
  }
};

}  // namespace quarry::heap
