// SPDX-License-Identifier: MIT
// Memory: every type of the profile is backed by the driver's type 0. Faults that a real GPU would
// answer with a crash or with silence are told on stderr and end the program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "disguise/hooks.hpp"
#include "disguise/layer.hpp"

namespace quarry::disguise {

namespace {

constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// Bytes on a heap, reserved before the driver is asked and given back if it says no.
bool reserve(Instance& instance, std::uint32_t heap, VkDeviceSize size) {
  const std::lock_guard lock(instance.mutex);
  const VkDeviceSize free = instance.profile->heaps[heap].size - instance.used_bytes[heap];
  if (size > free) return false;
  instance.used_bytes[heap] += size;
  return true;
}

void give_back(Instance& instance, std::uint32_t heap, VkDeviceSize size) {
  const std::lock_guard lock(instance.mutex);
  instance.used_bytes[heap] -= size;
}

[[noreturn]] void refuse(const char* function, const VkMappedMemoryRange& range,
                         VkDeviceSize memory_size, VkDeviceSize atom) {
  std::fprintf(stderr, "disguise: %s: offset %llu, size %llu of memory of %llu, atom %llu\n",
               function, static_cast<unsigned long long>(range.offset),
               static_cast<unsigned long long>(range.size),
               static_cast<unsigned long long>(memory_size), static_cast<unsigned long long>(atom));
  std::abort();
}

struct Carried {
  Memory* memory = nullptr;
  VkDeviceSize offset = 0;
  std::size_t size = 0;
};

/// Ends the program on a range that the specification forbids. Device::mutex must be held.
Carried check_range(Device& device, const char* function, const VkMappedMemoryRange& range) {
  const VkDeviceSize atom = device.profile()->atom;
  const auto it = device.memories.find(id_of(range.memory));
  if (it == device.memories.end() || !it->second.mapped) refuse(function, range, 0, atom);
  Memory& memory = it->second;
  const VkDeviceSize end = memory.map_offset + memory.map_size;
  const bool outside = range.offset < memory.map_offset || range.offset > end ||
                       (range.size != VK_WHOLE_SIZE && range.size > end - range.offset);
  if (outside || range.offset % atom != 0) refuse(function, range, memory.size, atom);
  const VkDeviceSize size = range.size == VK_WHOLE_SIZE ? end - range.offset : range.size;
  if (size % atom != 0 && range.offset + size != memory.size) {
    refuse(function, range, memory.size, atom);
  }
  return {&memory, range.offset, static_cast<std::size_t>(size)};
}

/// The program's view of memory that is not coherent; null if the driver cannot map it.
/// Device::mutex must be held.
std::byte* shadow_of(Device& device, VkDeviceMemory handle, Memory& memory) {
  if (memory.shadow != nullptr) return memory.shadow.get();
  void* driver_bytes = nullptr;
  if (device.next.map_memory(device.handle, handle, 0, VK_WHOLE_SIZE, 0, &driver_bytes) !=
      VK_SUCCESS) {
    return nullptr;
  }
  constexpr std::size_t kAlignment = 4096;
  const auto size = static_cast<std::size_t>(memory.size);
  memory.shadow.reset(static_cast<std::byte*>(
      std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment)));
  if (memory.shadow == nullptr) return nullptr;
  memory.driver_bytes = static_cast<std::byte*>(driver_bytes);
  std::memcpy(memory.shadow.get(), driver_bytes, size);
  return memory.shadow.get();
}

}  // namespace

VkResult hooks::allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  const auto d = device_of(dispatch_key(device));
  const Profile* profile = d->profile();
  if (profile == nullptr) return d->next.allocate_memory(device, info, callbacks, memory);
  if (info->memoryTypeIndex >= profile->types.size()) {
    std::fprintf(stderr, "disguise: memoryTypeIndex %u of %zu\n", info->memoryTypeIndex,
                 profile->types.size());
    std::abort();
  }
  const std::uint32_t heap = profile->heap_of(info->memoryTypeIndex);
  if (!reserve(*d->instance, heap, info->allocationSize)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  VkMemoryAllocateInfo driver_info = *info;
  driver_info.memoryTypeIndex = 0;
  const VkResult result = d->next.allocate_memory(device, &driver_info, callbacks, memory);
  if (result != VK_SUCCESS) {
    give_back(*d->instance, heap, info->allocationSize);
    return result;
  }
  Memory made;
  made.type = info->memoryTypeIndex;
  made.size = info->allocationSize;
  const std::lock_guard lock(d->mutex);
  d->memories[id_of(*memory)] = std::move(made);
  return VK_SUCCESS;
}

