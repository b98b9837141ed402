// SPDX-License-Identifier: MIT
#include "heap/resources.hpp"

#include <array>
#include <span>
#include <tuple>

#include "base/bits.hpp"
#include "device/planes.hpp"
#include "device/resource.hpp"
#include "device/structure_chain.hpp"
#include "heap/creation.hpp"
#include "heap/hot_path.hpp"
#include "heap/lookup.hpp"
#include "heap/resource_handle.hpp"
#include "heap/router.hpp"

namespace quarry::heap {

namespace {

/// Allocates for the request; on success the allocation keeps the pool, when it is the last to need
/// it.
Result<Allocation> allocate(Core& core, const Request& request, PoolUse& pool) {
  if (request.size == 0) return device::refuse(Reason::size_zero);
  const bool follows = core.ordered_frees.any() && request.may_follow();
  if (!follows) {
    if (const Allocation warm = allocate_warm(core, request)) return warm;
  }
  auto allocation = Router(core).allocate(request);
  if (allocation) pool.keep();
  return allocation;
}

Status bind_memory(Core& core, const Image& image, std::uint32_t planes) {
  std::array<device::PlaneBinding, device::kMaximumPlanes> bindings{};
  for (std::uint32_t plane = 0; plane < planes; ++plane) {
    const auto live = find(core, image.allocations[plane]);
    if (!live) return Unexpected(live.error());
    bindings[plane] = {.plane = device::plane_aspect(plane),
                       .memory = live->memory().handle(),
                       .offset = live->where.offset};
  }
  if (planes > 1) {
    return device::bind_image_planes(core.device, image.image, std::span(bindings).first(planes));
  }
  return device::bind_image(core.device, image.image, bindings[0].memory, bindings[0].offset);
}

/// Takes the right to free away from everybody else. Null: it goes, with its resource, when its
/// move ends.
Result<Record*> claim(Core& core, Allocation allocation, std::uint64_t resource = 0) {
  for (;;) {
    const auto claimed = core.records.claim(allocation.value);
    if (claimed) return claimed.record;
    const auto found = core.records.lookup(allocation.value);
    if (!found) return bad_handle(found.status);
    if (!found.record->is_moving(allocation.value)) continue;
    switch (core.moves.free(allocation, resource)) {
      case Moves::Freed::not_moving:
        break;
      case Moves::Freed::with_move:
        return static_cast<Record*>(nullptr);
      case Moves::Freed::bad_resource:
        return device::refuse(Reason::bad_argument);
    }
  }
}

/// The same together with the resource that lies there: another one than the memory was made for is
/// refused.
Result<Record*> claim_with(Core& core, Allocation allocation, std::uint64_t resource) {
  auto claimed = claim(core, allocation, resource);
  if (!claimed || *claimed == nullptr) return claimed;
  // What was evicted has no resource; its owner may not know yet.
  if ((*claimed)->demoted()) return claimed;
  const std::uint64_t made_for = (*claimed)->resource;
  if (made_for == 0 || made_for == resource) return claimed;
  RecordTable::unclaim(allocation.value, **claimed);
  return device::refuse(Reason::bad_argument);
}

/// Neighbours in the same block know of the allocation's kind alone.
bool kind_fits(const Core& core, Allocation allocation, const Live& live, ResourceKind kind) {
  if (!core.granular() || live.where.block->dedicated() || kind == ResourceKind::unknown)
    return true;
  const ResourceKind made_for = origin_of(core, allocation, live.record).kind;
  return made_for == kind || made_for == ResourceKind::unknown;
}

/// Whether a resource with these requirements may lie at `offset` in the allocation.
Status check_fit(const Core& core, Allocation allocation, const Live& live, VkDeviceSize offset,
                 const device::Requirements& requirements, ResourceKind kind,
                 std::uint64_t resource) {
  const Location& where = live.where;
  const VkMemoryRequirements& needed = requirements.memory;
  if (offset > where.size || needed.size > where.size - offset)
    return device::refuse(Reason::out_of_range, needed.size);
  if ((where.offset + offset) % needed.alignment != 0) return device::refuse(Reason::bad_alignment);
  if ((needed.memoryTypeBits & (1u << live.memory().memory_type())) == 0)
    return device::refuse(Reason::no_memory_type);
  const bool owns_memory = where.block->exclusive && live.record.resource == resource;
  if (owns_memory) return {};
  if (where.block->exclusive || requirements.requires_dedicated ||
      !kind_fits(core, allocation, live, kind))
    return device::refuse(Reason::bad_argument);
  return {};
}

Status bind_image(Core& core, Allocation allocation, VkImage image, ResourceKind kind,
                  VkDeviceSize offset, const void* next) {
  const auto found = find(core, allocation);
  if (!found) return Unexpected(found.error());
  const auto* plane = device::find_structure<VkBindImagePlaneMemoryInfo>(
      next, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
  const auto requirements = device::requirements_of_image(
      core.device, image, plane == nullptr ? device::kNoPlane : plane->planeAspect);
  if (!requirements) return Unexpected(requirements.error());
  const Status fits =
      check_fit(core, allocation, *found, offset, *requirements, kind, handle_bits(image));
  if (!fits) return fits;
  return device::bind_image(core.device, image, found->memory().handle(),
                            found->where.offset + offset, next);
}

}  // namespace

Result<Buffer> create_buffer(Core& core, const VkBufferCreateInfo& info, const AllocationDesc& desc,
                             const Following& following) {
  auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  auto effective = effective_info(core, info, desc, pool->get());
  if (!effective) return Unexpected(effective.error());
  const auto buffer = device::create_buffer(core.device, *effective->info);
  if (!buffer) return Unexpected(buffer.error());
  Request request =
      request_for(info, device::requirements_of_buffer(core.device, *buffer), desc, pool->get());
  request.buffer = *buffer;
  request.following = following;
  request.movable = effective->movable;
  request.create_info = &effective->copy;
  const auto allocation = allocate(core, request, *pool);
  if (!allocation) {
    device::destroy_buffer(core.device, *buffer);
    return Unexpected(allocation.error());
  }
  const auto live = find(core, *allocation);
  const Status bound =
      live ? device::bind_buffer(core.device, *buffer, live->memory().handle(), live->where.offset)
           : Status(Unexpected(live.error()));
  if (!bound) {
    (void)destroy(core, Buffer{*buffer, *allocation});
    return Unexpected(bound.error());
  }
  return Buffer{*buffer, *allocation};
}

Result<Image> create_image(Core& core, const VkImageCreateInfo& info, const AllocationDesc& desc,
                           const Following& following) {
  auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  auto effective = effective_info(core, info, desc, pool->get());
  if (!effective) return Unexpected(effective.error());
  const bool disjoint = (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  const auto created = device::create_image(core.device, *effective->info);
  if (!created) return Unexpected(created.error());
  Image image{*created, {}};
  const std::uint32_t planes = disjoint ? device::plane_count(info.format) : 1;
  Status status;
  for (std::uint32_t plane = 0; plane < planes && status; ++plane) {
    const auto aspect = planes == 1 ? device::kNoPlane : device::plane_aspect(plane);
    const auto requirements = device::requirements_of_image(core.device, image.image, aspect);
    if (!requirements) {
      status = Unexpected(requirements.error());
      break;
    }
    Request request = request_for(info, *requirements, desc, pool->get());
    request.image = image.image;
    request.following = following;
    request.disjoint = planes > 1;
    request.movable = effective->movable;
    request.create_info = &effective->copy;
    // Each plane's allocation keeps the pool for itself.
    PoolUse use(pool->get() != nullptr && pool->get()->enter() ? pool->get() : nullptr);
    const auto allocation = allocate(core, request, use);
    if (allocation) {
      image.allocations[plane] = *allocation;
    } else {
      status = Unexpected(allocation.error());
    }
  }
  if (status) status = bind_memory(core, image, planes);
  if (!status) {
    if (image.allocations[0]) {
      (void)destroy(core, image);
    } else {
      device::destroy_image(core.device, image.image);
    }
    return Unexpected(status.error());
  }
  return image;
}

Status destroy(Core& core, const Buffer& buffer) {
  if (!buffer.allocation) {
    if (buffer.buffer == VK_NULL_HANDLE) return {};
    return device::refuse(Reason::stale_handle);
  }
  const auto record = claim_with(core, buffer.allocation, handle_bits(buffer.buffer));
  if (!record) return Unexpected(record.error());
  if (*record == nullptr) return {};
  if (!(*record)->demoted()) device::destroy_buffer(core.device, buffer.buffer);
  Router(core).free(buffer.allocation, **record);
  return {};
}

Status destroy(Core& core, const Image& image) {
  std::array<Record*, std::tuple_size_v<decltype(image.allocations)>> records{};
  Status status;
  bool any = false;
  bool demoted = false;
  for (std::size_t i = 0; i < records.size() && status; ++i) {
    if (!image.allocations[i]) continue;
    const auto record = claim_with(core, image.allocations[i], handle_bits(image.image));
    // Only an image with one allocation moves.
    if (record && *record == nullptr) return {};
    if (record) {
      records[i] = *record;
      any = true;
      demoted = (*record)->demoted();
    } else {
      status = Unexpected(record.error());
    }
  }
  if (!status) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i] != nullptr) RecordTable::unclaim(image.allocations[i].value, *records[i]);
    }
    return status;
  }
  if (!any && image.image != VK_NULL_HANDLE) return device::refuse(Reason::stale_handle);
  if (!demoted) device::destroy_image(core.device, image.image);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i] != nullptr) Router(core).free(image.allocations[i], *records[i]);
  }
  return {};
}

