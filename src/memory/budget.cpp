// SPDX-License-Identifier: MIT
#include "memory/budget.hpp"

#include <algorithm>

namespace quarry::memory {

namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;

VkDeviceSize minus_or_zero(VkDeviceSize from, VkDeviceSize what) {
  return from > what ? from - what : 0;
}

/// Sequentially consistent, as are the additions to what is held: a commit beside reset_peaks()
/// either sees the reset peak, or is seen in what is held.
void raise_to(std::atomic<VkDeviceSize>& peak, VkDeviceSize value) {
  VkDeviceSize known = peak.load();
  while (known < value && !peak.compare_exchange_weak(known, value)) {
  }
}

VkDeviceSize share_of(VkDeviceSize heap_size, double share) {
  return static_cast<VkDeviceSize>(static_cast<double>(heap_size) * share);
}

VkDeviceSize default_address_space() {
  return sizeof(void*) == 4 ? 256 * kMiB : VK_WHOLE_SIZE;
}

}  // namespace

PlausibleFigures make_plausible(const DriverFigures& driver, VkDeviceSize heap_size,
                                VkDeviceSize own_bytes, double assumed_share) {
  PlausibleFigures figures;
  figures.budget =
      driver.budget == 0 ? share_of(heap_size, assumed_share) : std::min(driver.budget, heap_size);
  // A process may really use more than the heap where the driver over-commits, but not by so much.
  const bool absurd = driver.usage / 2 > heap_size;
  figures.foreign = absurd ? 0 : minus_or_zero(driver.usage, own_bytes);
  return figures;
}

VkDeviceSize headroom(VkDeviceSize heap_size, const BudgetPolicy& policy) {
  return std::clamp(share_of(heap_size, policy.headroom_share), policy.least_headroom,
                    policy.most_headroom);
}

std::uint64_t convenient_object_count(std::uint32_t maximum) {
  return std::uint64_t{maximum} * 3 / 4;
}

void Budget::open(const device::Device& device, const BudgetDesc& desc) {
  device_ = &device;
  assumed_share_ = desc.assumed_share;
  const DeviceFacts& facts = device.facts();
  heap_count_ = facts.memory.memoryHeapCount;
  for (std::uint32_t index = 0; index < heap_count_; ++index) {
    Heap& heap = heaps_[index];
    heap.size = facts.memory.memoryHeaps[index].size;
    heap.budget = share_of(heap.size, assumed_share_);
    heap.headroom = headroom(heap.size, desc.policy);
    if (index < desc.heap_limits.size()) heap.limit = desc.heap_limits[index];
  }
  maximum_objects_ = facts.properties.limits.maxMemoryAllocationCount;
  convenient_objects_ = convenient_object_count(facts.properties.limits.maxMemoryAllocationCount);
  mapped_cap_ =
      desc.mapped_address_space == 0 ? default_address_space() : desc.mapped_address_space;
  refresh();
}

void Budget::refresh() {
  for (std::uint32_t index = 0; index < heap_count_; ++index)
    heaps_[index].least_refused.store(VK_WHOLE_SIZE, std::memory_order_relaxed);
  if (!device_->facts().uses_memory_budget) return;
  // The driver's usage belongs to some moment between the two readings of what is held: the lower
  // one errs towards more use by others, until the next refresh.
  std::array<VkDeviceSize, VK_MAX_MEMORY_HEAPS> held_before{};
  for (std::uint32_t index = 0; index < heap_count_; ++index) {
    held_before[index] = own_bytes(index);
  }
  VkPhysicalDeviceMemoryBudgetPropertiesEXT figures{};
  figures.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  properties.pNext = &figures;
  device::DriverCounters::count(device_->counters().budget_queries);
  device_->fn().vkGetPhysicalDeviceMemoryProperties2(device_->physical_device(), &properties);

  for (std::uint32_t index = 0; index < heap_count_; ++index) {
    Heap& heap = heaps_[index];
    const VkDeviceSize held = std::min(held_before[index], own_bytes(index));
    const PlausibleFigures plausible =
        make_plausible({.budget = figures.heapBudget[index], .usage = figures.heapUsage[index]},
                       heap.size, held, assumed_share_);
    heap.budget.store(plausible.budget, std::memory_order_relaxed);
    heap.foreign.store(plausible.foreign, std::memory_order_relaxed);
  }
}

void Budget::limit_process(const ProcessLimit& limit) {
  if (limit.heap >= heap_count_) return;
  Heap& heap = heaps_[limit.heap];
  heap.process_limit =
      std::min({heap.process_limit, limit.bytes, share_of(heap.size, limit.share)});
}

VkDeviceSize Budget::limit_of(const Heap& heap) const {
  return std::min({heap.limit.load(std::memory_order_relaxed), heap.process_limit, heap.size});
}

/// What the limits still allow: of this allocator, and of the process where others hold more.
VkDeviceSize Budget::room_in_limits(const Heap& heap, VkDeviceSize claimed) const {
  const VkDeviceSize of_process = minus_or_zero(
      heap.process_limit,
      heap.process_limit == VK_WHOLE_SIZE ? 0 : heap.foreign.load(std::memory_order_relaxed));
  return minus_or_zero(std::min(limit_of(heap), of_process), claimed);
}

