// SPDX-License-Identifier: MIT
// The short way of a plain small request: a slot from this thread's cache, no lock, no driver call,
// and back. What it cannot serve (other requests, an empty cache and no slab with room, no cache)
// goes the long way, the router's. The two functions that a steady allocate and free run through
// are inline; each instruction of them counts.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <quarry/allocation.hpp>

#include "heap/core.hpp"
#include "heap/request.hpp"

namespace quarry::heap {

/// Where the bin of a size is in a CacheSet, by the last byte of the size in steps of 64.
inline constexpr auto kBinOfStep = [] {
  std::array<std::uint16_t, offset::kLargestSizeClass / 64> bins{};
  for (std::uint32_t i = 0; i < bins.size(); ++i)
    bins[i] = static_cast<std::uint16_t>(offset::size_class_of((i + 1) * 64) * sizeof(CacheBin));
  return bins;
}();

/// A slot of this thread's cache for the long way, filled if need be from what is there; a null
/// record when there is none.
Slot take_cached(Core& core, SlabSet& set, std::uint32_t size_class);
/// Puts a vacant slot into this thread's cache, or back into its slab.
void put_cached(Core& core, const Slot& slot);

/// allocate_hot() where this thread's cache has no route. Zero: go the long way.
Allocation allocate_warm(Core& core, const VkMemoryRequirements& needed, ResourceKind kind,
                         const AllocationDesc& desc);
/// The same for a request that was put in full.
Allocation allocate_warm(Core& core, const Request& request);
/// Frees a claimed slot that has no more than a tag. False: go the long way, it is claimed still.
bool free_warm(Core& core, Allocation allocation, Record& record);

/// Hands out a slot. The caller counts it in the ledger.
inline Allocation hand_out(ThreadCache& cache, const Slot& slot, std::uint32_t marks,
                           std::uint16_t wording, const AllocationDesc& desc,
                           std::uint64_t resource) {
  Record& record = *slot.record;
  record.marks.store(marks, std::memory_order_relaxed);
  record.wording.store(wording, std::memory_order_relaxed);
  record.resource = resource;
  record.user_data.store(desc.user_data, std::memory_order_relaxed);
  RecordTable::publish(slot.handle, record);
  cache.count_allocation();
  return {slot.handle};
}

/// Makes a claimed slot vacant and keeps it. Precondition: there is room for it.
inline void put_back(CacheBin& bin, std::uint32_t held, Allocation allocation, Record& record) {
  RecordTable::vacate(allocation.value, record);
  bin.push(held, {&record, RecordTable::successor(allocation.value)});
}

// The ends of the two functions below, apart, because their registers would burden them; handles
// as plain numbers, so that they are jumped to. All leave the cache.

/// What is no slot, or of a large alignment, or of a size of which none lies ready. Zero, with
/// nothing done: go another way.
std::uint64_t allocate_entered(Core& core, ThreadCache& cache, const Route& route,
                               const VkMemoryRequirements& needed, const AllocationDesc& desc,
                               std::uint64_t resource);
/// allocate_hot() for what has a tag.
std::uint64_t allocate_tagged(Core& core, const VkMemoryRequirements& needed, ResourceKind kind,
                              const AllocationDesc& desc);
/// A claimed slot that has more than itself to take apart, or for which the cache has no room.
/// False: go another way, it is live again.
bool free_claimed(Core& core, ThreadCache& cache, Allocation allocation, Record& record);
/// Enters and leaves the cache. False: go another way, nothing happened.
bool free_range(Core& core, Allocation allocation);

/// What allocate_hot() does for a request with a tag, or one without. Zero when it takes more than
/// what this thread remembers: then allocate_warm() knows.
template <bool tagged>
[[gnu::always_inline]] inline std::uint64_t allocate_by_route(Core& core,
                                                              const VkMemoryRequirements& needed,
                                                              ResourceKind kind,
                                                              const AllocationDesc& desc) {
  const ThreadCaches::Current& current = ThreadCaches::current();
  if (!core.caches.owns(current)) [[unlikely]]
    return 0;
  ThreadCache& cache = *current.cache;
  if (!cache.enter_at_once()) [[unlikely]]
    return 0;
  const std::uint32_t number = RouteMemo::number_of(kind, desc.intent);
  if (number >= RouteMemo::kNear) [[unlikely]] {
    cache.leave();
    return 0;
  }
  const Route& route = cache.routes.near(number);
  const VkDeviceSize below_alignment = needed.alignment - 1;
  const std::uint64_t odd = route.key.differs(RouteKey::of(needed.memoryTypeBits, desc)) |
                            desc.pool.value | reinterpret_cast<std::uintptr_t>(desc.name) |
                            reinterpret_cast<std::uintptr_t>(desc.memory_next) |
                            (needed.alignment & below_alignment);
  // The number and the intent are the same, so the kind is.
  if (odd != 0) [[unlikely]] {
    cache.leave();
    return 0;
  }
  const VkDeviceSize mask = below_alignment | route.alignment_mask;
  // The last byte of the size rounded up to the alignment; of a size 0 or an alignment 0 it is far
  // beyond every limit. A larger alignment may waste too much of a slot.
  const VkDeviceSize last = (needed.size - 1) | mask;
  if (last >= route.limit || mask > 255)
    return allocate_entered(core, cache, route, needed, desc, 0);
  CacheBin& bin = route.set->bin_at(kBinOfStep[static_cast<std::size_t>(last / 64)]);
  const std::uint32_t held = bin.held.get();
  if (held == 0 || (tagged && !cache.ledger.has(desc.tag.index))) [[unlikely]]
    return allocate_entered(core, cache, route, needed, desc, 0);
  if constexpr (tagged) cache.ledger.note(desc.tag.index, 1, bin.slot_bytes);
  const Allocation allocation = hand_out(
      cache, bin.pop(held), tagged ? Record::pack_marks(desc.tag) : 0, route.wording, desc, 0);
  cache.leave();
  return allocation.value;
}

inline std::uint64_t allocate_hot(Core& core, const VkMemoryRequirements& needed, ResourceKind kind,
                                  const AllocationDesc& desc) {
  if (desc.tag.index != 0) return allocate_tagged(core, needed, kind, desc);
  return allocate_by_route<false>(core, needed, kind, desc);
}

/// Frees a live slot if that takes no more than putting it into the cache. False: go another way,
/// nothing happened.
inline bool free_hot(Core& core, Allocation allocation) {
  if (!RecordTable::is_slot(allocation.value)) return free_range(core, allocation);
  const ThreadCaches::Current& current = ThreadCaches::current();
  if (!core.records.has_slot(allocation.value) || !core.caches.owns(current)) [[unlikely]]
    return false;
  Record* const record = &core.records.slot_record(allocation.value);
  ThreadCache& cache = *current.cache;
  if (!cache.enter_at_once()) [[unlikely]]
    return false;
  // Claimed before anything is read: then whoever names the slot at this moment sees that it is
  // freed, or is seen here; and a line that another thread wrote comes over once, to be written.
  if (!RecordTable::claim(allocation.value, *record)) [[unlikely]] {
    cache.leave();
    return false;
  }
  CacheSet& set = cache.set_or_none(record->home.set.get());
  CacheBin& bin = set.bins[record->home.size_class.get()];
  const std::uint32_t held = bin.held.get();
  if (held >= bin.room || (record->extras.load() | record->marks.load()) != 0) [[unlikely]]
    return free_claimed(core, cache, allocation, *record);
  put_back(bin, held, allocation, *record);
  cache.leave();
  return true;
}

}  // namespace quarry::heap
