// SPDX-License-Identifier: MIT
// vkAllocateMemory and vkFreeMemory.
#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "fakes/calls.hpp"
#include "fakes/chain.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

/// The requirement of the one part that dedicated memory may hold; null after recording a
/// violation.
const VkMemoryRequirements* dedicated_requirements(Call& call, const Resource* resource) {
  if (resource == nullptr) return nullptr;
  if (resource->disjoint) {
    call.violate(Rule::dedicated_disjoint, "a disjoint image");
    return nullptr;
  }
  return &resource->parts[0].requirements.memory;
}

void apply_dedicated(Call& call, const VkMemoryDedicatedAllocateInfo& info, MemoryObject& memory) {
  const std::string size = "allocationSize " + std::to_string(memory.size);
  if (info.image != VK_NULL_HANDLE && info.buffer != VK_NULL_HANDLE) {
    call.violate(Rule::dedicated_two_resources, size);
  }
  if (info.image != VK_NULL_HANDLE) {
    const VkMemoryRequirements* needed = dedicated_requirements(call, call.image(info.image));
    if (needed != nullptr && needed->size != memory.size) {
      call.violate(Rule::dedicated_image_size, size + ", required " + std::to_string(needed->size));
    }
    memory.dedicated_image = id_of(info.image);
  } else if (info.buffer != VK_NULL_HANDLE) {
    const VkMemoryRequirements* needed = dedicated_requirements(call, call.buffer(info.buffer));
    if (needed != nullptr && needed->size != memory.size) {
      call.violate(Rule::dedicated_buffer_size,
                   size + ", required " + std::to_string(needed->size));
    }
    memory.dedicated_buffer = id_of(info.buffer);
  }
}

void apply_flags(Call& call, const VkMemoryAllocateFlagsInfo* info, MemoryObject& memory) {
  const FakeProfile& profile = call->profile;
  const std::uint32_t heap = profile.types[memory.type].heapIndex;
  std::uint32_t instances = 1;
  if ((profile.heaps[heap].flags & VK_MEMORY_HEAP_MULTI_INSTANCE_BIT) != 0) {
    instances = profile.device_group_size;
  }
  if (info != nullptr) {
    memory.device_address = (info->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) != 0;
    if (memory.device_address && !profile.features.buffer_device_address) {
      call.violate(Rule::allocate_address_feature, "DEVICE_ADDRESS");
    }
    if ((info->flags & VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT) != 0) {
      instances = std::min(instances, static_cast<std::uint32_t>(std::popcount(info->deviceMask)));
    }
  }
  memory.several_instances = instances > 1;
}

void apply_external(Call& call, const void* chain, MemoryObject& memory) {
  const VkExternalMemoryHandleTypeFlags supported = call->profile.external_handle_types;
  if (const auto* info = find_in_chain<VkExportMemoryAllocateInfo>(
          chain, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO)) {
    memory.exported = info->handleTypes;
    if ((info->handleTypes & ~supported) != 0) {
      call.violate(Rule::export_handle_type, "handle types " + std::to_string(info->handleTypes));
    }
  }
  if (const auto* info = find_in_chain<VkImportMemoryFdInfoKHR>(
          chain, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR)) {
    memory.imported = static_cast<VkExternalMemoryHandleTypeFlags>(info->handleType);
    if ((memory.imported & ~supported) != 0 || info->fd < 0) {
      call.violate(Rule::import_handle, "descriptor " + std::to_string(info->fd));
    }
  }
  if (const auto* info = find_in_chain<VkImportMemoryHostPointerInfoEXT>(
          chain, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT)) {
    memory.imported = static_cast<VkExternalMemoryHandleTypeFlags>(info->handleType);
    if ((memory.imported & ~supported) != 0 || info->pHostPointer == nullptr) {
      call.violate(Rule::import_handle, "host pointer");
    }
  }
}

