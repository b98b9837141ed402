// SPDX-License-Identifier: MIT
#include "memory/device_memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/assert.hpp"
#include "device/error.hpp"
#include "device/structure_chain.hpp"

namespace quarry::memory {

namespace {

/// Finer above the middle, where priorities compete. The middle itself is there: it is what the
/// driver assumes unasked.
constexpr std::array<float, kPriorityClasses> kPriorities = {0.0f,   1.0f / 6, 1.0f / 3, 0.5f,
                                                             0.625f, 0.75f,    0.875f,   1.0f};

/// The library's own structures of an allocation, in front of the owner's chain.
class AllocateChain {
 public:
  AllocateChain(const DeviceFacts& facts, const MemoryRequest& request)
      : owners_(request.next), first_(request.next) {
    const bool has_resource =
        request.dedicated_buffer != VK_NULL_HANDLE || request.dedicated_image != VK_NULL_HANDLE;
    if (facts.uses_dedicated_allocation && has_resource) {
      dedicated_.buffer = request.dedicated_buffer;
      dedicated_.image = request.dedicated_image;
      add(dedicated_, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
    }
    if (facts.features.buffer_device_address && request.device_address) {
      flags_.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
      add(flags_, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    }
    if (facts.features.memory_priority) {
      priority_.priority = priority_of_class(priority_class(request.priority));
      add(priority_, VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT);
    }
  }
  AllocateChain(const AllocateChain&) = delete;
  AllocateChain& operator=(const AllocateChain&) = delete;

  const void* first() const { return first_; }

 private:
  template <class T>
  void add(T& structure, VkStructureType type) {
    if (device::find_structure(owners_, type) != nullptr) return;
    structure.sType = type;
    structure.pNext = first_;
    first_ = &structure;
  }

  VkMemoryDedicatedAllocateInfo dedicated_{};
  VkMemoryAllocateFlagsInfo flags_{};
  VkMemoryPriorityAllocateInfoEXT priority_{};
  const void* owners_;
  const void* first_;
};

}  // namespace

std::uint32_t priority_class(float priority) {
  const float known = std::isnan(priority) ? 0.5f : priority;
  const auto* nearest =
      std::min_element(kPriorities.begin(), kPriorities.end(),
                       [&](float a, float b) { return std::abs(a - known) < std::abs(b - known); });
  // Infinities are equally far from every class.
  if (known >= 1.0f) nearest = kPriorities.end() - 1;
  return static_cast<std::uint32_t>(nearest - kPriorities.begin());
}

float priority_of_class(std::uint32_t priority_class) {
  QUARRY_ASSERT(priority_class < kPriorityClasses);
  return kPriorities[priority_class];
}

Status DeviceMemory::allocate(const device::Device& device, Budget& budget,
                              const MemoryRequest& request) {
  QUARRY_ASSERT(memory_ == VK_NULL_HANDLE);
  const DeviceFacts& facts = device.facts();
  const VkMemoryType& type = facts.memory.memoryTypes[request.memory_type];
  if (request.size == 0) return device::refuse(Reason::size_zero);
  if (request.size > facts.memory.memoryHeaps[type.heapIndex].size ||
      request.size > facts.maximum_allocation_size) {
    return device::refuse(Reason::larger_than_heap, request.size);
  }
  const Reason refused = budget.try_reserve(type.heapIndex, request.size, request.within_budget);
  if (refused != Reason::none) return device::refuse(refused, request.size);

  const AllocateChain chain(facts, request);
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = chain.first();
  info.allocationSize = request.size;
  info.memoryTypeIndex = request.memory_type;
  device::DriverCounters::count(device.counters().allocations);
  const VkResult code =
      device.fn().vkAllocateMemory(device.handle(), &info, device.callbacks(), &memory_);
  if (code != VK_SUCCESS) {
    memory_ = VK_NULL_HANDLE;
    budget.cancel(type.heapIndex, request.size);
    if (code == VK_ERROR_OUT_OF_DEVICE_MEMORY) budget.note_refusal(type.heapIndex, request.size);
    return device::driver_failed(code, request.size);
  }
  budget.commit(type.heapIndex, request.size);
  device_ = &device;
  budget_ = &budget;
  size_ = request.size;
  memory_type_ = request.memory_type;
  heap_ = type.heapIndex;
  property_flags_ = type.propertyFlags;
  return {};
}

void DeviceMemory::free() {
  if (memory_ == VK_NULL_HANDLE) return;
  // vkFreeMemory unmaps by itself.
  if (map_count_.exchange(0) != 0) budget_->release_map(size_);
  mapped_.store(nullptr, std::memory_order_relaxed);
  device::DriverCounters::count(device_->counters().frees);
  device_->fn().vkFreeMemory(device_->handle(), memory_, device_->callbacks());
  budget_->release(heap_, size_);
  memory_ = VK_NULL_HANDLE;
  size_ = 0;
}

bool DeviceMemory::host_visible() const {
  constexpr VkMemoryPropertyFlags kBoth =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT;
  return (property_flags_ & kBoth) == VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
}

bool DeviceMemory::needs_flush() const {
  return host_visible() && (property_flags_ & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0;
}

bool DeviceMemory::try_join_mapping() {
  std::uint64_t count = map_count_.load(std::memory_order_acquire);
  while (count != 0) {
    if (map_count_.compare_exchange_weak(count, count + 1, std::memory_order_acquire)) return true;
  }
  return false;
}

Result<std::byte*> DeviceMemory::map() {
  if (!host_visible()) return device::refuse(Reason::not_host_visible);
  if (try_join_mapping()) return mapped();
  const base::MutexLock lock(map_mutex_);
  if (try_join_mapping()) return mapped();
  return map_first();
}

Result<std::byte*> DeviceMemory::map_first() {
  if (!budget_->try_map(size_)) {
    return Unexpected(Error{.code = VK_ERROR_MEMORY_MAP_FAILED,
                            .reason = Reason::over_limit,
                            .requested_bytes = size_});
  }
  void* address = nullptr;
  device::DriverCounters::count(device_->counters().maps);
  const VkResult code =
      device_->fn().vkMapMemory(device_->handle(), memory_, 0, VK_WHOLE_SIZE, 0, &address);
  if (code != VK_SUCCESS) {
    budget_->release_map(size_);
    return device::driver_failed(code, size_);
  }
  mapped_.store(static_cast<std::byte*>(address), std::memory_order_relaxed);
  map_count_.store(1, std::memory_order_release);
  return static_cast<std::byte*>(address);
}

Status DeviceMemory::unmap() {
  std::uint64_t count = map_count_.load(std::memory_order_relaxed);
  while (count > 1) {
    if (map_count_.compare_exchange_weak(count, count - 1, std::memory_order_release)) return {};
  }
  const base::MutexLock lock(map_mutex_);
  // Others may have joined or left meanwhile; only the mutex's owner takes the last reference.
  count = map_count_.load(std::memory_order_relaxed);
  do {
    if (count == 0) return device::refuse(Reason::not_mapped);
  } while (!map_count_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel));
  if (count > 1) return {};
  mapped_.store(nullptr, std::memory_order_relaxed);
  device_->fn().vkUnmapMemory(device_->handle(), memory_);
  budget_->release_map(size_);
  return {};
}

std::byte* DeviceMemory::mapped() const {
  return mapped_.load(std::memory_order_relaxed);
}

}  // namespace quarry::memory
