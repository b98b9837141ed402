// SPDX-License-Identifier: MIT
// Binding buffers, images and planes to memory, and the byte map of what is bound.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "fakes/calls.hpp"
#include "fakes/chain.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

void check_dedicated(Call& call, std::uint64_t id, const Resource& resource,
                     const FakeRequirements& needed, const MemoryObject& memory,
                     VkDeviceSize offset) {
  const std::uint64_t own = resource.is_image ? memory.dedicated_image : memory.dedicated_buffer;
  const bool dedicated = memory.dedicated_image != 0 || memory.dedicated_buffer != 0;
  if (dedicated && (own != id || offset != 0)) {
    call.violate(Rule::bind_dedicated_mismatch,
                 "resource " + std::to_string(id) + " at offset " + std::to_string(offset));
  } else if (needed.requires_dedicated && !dedicated) {
    call.violate(Rule::bind_needs_dedicated, "resource " + std::to_string(id));
  }
}

void check_properties(Call& call, const Resource& resource, const MemoryObject& memory) {
  const VkMemoryPropertyFlags flags = call->type_of(memory).propertyFlags;
  const std::string type = "type " + std::to_string(memory.type);
  const bool is_protected = (flags & VK_MEMORY_PROPERTY_PROTECTED_BIT) != 0;
  if (resource.protected_resource && !is_protected) {
    call.violate(Rule::bind_protected_resource, type);
  }
  if (!resource.protected_resource && is_protected) {
    call.violate(Rule::bind_protected_memory, type);
  }
  if ((flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0 && !resource.transient) {
    call.violate(Rule::bind_lazily_allocated, type);
  }
  if (resource.needs_address && call->profile.features.buffer_device_address &&
      !memory.device_address) {
    call.violate(Rule::bind_device_address, type);
  }
  if (memory.exported != 0 && (memory.exported & resource.handle_types) == 0) {
    call.violate(Rule::bind_export_mismatch, std::to_string(memory.exported));
  }
  if (memory.imported != 0 && (memory.imported & resource.handle_types) == 0) {
    call.violate(Rule::bind_import_mismatch, std::to_string(memory.imported));
  }
}

/// False if the range does not lie within the memory.
bool check_place(Call& call, const VkMemoryRequirements& needed, const MemoryObject& memory,
                 VkDeviceSize offset) {
  const std::string place = "offset " + std::to_string(offset) + ", required size " +
                            std::to_string(needed.size) + ", alignment " +
                            std::to_string(needed.alignment) + ", memory " +
                            std::to_string(memory.size) + " of type " + std::to_string(memory.type);
  if ((needed.memoryTypeBits >> memory.type & 1u) == 0) call.violate(Rule::bind_memory_type, place);
  if (offset % needed.alignment != 0) call.violate(Rule::bind_offset_alignment, place);
  if (offset >= memory.size) {
    call.violate(Rule::bind_offset_range, place);
    return false;
  }
  if (needed.size > memory.size - offset) {
    call.violate(Rule::bind_size, place);
    return false;
  }
  return true;
}

std::string describe(const ByteRange& range) {
  return "[" + std::to_string(range.offset) + ", " + std::to_string(range.offset + range.size) +
         ")";
}

void map_bytes(Call& call, const ByteRange& range, MemoryObject& memory) {
  const ByteMap::Conflicts conflicts = memory.resources.insert(range, call->profile.granularity);
  if (conflicts.overlap) {
    call.violate(Rule::resources_overlap, describe(range) + " and " + describe(*conflicts.overlap));
  }
  if (conflicts.granule) {
    call.violate(Rule::granularity_conflict,
                 describe(range) + " and " + describe(*conflicts.granule));
  }
}

/// Lies over everything in the memory, and was declared to.
bool is_block_buffer(const State& state, const Resource& resource, const MemoryObject& memory,
                     VkDeviceSize offset) {
  constexpr VkFlags64 kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  return state.block_buffers_may_alias && !resource.is_image && offset == 0 &&
         (resource.usage & kUsage) == kUsage && resource.size + kKiB > memory.size;
}

void bind_part(Call& call, std::uint64_t id, Resource& resource, std::uint32_t part,
               VkDeviceMemory memory_handle, VkDeviceSize offset) {
  BindPoint& point = resource.parts[part];
  MemoryObject* memory = call.memory(memory_handle);
  if (memory == nullptr) return;
  if (point.memory != 0) {
    call.violate(Rule::bind_twice, "resource " + std::to_string(id));
    return;
  }
  check_dedicated(call, id, resource, point.requirements, *memory, offset);
  check_properties(call, resource, *memory);
  if (!check_place(call, point.requirements.memory, *memory, offset)) return;
  point.memory = id_of(memory_handle);
  point.offset = offset;
  if (is_block_buffer(call.state(), resource, *memory, offset)) return;
  map_bytes(call, {offset, point.requirements.memory.size, resource.kind, id + part}, *memory);
}

/// The plane that one bind-info is about; part_count after recording a violation.
std::uint32_t part_of(Call& call, const Resource& image, const VkBindImageMemoryInfo& info) {
  const auto* plane = find_in_chain<VkBindImagePlaneMemoryInfo>(
      info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
  if (image.disjoint != (plane != nullptr)) {
    call.violate(
        image.disjoint ? Rule::bind_disjoint_without_plane : Rule::bind_plane_without_disjoint,
        std::to_string(image.part_count) + " planes");
    return image.part_count;
  }
  if (plane == nullptr) return 0;
  for (std::uint32_t part = 0; part < image.part_count; ++part) {
    if (plane->planeAspect == VK_IMAGE_ASPECT_PLANE_0_BIT << part) return part;
  }
  call.violate(Rule::requirements_plane_aspect, std::to_string(plane->planeAspect));
  return image.part_count;
}

}  // namespace

VkResult bind_buffer(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  Call call(state_of(device), Function::bind_buffer_memory, id_of(buffer));
  Resource* resource = call.buffer(buffer);
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  if (resource == nullptr) return VK_ERROR_UNKNOWN;
  bind_part(call, id_of(buffer), *resource, 0, memory, offset);
  return VK_SUCCESS;
}

VkResult bind_buffers2(VkDevice device, std::uint32_t count, const VkBindBufferMemoryInfo* infos) {
  Call call(state_of(device), Function::bind_buffer_memory2);
  std::set<std::uint64_t> seen;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkBindBufferMemoryInfo& info = infos[i];
    call.check_type(info.sType, VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO);
    check_chain(call, info.pNext, ChainPlace::bind_buffer);
    Resource* resource = call.buffer(info.buffer);
    if (resource == nullptr || call.ordered() != VK_SUCCESS) continue;
    if (!seen.insert(id_of(info.buffer)).second) {
      call.violate(Rule::bind_same_subresource, "buffer " + std::to_string(id_of(info.buffer)));
      continue;
    }
    bind_part(call, id_of(info.buffer), *resource, 0, info.memory, info.memoryOffset);
  }
  return call.ordered();
}

