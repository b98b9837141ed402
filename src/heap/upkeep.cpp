// SPDX-License-Identifier: MIT
#include "heap/upkeep.hpp"

#include <algorithm>

#include "device/error.hpp"
#include "heap/block_source.hpp"
#include "heap/creation.hpp"
#include "heap/movability.hpp"
#include "heap/router.hpp"

namespace quarry::heap {

void tick(Core& core) {
  core.refresh_budget();
  (void)core.ordered_frees.collect_quietly();
  if (core.background.retains()) return;
  const std::uint64_t now = core.coarse_now();
  core.drain_idle_caches();
  // What idle or ended threads gave back may have emptied more blocks than are kept.
  BlockSource(core).enforce_retention(now);
}

Result<VkDeviceSize> prefetch(Core& core, VkDeviceSize bytes, ResourceKind kind,
                              const AllocationDesc& desc) {
  if (const Reason reason = check(core, desc); reason != Reason::none)
    return device::refuse(reason);
  if (kind > ResourceKind::optimal || desc.pool || desc.upper_address)
    return device::refuse(Reason::bad_argument);
  if (bytes == 0) return VkDeviceSize{0};
  const device::Requirements anything{.memory = {1, 1, ~0u}};
  Request request = Request::of(anything, kind, desc);
  request.transient_image = means_transient_image(desc, kind);
  const auto types = core.types->candidates(request.types());
  if (types.empty()) return device::refuse(core.types->reason_of_none(request.types()));
  TypePlan plan = plan_for_type(core, request, types.first());
  BlockSource blocks(core);
  VkDeviceSize made = 0;
  // Small requests and large ones have blocks of their own; what is asked for is in pieces of
  // either.
  plan.traits.large = bytes >= core.policy.large_request;
  Arena* arena = core.arenas.find_or_make(plan.traits);
  if (arena == nullptr) return device::refuse(Reason::out_of_host_memory);
  for (VkDeviceSize ready = arena->releasable_bytes(0); ready < bytes;) {
    const auto block = blocks.add_block(*arena, bytes - ready);
    if (!block) return Unexpected(block.error());
    ready += *block;
    made += *block;
  }
  return made;
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
  // What is not live any more was freed. Looked at first: what is made meanwhile is no free.
  const std::uint64_t live = core.total().allocation_count;
  counters.allocations = core.allocation_calls();
  counters.frees = counters.allocations - std::min(live, counters.allocations);
  counters.failed_allocations = core.failed_allocations.load(std::memory_order_relaxed);
  counters.uploaded_bytes = core.uploaded_bytes.load(std::memory_order_relaxed);
  counters.moves = core.moves_made.load(std::memory_order_relaxed);
  counters.moved_bytes = core.moved_bytes.load(std::memory_order_relaxed);
  return counters;
}

}  // namespace quarry::heap
