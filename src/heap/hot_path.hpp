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

/// size_class_of() by the last byte of the size in steps of 64.
inline constexpr auto kClassOfStep = [] {
  std::array<std::uint8_t, offset::kLargestSizeClass / 64> classes{};
  for (std::uint32_t i = 0; i < classes.size(); ++i)
    classes[i] = static_cast<std::uint8_t>(offset::size_class_of((i + 1) * 64));
  return classes;
}();

/// A slot of this thread's cache for the long way, filled if need be from what is there; a null
/// record when there is none.
Slot take_cached(Core& core, SlabSet& set, std::uint32_t size_class);
/// Puts a vacant slot into this thread's cache, or back into its slab.
void put_cached(Core& core, const Slot& slot);

/// allocate_hot() where something is missing in this thread's cache: a route, a slot, room in the
/// ledger. Zero: go the long way.
Allocation allocate_warm(Core& core, const VkMemoryRequirements& needed, ResourceKind kind,
                         const AllocationDesc& desc);
/// The same for a request that was put in full.
Allocation allocate_warm(Core& core, const Request& request);
/// free_hot() of a slot where the cache has no room. False: go the long way.
bool free_warm(Core& core, Allocation allocation, Record& record);

/// Nothing to take apart when it is freed but the slot itself. Precondition: claimed, so that
/// whoever names it at this moment sees that it is freed, or is seen here.
inline bool is_bare(const Record& record) {
  constexpr std::uint32_t kMapped = Record::kMostMappings | Record::kMappedForLife;
  return (record.extras.load() | (record.load_bits() & kMapped)) == 0;
}

/// Claims a live record with nothing but its slot to take apart; any other is as it was.
inline bool claim_bare(std::uint64_t handle, Record& record) {
  if (!RecordTable::claim(handle, record)) return false;
  if (is_bare(record)) [[likely]]
    return true;
  RecordTable::unclaim(handle, record);
  return false;
}

/// Hands out a slot. The caller counts it in the ledger.
inline Allocation hand_out(ThreadCache& cache, const Slot& slot, std::uint32_t bits,
                           const AllocationDesc& desc, std::uint64_t resource) {
  Record& record = *slot.record;
  record.tag.store(static_cast<std::uint16_t>(desc.tag.index), std::memory_order_relaxed);
  record.bits.store(bits, std::memory_order_relaxed);
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

/// The ends of the two functions below for what has a tag; apart, because their registers would
/// burden the others. Both leave the cache.
Allocation allocate_tagged(ThreadCache& cache, CacheBin& bin, std::uint32_t bits,
                           const AllocationDesc& desc, std::uint64_t resource);
bool free_tagged(ThreadCache& cache, CacheBin& bin, Allocation allocation, Record& record);

/// The same for what is no slot, or needs a slot of a large alignment: a range of a block that has
/// room. Zero, or false with nothing done: go another way. The first leaves the cache.
Allocation allocate_range(Core& core, ThreadCache& cache, const Route& route,
                          const VkMemoryRequirements& needed, const AllocationDesc& desc,
                          std::uint64_t resource);
bool free_range(Core& core, Allocation allocation);

/// Zero when it takes more than a slot that lies ready: then allocate_warm() knows.
inline Allocation allocate_hot(Core& core, const VkMemoryRequirements& needed, ResourceKind kind,
                               const AllocationDesc& desc, std::uint64_t resource) {
  const ThreadCaches::Current& current = ThreadCaches::current();
  if (!core.caches.owns(current)) [[unlikely]]
    return {};
  ThreadCache& cache = *current.cache;
  if (!cache.enter_at_once()) [[unlikely]]
    return {};
  Allocation allocation;
  const Route& route = cache.routes.near(kind, desc.intent);
  const VkDeviceSize below_alignment = needed.alignment - 1;
  const VkDeviceSize mask = below_alignment | route.alignment_mask;
  // The last byte of the size rounded up to the alignment; of a size 0 or an alignment 0 it is far
  // beyond every limit.
  const VkDeviceSize last = (needed.size - 1) | mask;
  const std::uint64_t odd = route.key.differs(RouteKey::of(needed.memoryTypeBits, desc)) |
                            desc.pool.value | reinterpret_cast<std::uintptr_t>(desc.name) |
                            reinterpret_cast<std::uintptr_t>(desc.memory_next) |
                            (needed.alignment & below_alignment);
  if (odd == 0 && route.kind == kind && route.set != nullptr) [[likely]] {
    // A larger alignment may waste too much of a slot.
    if (last >= route.limit || mask > 255)
      return allocate_range(core, cache, route, needed, desc, resource);
    CacheBin& bin = route.set->bins[kClassOfStep[static_cast<std::size_t>(last / 64)]];
    const std::uint32_t held = bin.count.get();
    if (held != 0) [[likely]] {
      if (desc.tag.index != 0)
        return allocate_tagged(cache, bin, route.record_bits, desc, resource);
      allocation = hand_out(cache, bin.pop(held), route.record_bits, desc, resource);
    }
  }
  cache.leave();
  return allocation;
}

/// Frees a live slot if that takes no more than putting it into the cache. False: go another way,
/// nothing happened.
inline bool free_hot(Core& core, Allocation allocation) {
  if (!RecordTable::is_slot(allocation.value)) return free_range(core, allocation);
  const ThreadCaches::Current& current = ThreadCaches::current();
  Record* record = core.records.find_slot(allocation.value);
  if (record == nullptr || !core.caches.owns(current) ||
      !core.records.has_successor(allocation.value)) [[unlikely]]
    return false;
  ThreadCache& cache = *current.cache;
  if (!cache.enter_at_once()) [[unlikely]]
    return false;
  bool freed = false;
  const std::uint32_t number = record->bin.get();
  if (CacheSet* set = cache.set(number / offset::kSizeClasses)) [[likely]] {
    CacheBin& bin = set->bins[number % offset::kSizeClasses];
    const std::uint32_t held = bin.count.get();
    if (held < bin.capacity) [[likely]] {
      if (record->tag.load(std::memory_order_relaxed) != 0)
        return free_tagged(cache, bin, allocation, *record);
      if (claim_bare(allocation.value, *record)) [[likely]] {
        put_back(bin, held, allocation, *record);
        freed = true;
      }
    }
  }
  cache.leave();
  return freed;
}

}  // namespace quarry::heap