Status free(Core& core, Allocation allocation) {
  const auto record = claim(core, allocation);
  if (!record) return Unexpected(record.error());
  if (*record == nullptr) return {};
  Router(core).free(allocation, **record);
  return {};
}

Result<Allocation> allocate(Core& core, const VkMemoryRequirements& requirements, ResourceKind kind,
                            const AllocationDesc& desc, const Following& following) {
  if (following.use == nullptr) {
    if (const Allocation warm = allocate_warm(core, requirements, kind, desc)) return warm;
  }
  if (requirements.size == 0) return device::refuse(Reason::size_zero);
  if (!base::is_power_of_two(requirements.alignment)) return device::refuse(Reason::bad_alignment);
  if (kind > ResourceKind::optimal) return device::refuse(Reason::bad_argument);
  auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  Request request = Request::of({.memory = requirements}, kind, desc);
  request.pool = pool->get();
  request.following = following;
  request.transient_image = means_transient_image(desc, kind);
  return allocate(core, request, *pool);
}

Result<Allocation> allocate_for_buffer(Core& core, VkBuffer buffer, const AllocationDesc& desc) {
  if (buffer == VK_NULL_HANDLE) return device::refuse(Reason::bad_argument);
  auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  Request request =
      Request::of(device::requirements_of_buffer(core.device, buffer), ResourceKind::linear, desc);
  request.pool = pool->get();
  request.buffer = buffer;
  return allocate(core, request, *pool);
}

