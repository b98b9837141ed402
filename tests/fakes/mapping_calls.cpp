// SPDX-License-Identifier: MIT
// vkMapMemory, vkUnmapMemory, vkFlushMappedMemoryRanges, vkInvalidateMappedMemoryRanges.
#include <string>

#include "fakes/calls.hpp"
#include "fakes/chain.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

std::string describe(VkDeviceSize offset, VkDeviceSize size, const MemoryObject& memory) {
  return "offset " + std::to_string(offset) + ", size " +
         (size == VK_WHOLE_SIZE ? std::string("VK_WHOLE_SIZE") : std::to_string(size)) +
         " of memory of " + std::to_string(memory.size);
}

/// False if the range cannot be mapped at all.
bool check_map(Call& call, const MemoryObject& memory, VkDeviceSize offset, VkDeviceSize size,
               VkMemoryMapFlags flags) {
  const std::string range = describe(offset, size, memory);
  const std::size_t before = call->violations.size();
  const VkMemoryPropertyFlags properties = call->type_of(memory).propertyFlags;
  if ((properties & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) {
    call.violate(Rule::map_not_host_visible, "type " + std::to_string(memory.type));
    return false;
  }
  if (memory.several_instances) call.violate(Rule::map_multi_instance, range);
  if (memory.mapped) call.violate(Rule::map_twice, range);
  if (flags != 0) call.violate(Rule::map_flags, "flags " + std::to_string(flags));
  if (size == 0) call.violate(Rule::map_size_zero, range);
  if (offset >= memory.size) {
    call.violate(Rule::map_offset, range);
  } else if (size != VK_WHOLE_SIZE && size > memory.size - offset) {
    call.violate(Rule::map_range, range);
  }
  return call->violations.size() == before;
}

/// Size in bytes of a checked range; 0 after recording a violation that leaves nothing to carry
/// over.
VkDeviceSize check_range(Call& call, const VkMappedMemoryRange& range) {
  call.check_type(range.sType, VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE);
  check_chain(call, range.pNext, ChainPlace::nothing);
  const MemoryObject* memory = call.memory(range.memory);
  if (memory == nullptr) return 0;
  const std::string text = describe(range.offset, range.size, *memory);
  if (!memory->mapped) {
    call.violate(Rule::range_not_mapped, text);
    return 0;
  }
  const VkDeviceSize atom = call->profile.atom;
  if (range.offset % atom != 0) call.violate(Rule::range_offset_atom, text);
  const VkDeviceSize map_end = memory->map_offset + memory->map_size;
  const bool begins_inside = range.offset >= memory->map_offset && range.offset < map_end;
  if (!begins_inside || (range.size != VK_WHOLE_SIZE && range.size > map_end - range.offset)) {
    call.violate(Rule::range_outside_mapping, text);
    return 0;
  }
  const VkDeviceSize size = range.size == VK_WHOLE_SIZE ? map_end - range.offset : range.size;
  if (size % atom != 0 && range.offset + size != memory->size) {
    call.violate(Rule::range_size_atom, text);
  }
  return size;
}

}  // namespace

VkResult map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                    VkMemoryMapFlags flags, void** data) {
  Call call(state_of(device), Function::map_memory, id_of(memory));
  *data = nullptr;
  MemoryObject* object = call.memory(memory);
  if (object == nullptr || !check_map(call, *object, offset, size, flags)) {
    return VK_ERROR_MEMORY_MAP_FAILED;
  }
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  std::byte* first = object->backing.map();
  if (first == nullptr) return VK_ERROR_MEMORY_MAP_FAILED;
  object->mapped = true;
  object->map_offset = offset;
  object->map_size = size == VK_WHOLE_SIZE ? object->size - offset : size;
  ++call->mapped_memories;
  *data = first + static_cast<std::size_t>(offset);
  return VK_SUCCESS;
}

void unmap_memory(VkDevice device, VkDeviceMemory memory) {
  Call call(state_of(device), Function::unmap_memory, id_of(memory));
  MemoryObject* object = call.memory(memory);
  if (object == nullptr) return;
  if (!object->mapped) {
    call.violate(Rule::unmap_not_mapped, "memory " + std::to_string(id_of(memory)));
    return;
  }
  object->mapped = false;
  --call->mapped_memories;
  object->backing.unmap();
}

VkResult flush_ranges(VkDevice device, std::uint32_t count, const VkMappedMemoryRange* ranges) {
  Call call(state_of(device), Function::flush_mapped_memory_ranges);
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkDeviceSize size = check_range(call, ranges[i]);
    if (size == 0 || call.ordered() != VK_SUCCESS) continue;
    call.memory(ranges[i].memory)->backing.flush(ranges[i].offset, size);
  }
  return call.ordered();
}

VkResult invalidate_ranges(VkDevice device, std::uint32_t count,
                           const VkMappedMemoryRange* ranges) {
  Call call(state_of(device), Function::invalidate_mapped_memory_ranges);
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkDeviceSize size = check_range(call, ranges[i]);
    if (size == 0 || call.ordered() != VK_SUCCESS) continue;
    call.memory(ranges[i].memory)->backing.invalidate(ranges[i].offset, size);
  }
  return call.ordered();
}

}  // namespace quarry::fakes::calls