void hooks::free_memory(VkDevice device, VkDeviceMemory memory,
                        const VkAllocationCallbacks* callbacks) {
  const auto d = device_of(dispatch_key(device));
  if (d->profile() != nullptr && memory != VK_NULL_HANDLE) {
    const std::lock_guard lock(d->mutex);
    const auto it = d->memories.find(id_of(memory));
    if (it != d->memories.end()) {
      give_back(*d->instance, d->profile()->heap_of(it->second.type), it->second.size);
      d->memories.erase(it);
    }
  }
  d->next.free_memory(device, memory, callbacks);
}

VkResult hooks::map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                           VkDeviceSize size, VkMemoryMapFlags flags, void** data) {
  const auto d = device_of(dispatch_key(device));
  const Profile* profile = d->profile();
  if (profile == nullptr) return d->next.map_memory(device, memory, offset, size, flags, data);
  const std::lock_guard lock(d->mutex);
  const auto it = d->memories.find(id_of(memory));
  if (it == d->memories.end()) return VK_ERROR_MEMORY_MAP_FAILED;
  Memory& record = it->second;
  if (!profile->has_flags(record.type, kVisible) || record.mapped || offset >= record.size) {
    std::fprintf(stderr, "disguise: vkMapMemory of memory of type %u that is %s\n", record.type,
                 record.mapped ? "mapped already" : "not HOST_VISIBLE, or beyond its end");
    return VK_ERROR_MEMORY_MAP_FAILED;
  }
  if (profile->has_flags(record.type, kCoherent)) {
    const VkResult result = d->next.map_memory(device, memory, offset, size, flags, data);
    if (result != VK_SUCCESS) return result;
  } else {
    std::byte* shadow = shadow_of(*d, memory, record);
    if (shadow == nullptr) return VK_ERROR_MEMORY_MAP_FAILED;
    *data = shadow + static_cast<std::size_t>(offset);
  }
  record.mapped = true;
  record.map_offset = offset;
  record.map_size = size == VK_WHOLE_SIZE ? record.size - offset : size;
  return VK_SUCCESS;
}

void hooks::unmap_memory(VkDevice device, VkDeviceMemory memory) {
  const auto d = device_of(dispatch_key(device));
  if (d->profile() == nullptr) return d->next.unmap_memory(device, memory);
  const std::lock_guard lock(d->mutex);
  const auto it = d->memories.find(id_of(memory));
  if (it == d->memories.end() || !it->second.mapped) {
    std::fputs("disguise: vkUnmapMemory of memory that is not mapped\n", stderr);
    std::abort();
  }
  it->second.mapped = false;
  if (it->second.shadow == nullptr) d->next.unmap_memory(device, memory);
}

VkResult hooks::flush_ranges(VkDevice device, std::uint32_t count,
                             const VkMappedMemoryRange* ranges) {
  const auto d = device_of(dispatch_key(device));
  if (d->profile() == nullptr) return d->next.flush_ranges(device, count, ranges);
  const std::lock_guard lock(d->mutex);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Carried carried = check_range(*d, "vkFlushMappedMemoryRanges", ranges[i]);
    if (carried.memory->shadow == nullptr) continue;
    const auto offset = static_cast<std::size_t>(carried.offset);
    std::memcpy(carried.memory->driver_bytes + offset, carried.memory->shadow.get() + offset,
                carried.size);
  }
  return VK_SUCCESS;
}

VkResult hooks::invalidate_ranges(VkDevice device, std::uint32_t count,
                                  const VkMappedMemoryRange* ranges) {
  const auto d = device_of(dispatch_key(device));
  if (d->profile() == nullptr) return d->next.invalidate_ranges(device, count, ranges);
  const std::lock_guard lock(d->mutex);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Carried carried = check_range(*d, "vkInvalidateMappedMemoryRanges", ranges[i]);
    if (carried.memory->shadow == nullptr) continue;
    const auto offset = static_cast<std::size_t>(carried.offset);
    std::memcpy(carried.memory->shadow.get() + offset, carried.memory->driver_bytes + offset,
                carried.size);
  }
  return VK_SUCCESS;
}

}  // namespace quarry::disguise
