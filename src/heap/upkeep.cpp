// SPDX-License-Identifier: MIT
#include "heap/upkeep.hpp"

#include <algorithm>

#include "device/error.hpp"
#include "heap/block_source.hpp"

namespace quarry::heap {

void tick(Core& core) {
  core.budget.refresh();
  const std::uint64_t now = core.now();
  core.drain_idle_caches();
  const std::uint64_t kept = core.policy.retained_milliseconds;
  if (now < kept) return;
  BlockSource blocks(core);
  for (std::uint32_t heap = 0; heap < core.device.facts().memory.memoryHeapCount; ++heap) {
    blocks.release_empty_since(heap, now - kept);
  }
}

VkDeviceSize trim(Core& core) {
  (void)core.drain_caches();
  BlockSource blocks(core);
  VkDeviceSize released = 0;
  core.for_each_arena([&](Arena& arena) { released += blocks.release_empty(arena); });
  return released;
}

std::uint32_t budgets(const Core& core, std::span<HeapBudget> heaps) {
  const std::uint32_t count = core.device.facts().memory.memoryHeapCount;
  const std::size_t room = std::min<std::size_t>(heaps.size(), count);
  for (std::size_t heap = 0; heap < room; ++heap) {
    heaps[heap] = core.budget.report(static_cast<std::uint32_t>(heap));
  }
  return count;
}

Status set_heap_limit(Core& core, std::uint32_t heap, VkDeviceSize bytes) {
  if (heap >= core.device.facts().memory.memoryHeapCount)
    return device::refuse(Reason::bad_argument);
  core.budget.set_limit(heap, bytes);
  return {};
}

Counters counters(const Core& core) {
  Counters counters;
  core.device.counters().read_into(counters);
  counters.allocations = core.allocation_calls();
  // What is not live any more was freed.
  counters.frees = counters.allocations - core.total().allocation_count;
  counters.failed_allocations = core.failed_allocations.load(std::memory_order_relaxed);
  counters.uploaded_bytes = core.uploaded_bytes.load(std::memory_order_relaxed);
  return counters;
}

}  // namespace quarry::heap