Result<Allocation> allocate_for_image(Core& core, VkImage image, VkImageTiling tiling,
                                      const AllocationDesc& desc) {
  if (image == VK_NULL_HANDLE) return device::refuse(Reason::bad_argument);
  auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  const auto requirements = device::requirements_of_image(core.device, image, device::kNoPlane);
  if (!requirements) return Unexpected(requirements.error());
  Request request = Request::of(*requirements, kind_of(tiling), desc);
  request.transient_image = means_transient_image(desc, kind_of(tiling));
  request.pool = pool->get();
  request.image = image;
  return allocate(core, request, *pool);
}

Status bind_buffer(Core& core, Allocation allocation, VkBuffer buffer, VkDeviceSize offset,
                   const void* next) {
  if (buffer == VK_NULL_HANDLE) return device::refuse(Reason::bad_argument);
  const auto found = find(core, allocation);
  if (!found) return Unexpected(found.error());
  const Status fits = check_fit(core, allocation, *found, offset,
                                device::requirements_of_buffer(core.device, buffer),
                                ResourceKind::linear, handle_bits(buffer));
  if (!fits) return fits;
  return device::bind_buffer(core.device, buffer, found->memory().handle(),
                             found->where.offset + offset, next);
}

Status bind_image(Core& core, Allocation allocation, VkImage image, VkDeviceSize offset,
                  const void* next) {
  if (image == VK_NULL_HANDLE) return device::refuse(Reason::bad_argument);
  return bind_image(core, allocation, image, ResourceKind::unknown, offset, next);
}

Result<VkBuffer> create_aliasing_buffer(Core& core, Allocation allocation, VkDeviceSize offset,
                                        const VkBufferCreateInfo& info) {
  auto buffer = device::create_buffer(core.device, info);
  if (!buffer) return buffer;
  const Status bound = bind_buffer(core, allocation, *buffer, offset, nullptr);
  if (bound) return buffer;
  device::destroy_buffer(core.device, *buffer);
  return Unexpected(bound.error());
}

Result<VkImage> create_aliasing_image(Core& core, Allocation allocation, VkDeviceSize offset,
                                      const VkImageCreateInfo& info) {
  auto image = device::create_image(core.device, info);
  if (!image) return image;
  const Status bound = bind_image(core, allocation, *image, kind_of(info.tiling), offset, nullptr);
  if (bound) return image;
  device::destroy_image(core.device, *image);
  return Unexpected(bound.error());
}

}  // namespace quarry::heap