VkDeviceSize Budget::room_in_budget(const Heap& heap, VkDeviceSize claimed) const {
  const VkDeviceSize usable =
      minus_or_zero(heap.budget.load(std::memory_order_relaxed), heap.headroom);
  return minus_or_zero(minus_or_zero(usable, heap.foreign.load(std::memory_order_relaxed)),
                       claimed);
}

Reason Budget::try_reserve(std::uint32_t heap_index, VkDeviceSize bytes, bool within_budget) {
  Heap& heap = heaps_[heap_index];
  VkDeviceSize claimed = heap.claimed.load(std::memory_order_relaxed);
  do {
    if (bytes > room_in_limits(heap, claimed)) {
      const bool limited = limit_of(heap) < heap.size;
      return limited ? Reason::over_limit : Reason::out_of_device_memory;
    }
    if (within_budget && bytes > room_in_budget(heap, claimed)) return Reason::over_budget;
  } while (
      !heap.claimed.compare_exchange_weak(claimed, claimed + bytes, std::memory_order_relaxed));

  std::uint64_t objects = objects_.load(std::memory_order_relaxed);
  do {
    if (objects >= maximum_objects_) {
      heap.claimed.fetch_sub(bytes, std::memory_order_relaxed);
      return Reason::too_many_allocations;
    }
  } while (!objects_.compare_exchange_weak(objects, objects + 1, std::memory_order_relaxed));
  return Reason::none;
}

void Budget::commit(std::uint32_t heap_index, VkDeviceSize bytes) {
  Heap& heap = heaps_[heap_index];
  const VkDeviceSize held = heap.held.fetch_add(bytes) + bytes;
  raise_to(heap.peak, held);
}

void Budget::cancel(std::uint32_t heap_index, VkDeviceSize bytes) {
  heaps_[heap_index].claimed.fetch_sub(bytes, std::memory_order_relaxed);
  objects_.fetch_sub(1, std::memory_order_relaxed);
}

void Budget::release(std::uint32_t heap_index, VkDeviceSize bytes) {
  heaps_[heap_index].held.fetch_sub(bytes, std::memory_order_relaxed);
  heaps_[heap_index].least_refused.store(VK_WHOLE_SIZE, std::memory_order_relaxed);
  cancel(heap_index, bytes);
}

void Budget::note_refusal(std::uint32_t heap_index, VkDeviceSize bytes) {
  std::atomic<VkDeviceSize>& least = heaps_[heap_index].least_refused;
  if (bytes < least.load(std::memory_order_relaxed)) least.store(bytes, std::memory_order_relaxed);
}

bool Budget::refused(std::uint32_t heap_index, VkDeviceSize bytes) const {
  return bytes >= heaps_[heap_index].least_refused.load(std::memory_order_relaxed);
}

HeapBudget Budget::report(std::uint32_t heap_index) const {
  const Heap& heap = heaps_[heap_index];
  HeapBudget report;
  report.size = heap.size;
  report.limit = limit_of(heap);
  report.budget = std::min(heap.budget.load(std::memory_order_relaxed), report.limit);
  report.own_bytes = own_bytes(heap_index);
  report.usage = report.own_bytes + heap.foreign.load(std::memory_order_relaxed);
  report.from_driver = device_->facts().uses_memory_budget;
  report.flags = device_->facts().memory.memoryHeaps[heap_index].flags;
  return report;
}

VkDeviceSize Budget::own_bytes(std::uint32_t heap_index) const {
  return heaps_[heap_index].held.load(std::memory_order_relaxed);
}

VkDeviceSize Budget::peak_own_bytes(std::uint32_t heap_index) const {
  return heaps_[heap_index].peak.load(std::memory_order_relaxed);
}

void Budget::reset_peaks() {
  for (std::uint32_t index = 0; index < heap_count_; ++index) {
    Heap& heap = heaps_[index];
    heap.peak.store(0);
    raise_to(heap.peak, heap.held.load());
  }
}

VkDeviceSize Budget::left(std::uint32_t heap_index) const {
  const Heap& heap = heaps_[heap_index];
  const VkDeviceSize claimed = heap.claimed.load(std::memory_order_relaxed);
  return std::min(room_in_budget(heap, claimed), left_to_limit(heap_index));
}

VkDeviceSize Budget::left_to_limit(std::uint32_t heap_index) const {
  const Heap& heap = heaps_[heap_index];
  return room_in_limits(heap, heap.claimed.load(std::memory_order_relaxed));
}

void Budget::set_limit(std::uint32_t heap_index, VkDeviceSize bytes) {
  heaps_[heap_index].limit.store(bytes, std::memory_order_relaxed);
}

bool Budget::try_map(VkDeviceSize bytes) {
  VkDeviceSize mapped = mapped_bytes_.load(std::memory_order_relaxed);
  do {
    if (bytes > minus_or_zero(mapped_cap_, mapped)) return false;
  } while (!mapped_bytes_.compare_exchange_weak(mapped, mapped + bytes, std::memory_order_relaxed));
  return true;
}

void Budget::release_map(VkDeviceSize bytes) {
  mapped_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace quarry::memory
