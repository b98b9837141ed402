// SPDX-License-Identifier: MIT
// The public face of residency.
#include <utility>

#include <quarry/residency.hpp>

#include "base/host_object.hpp"
#include "device/error.hpp"
#include "heap/residency_state.hpp"

namespace quarry {

namespace {

/// The largest device-local heap; VK_MAX_MEMORY_HEAPS: there is none.
std::uint32_t largest_device_heap(const VkPhysicalDeviceMemoryProperties& memory) {
  std::uint32_t largest = VK_MAX_MEMORY_HEAPS;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0) continue;
    if (largest == VK_MAX_MEMORY_HEAPS ||
        memory.memoryHeaps[i].size > memory.memoryHeaps[largest].size)
      largest = i;
  }
  return largest;
}

bool is_host_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type,
                  std::uint32_t device_heap) {
  constexpr VkMemoryPropertyFlags kAsked =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  return memory.memoryTypes[type].heapIndex != device_heap &&
         (memory.memoryTypes[type].propertyFlags & kAsked) == VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
}

bool makes_sense(const ResidencyDesc& desc) {
  return desc.relaxed_share > 0.0 && desc.relaxed_share <= 1.0 && desc.margin_share >= 0.0 &&
         desc.margin_share < desc.relaxed_share &&
         desc.shortest_grace_milliseconds <= desc.longest_grace_milliseconds;
}

}  // namespace

Result<Residency> Residency::create(Allocator& allocator, const ResidencyDesc& desc) {
  if (allocator.core_ == nullptr || !makes_sense(desc)) return device::refuse(Reason::bad_argument);
  heap::Core& core = *allocator.core_;
  const VkPhysicalDeviceMemoryProperties& memory = core.device.facts().memory;
  if (desc.heap != ~0u && desc.heap >= memory.memoryHeapCount)
    return device::refuse(Reason::bad_argument);
  const std::uint32_t heap = desc.heap != ~0u ? desc.heap : largest_device_heap(memory);
  bool has_host_type = false;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type)
    has_host_type = has_host_type || is_host_type(memory, type, heap);
  if (!core.may_move || heap == VK_MAX_MEMORY_HEAPS || !has_host_type)
    return device::refuse(Reason::unsupported);
  if (!heap::EvictionRecorder::is_possible(core.device))
    return device::refuse(Reason::function_missing);
  if (core.has_residency.exchange(true)) return device::refuse(Reason::still_in_use);
  State* state = base::create_object<State>(core.host, core, desc, heap);
  if (state == nullptr) {
    core.has_residency.store(false);
    return device::refuse(Reason::out_of_host_memory);
  }
  return Residency(state);
}

Residency::Residency(Residency&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

Residency& Residency::operator=(Residency&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Residency::~Residency() {
  if (state_ == nullptr) return;
  const HostMemory host = state_->core.host;
  base::destroy_object(host, state_);
}

Status Residency::touch(Allocation allocation) const {
  return state_->touch(allocation);
}

Status Residency::set_priority(Allocation allocation, float priority) const {
  return state_->set_priority(allocation, priority);
}

Status Residency::make_resident(std::span<const Allocation> allocations) {
  return state_->wish(allocations, heap::Residence::Wish::in);
}

Status Residency::evict(std::span<const Allocation> allocations) {
  return state_->wish(allocations, heap::Residence::Wish::out);
}

void Residency::set_target(VkDeviceSize bytes) {
  state_->target = bytes;
}

Status Residency::sleep(Tag tag) {
  return state_->sleep(tag);
}

Status Residency::wake(Tag tag) {
  return state_->wake(tag);
}

Result<VkDeviceSize> Residency::prefetch(VkDeviceSize bytes) {
  return state_->prefetch(bytes);
}

Result<ResidencyChanges> Residency::record(const ResidencyStep& step) {
  return state_->record(step);
}

void Residency::complete(std::uint64_t value) {
  state_->complete(value);
}

ResidencyFigures Residency::figures() const {
  return state_->figures;
}

ResidencyTotals Residency::totals() const {
  return state_->totals();
}

}  // namespace quarry