VkResult bind_image(VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset) {
  Call call(state_of(device), Function::bind_image_memory, id_of(image));
  Resource* resource = call.image(image);
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  if (resource == nullptr) return VK_ERROR_UNKNOWN;
  if (resource->disjoint) {
    call.violate(Rule::bind_disjoint_without_plane, "vkBindImageMemory");
    return VK_ERROR_UNKNOWN;
  }
  bind_part(call, id_of(image), *resource, 0, memory, offset);
  return VK_SUCCESS;
}

VkResult bind_images2(VkDevice device, std::uint32_t count, const VkBindImageMemoryInfo* infos) {
  Call call(state_of(device), Function::bind_image_memory2);
  std::set<std::pair<std::uint64_t, std::uint32_t>> seen;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkBindImageMemoryInfo& info = infos[i];
    call.check_type(info.sType, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO);
    check_chain(call, info.pNext, ChainPlace::bind_image);
    Resource* resource = call.image(info.image);
    if (resource == nullptr) continue;
    const std::uint32_t part = part_of(call, *resource, info);
    if (part == resource->part_count || call.ordered() != VK_SUCCESS) continue;
    if (!seen.insert({id_of(info.image), part}).second) {
      call.violate(Rule::bind_same_subresource, "image " + std::to_string(id_of(info.image)));
      continue;
    }
    bind_part(call, id_of(info.image), *resource, part, info.memory, info.memoryOffset);
  }
  for (const auto& [id, part] : seen) {
    const Resource& image = *call->find_image(id);
    const auto bound = static_cast<std::uint32_t>(
        std::ranges::count_if(seen, [id = id](const auto& entry) { return entry.first == id; }));
    if (part == 0 && bound != image.part_count) {
      call.violate(Rule::bind_planes_incomplete,
                   std::to_string(bound) + " of " + std::to_string(image.part_count));
    }
  }
  return call.ordered();
}

}  // namespace quarry::fakes::calls