/// Rules on the structure itself. False if nothing can be made of it.
bool check_info(Call& call, const VkMemoryAllocateInfo& info) {
  const FakeProfile& profile = call->profile;
  call.check_type(info.sType, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  check_chain(call, info.pNext, ChainPlace::memory_allocate);
  const std::string size = "allocationSize " + std::to_string(info.allocationSize);
  if (info.allocationSize == 0) {
    call.violate(Rule::allocate_size_zero, size);
    return false;
  }
  if (info.memoryTypeIndex >= profile.types.size()) {
    call.violate(Rule::allocate_type_index, "type " + std::to_string(info.memoryTypeIndex));
    return false;
  }
  const VkMemoryType& type = profile.types[info.memoryTypeIndex];
  const VkDeviceSize heap_size = profile.heaps[type.heapIndex].size;
  if (info.allocationSize > heap_size) {
    call.violate(Rule::allocate_exceeds_heap, size + ", heap " + std::to_string(heap_size));
  }
  if (info.allocationSize > profile.maximum_allocation_size) {
    call.violate(Rule::allocate_exceeds_limit, size);
  }
  if ((type.propertyFlags & VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD) != 0 &&
      !profile.features.device_coherent_memory) {
    call.violate(Rule::allocate_device_coherent, "type " + std::to_string(info.memoryTypeIndex));
  }
  if ((type.propertyFlags & VK_MEMORY_PROPERTY_PROTECTED_BIT) != 0 &&
      !profile.features.protected_memory) {
    call.violate(Rule::allocate_protected, "type " + std::to_string(info.memoryTypeIndex));
  }
  return true;
}

bool heap_has_room(const State& state, const VkMemoryAllocateInfo& info) {
  const std::uint32_t heap = state.profile.types[info.memoryTypeIndex].heapIndex;
  const VkDeviceSize size = state.profile.heaps[heap].size;
  if (info.allocationSize > size) return false;
  return state.profile.over_commit ||
         state.used[heap] + state.outside[heap] + info.allocationSize <= size;
}

std::unique_ptr<MemoryObject> make_memory(Call& call, const VkMemoryAllocateInfo& info) {
  const VkMemoryPropertyFlags flags = call->profile.types[info.memoryTypeIndex].propertyFlags;
  auto memory = std::make_unique<MemoryObject>(info.allocationSize,
                                               (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0);
  memory->type = info.memoryTypeIndex;
  if (const auto* dedicated = find_in_chain<VkMemoryDedicatedAllocateInfo>(
          info.pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO)) {
    apply_dedicated(call, *dedicated, *memory);
  }
  if (const auto* priority = find_in_chain<VkMemoryPriorityAllocateInfoEXT>(
          info.pNext, VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT)) {
    memory->priority = priority->priority;
    if (!(priority->priority >= 0.0f && priority->priority <= 1.0f)) {
      call.violate(Rule::allocate_priority_range, std::to_string(priority->priority));
    }
  }
  apply_flags(call,
              find_in_chain<VkMemoryAllocateFlagsInfo>(
                  info.pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO),
              *memory);
  apply_external(call, info.pNext, *memory);
  return memory;
}

}  // namespace

VkResult allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                         const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  Call call(state_of(device), Function::allocate_memory);
  *memory = VK_NULL_HANDLE;
  if (!check_info(call, *info)) return VK_ERROR_UNKNOWN;
  std::unique_ptr<MemoryObject> object = make_memory(call, *info);
  if (call->memories.size() >= call->profile.maximum_allocation_count) {
    call.violate(Rule::allocate_count, std::to_string(call->memories.size()) + " live");
    return VK_ERROR_TOO_MANY_OBJECTS;
  }
  if (call.ordered() != VK_SUCCESS) return call.ordered();
  if (call->refuse_allocation) {
    const VkResult refused = call->refuse_allocation(*info);
    if (refused != VK_SUCCESS) return refused;
  }
  if (!heap_has_room(call.state(), *info)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (!take_host_block(callbacks, object->host)) return VK_ERROR_OUT_OF_HOST_MEMORY;
  call->used[call->profile.types[object->type].heapIndex] += object->size;
  if (object->device_address) {
    object->address = call->next_address;
    call->next_address += (object->size + 2 * kMiB) / kMiB * kMiB;
  }
  const std::uint64_t id = next_id();
  call->memories.emplace(id, std::move(object));
  *memory = handle_of<VkDeviceMemory>(id);
  return VK_SUCCESS;
}

void free_memory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  Call call(state_of(device), Function::free_memory, id_of(memory));
  if (memory == VK_NULL_HANDLE) return;
  MemoryObject* object = call.memory(memory);
  if (object == nullptr) return;
  if (call->memory_in_flight(id_of(memory)) || submission_uses(call.state(), id_of(memory))) {
    call.violate(Rule::free_in_flight, "memory " + std::to_string(id_of(memory)));
  }
  if (!object->resources.empty()) {
    call.violate(Rule::free_while_bound, std::to_string(object->resources.size()) +
                                             " bound, one at offset " +
                                             std::to_string(object->resources.any().offset));
  }
  if (!object->claims.empty()) {
    call.violate(Rule::free_while_claimed, std::to_string(object->claims.size()) +
                                               " claimed, one at offset " +
                                               std::to_string(object->claims.any().offset));
  }
  if (object->mapped) --call->mapped_memories;
  call->used[call->type_of(*object).heapIndex] -= object->size;
  give_host_block(call, callbacks, object->host);
  call->memories.erase(id_of(memory));
}

}  // namespace quarry::fakes::calls
