// SPDX-License-Identifier: MIT
#include "heap/hot_path.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "heap/block_source.hpp"
#include "heap/creation.hpp"
#include "heap/request.hpp"
#include "heap/resource_handle.hpp"
#include "heap/router.hpp"

namespace quarry::heap {

namespace {

/// Fills in where requests of this key go, if that is settled: not before the arena is there.
bool resolve(Core& core, ThreadCache& cache, Route& route, const RouteKey& key,
             std::uint32_t type_bits, ResourceKind kind, const AllocationDesc& desc, bool created) {
  if (desc.movable || desc.upper_address || check(core, desc) != Reason::none ||
      kind > ResourceKind::optimal || !core.types->fits_everywhere(offset::kLargestSizeClass))
    return false;
  const device::Requirements requirements{.memory = {1, 1, type_bits}};
  Request request = Request::of(requirements, kind, desc);
  request.transient_image = means_transient_image(desc, kind);
  if (created) request.movable = MovableVerdict::not_requested;
  if (request.demands_dedicated()) return false;
  const auto types = core.types->candidates(request.types());
  if (types.empty()) return false;
  TypePlan place = plan_for_type(core, request, types.first());
  Arena* arena = core.arenas.find_or_make(place.traits);
  SlabSet* slabs = arena == nullptr ? nullptr : core.slabs.find_or_make(*arena);
  const VkMemoryPropertyFlags flags =
      core.device.facts().memory.memoryTypes[types.first()].propertyFlags;
  if (slabs == nullptr || (desc.mapped && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0))
    return false;
  const std::uint32_t origin = core.origins.find_or_add(origin_of(request));
  CacheSet* set = cache.set(slabs->number);
  if (set == nullptr) set = cache.make_set(*slabs);
  if (origin == 0 || set == nullptr) return false;
  if (place.place.alignment > offset::kLargestSizeClass) return false;
  if (slabs->large.load(std::memory_order_relaxed) == nullptr) {
    place.traits.large = core.policy.large_request != VK_WHOLE_SIZE;
    Arena* large = core.arenas.find_or_make(place.traits);
    if (large == nullptr) return false;
    slabs->large.store(large, std::memory_order_release);
  }
  route.key = key;
  route.kind = kind;
  route.alignment_mask = static_cast<std::uint32_t>(place.place.alignment - 1);
  route.limit = static_cast<std::uint32_t>(core.hot_path.largest_slot);
  route.wording = Record::pack_wording(origin, 0);
  // Of a size of 1 what is placed is the step that sizes are rounded to.
  route.size_step_log2 = static_cast<std::uint8_t>(base::floor_log2(place.place.size));
  route.memory_type = static_cast<std::uint8_t>(types.first());
  route.set = set;
  return true;
}

/// The route of a plain request, remembered or found; null when it has none.
const Route* route_for(Core& core, ThreadCache& cache, std::uint32_t type_bits, ResourceKind kind,
                       const AllocationDesc& desc, bool created) {
  const RouteKey key = RouteKey::of(type_bits, desc, created);
  const std::uint32_t number = RouteMemo::number_of(kind, desc.intent);
  if (number >= RouteMemo::kNear) return nullptr;
  Route& near = cache.routes.near(number);
  if (near.serves(key, kind)) return &near;
  Route& far = cache.routes.far(key, kind);
  if (!far.serves(key, kind) && !resolve(core, cache, far, key, type_bits, kind, desc, created))
    return nullptr;
  near = far;
  return &near;
}

/// Gets slots into an empty bin: from depots that share, slabs, a new slab in a block that has
/// room, or any depot.
bool refill(Core& core, ThreadCache& cache, SlabSet& set, std::uint32_t size_class,
            Emptied& emptied) {
  if (CacheSet* cached = cache.set(set.number))
    core.fold(cache, cached->memory_type, cached->bins[size_class]);
  const std::uint64_t now = core.coarse_now();
  using Refill = ThreadCache::Refill;
  const Refill refilled = cache.refill(set, size_class, now, emptied);
  if (refilled != Refill::no_slots) return refilled == Refill::filled;
  Slab* slab = core.slabs.make_slab(set, size_class);
  if (slab == nullptr) return false;
  Arena::Placed placed;
  if (set.arena.place(Slabs::place_for(*slab), placed) != OffsetError::none) {
    core.slabs.abandon(*slab);
    return cache.refill_from_any_depot(set, size_class);
  }
  cache.refill_from(*slab, placed);
  return true;
}

/// The same for a known tag under a hard quota, of what was told ahead, or is now.
[[gnu::noinline]] bool note_prepaid(Core& core, ThreadCache& cache, std::uint32_t tag,
                                    std::int32_t count, std::int64_t bytes) {
  // As much as is told ahead at once, and is kept of what was freed.
  constexpr std::int64_t kAhead = 64 << 10;
  constexpr std::int64_t kMostAhead = 256 << 10;
  Ledger& ledger = cache.ledger;
  // A quota may have been set below what lives: then what was freed serves nobody.
  if (bytes > 0 && core.tags.without_room(Tag{tag}, 0) != 0) return false;
  if (!ledger.has_prepaid(tag)) core.count(ledger.make_prepaid_room(tag));
  const std::int64_t lacking = bytes - ledger.credit(tag);
  if (bytes > 0 && lacking > 0) {
    std::int64_t ahead = std::max(lacking, kAhead);
    if (!core.prepay(Tag{tag}, static_cast<VkDeviceSize>(ahead))) {
      ahead = lacking;
      if (!core.prepay(Tag{tag}, static_cast<VkDeviceSize>(ahead))) return false;
    }
    ledger.note(tag, 0, -ahead);
  }
  ledger.note(tag, count, bytes);
  if (const std::int64_t excess = ledger.credit(tag) - kMostAhead; excess > 0) {
    core.count({.tag = tag, .count = 0, .bytes = -excess});
    ledger.note(tag, 0, excess);
  }
  return true;
}

/// Notes what a known tag counts; false, with nothing noted, for an unknown one, and where a quota
/// is in the way.
bool note(Core& core, ThreadCache& cache, std::uint32_t tag, std::int32_t count,
          std::int64_t bytes) {
  if (tag == 0) return true;
  if (!cache.ledger.has(tag)) {
    if (!core.tags.known(Tag{tag})) return false;
    if (core.tags.limited(Tag{tag})) [[unlikely]]
      return note_prepaid(core, cache, tag, count, bytes);
    core.count(cache.ledger.make_room(tag));
  }
  cache.ledger.note(tag, count, bytes);
  return true;
}

bool is_plain(const AllocationDesc& desc) {
  return !desc.pool && desc.name == nullptr && desc.memory_next == nullptr;
}

/// Nothing to take apart when it is freed but the slot itself, and what a tag counts.
/// Precondition: claimed.
bool is_bare(const Record& record) {
  constexpr std::uint32_t kMore = Record::kMostMappings | Record::kMappedForLife | Record::kOwes;
  return (record.extras.load() | (record.marks.load() & kMore)) == 0;
}

/// The record's bin with room for one more slot; null: the slot has to go back to its slab.
CacheBin* with_room(Core& core, ThreadCache& cache, const Record& record, Emptied& emptied) {
  const std::uint32_t number = record.home.set.get();
  const std::uint32_t size_class = record.home.size_class.get();
  CacheSet* set = cache.set(number);
  if (set == nullptr) set = cache.make_set(core.slabs.set(number));
  if (set == nullptr) return nullptr;
  CacheBin& bin = set->bins[size_class];
  if (bin.held.get() < bin.room) return &bin;
  core.fold(cache, set->memory_type, bin);
  return cache.make_room(*set->slabs, size_class, core.coarse_now(), emptied) ? &bin : nullptr;
}

/// Frees a claimed slot into an entered cache; false: there is no room.
bool free_entered(Core& core, ThreadCache& cache, Allocation allocation, Record& record,
                  Emptied& emptied) {
  CacheBin* bin = with_room(core, cache, record, emptied);
  if (bin == nullptr) return false;
  (void)note(core, cache, record.tag().index, -1, -std::int64_t{bin->slot_bytes});
  put_back(*bin, bin->held.get(), allocation, record);
  return true;
}

/// This thread's cache, entered; null where there is none or somebody else has it.
ThreadCache* entered(ThreadCache* cache) {
  return cache != nullptr && cache->enter() ? cache : nullptr;
}

/// Counts a range that came or went.
[[gnu::always_inline]] inline void count_range(Core& core, ThreadCache& cache,
                                               std::uint32_t memory_type, std::uint32_t tag,
                                               std::int32_t count, std::int64_t bytes) {
  LargeFigures& figures = cache.large[memory_type];
  figures.count.add(count);
  figures.bytes.add(bytes);
  if (tag != 0) (void)note(core, cache, tag, count, bytes);
  const std::int64_t untold = figures.bytes.get();
  if (untold > cache.slack || untold < -cache.slack) [[unlikely]]
    core.fold(cache, memory_type);
}

/// A range of a block that has room, in an entered cache, which it leaves. Zero, with nothing done:
/// go another way.
std::uint64_t place_range(Core& core, ThreadCache& cache, const Route& route,
                          const VkMemoryRequirements& needed, const AllocationDesc& desc,
                          std::uint64_t resource) {
  const VkDeviceSize alignment = std::max<VkDeviceSize>(needed.alignment, route.alignment_mask + 1);
  const VkDeviceSize size =
      range_size(base::align_up(needed.size, VkDeviceSize{1} << route.size_step_log2));
  // A larger one than some type of memory can hold has another route.
  const bool served =
      core.types->fits_everywhere(needed.size) && core.types->fits_everywhere(size) &&
      (desc.tag.index == 0 || (core.tags.known(desc.tag) && !core.tags.limited(desc.tag)));
  const Slot slot = served ? cache.take_large(core.records) : Slot{};
  if (slot.record == nullptr) [[unlikely]] {
    cache.leave();
    return 0;
  }
  Arena::Placed placed;
  const SlabSet& slabs = *route.set->slabs;
  Arena& arena =
      size < core.policy.large_request ? slabs.arena : *slabs.large.load(std::memory_order_acquire);
  if (arena.place_at_once({.size = size, .alignment = alignment, .user = slot.handle}, placed) !=
      OffsetError::none) [[unlikely]] {
    cache.put_large(core.records, slot);
    cache.leave();
    return 0;
  }
  auto& record = static_cast<LargeRecord&>(*slot.record);
  record.block.store(placed.block, std::memory_order_relaxed);
  record.range = placed.where.handle;
  record.offset.store(placed.where.offset, std::memory_order_relaxed);
  record.size.store(size, std::memory_order_relaxed);
  record.in_default_pool = true;
  count_range(core, cache, route.memory_type, desc.tag.index, 1, static_cast<std::int64_t>(size));
  const auto wording = static_cast<std::uint16_t>(route.wording | base::floor_log2(alignment));
  const Allocation allocation =
      hand_out(cache, slot, Record::pack_marks(desc.tag), wording, desc, resource);
  cache.leave();
  return allocation.value;
}

/// A slot, in an entered cache, which it leaves. Zero, with nothing done: go another way.
std::uint64_t take_slot(Core& core, ThreadCache& cache, const Route& route,
                        std::uint32_t size_class, const AllocationDesc& desc,
                        std::uint64_t resource) {
  Emptied emptied;
  Allocation allocation;
  CacheBin& bin = route.set->bins[size_class];
  if ((bin.held.get() != 0 || refill(core, cache, *route.set->slabs, size_class, emptied)) &&
      note(core, cache, desc.tag.index, 1, bin.slot_bytes))
    allocation = hand_out(cache, bin.pop(bin.held.get()), Record::pack_marks(desc.tag),
                          route.wording, desc, resource);
  cache.leave();
  if (emptied.heaps != 0) BlockSource(core).limit_empty(emptied);
  return allocation.value;
}

/// By a remembered route, or one that is found now.
Allocation warm(Core& core, const VkMemoryRequirements& needed, ResourceKind kind,
                const AllocationDesc& desc, std::uint64_t resource, bool created) {
  if (!is_plain(desc) || needed.size == 0 || !core.types->fits_everywhere(needed.size) ||
      !base::is_power_of_two(needed.alignment))
    return {};
  ThreadCache* cache = entered(core.caches.find());
  if (cache == nullptr) return {};
  if (const Route* route = route_for(core, *cache, needed.memoryTypeBits, kind, desc, created))
    return {allocate_entered(core, *cache, *route, needed, desc, resource)};
  cache->leave();
  return {};
}

}  // namespace

std::uint64_t allocate_tagged(Core& core, const VkMemoryRequirements& needed, ResourceKind kind,
                              const AllocationDesc& desc) {
  return allocate_by_route<true>(core, needed, kind, desc);
}

std::uint64_t allocate_entered(Core& core, ThreadCache& cache, const Route& route,
                               const VkMemoryRequirements& needed, const AllocationDesc& desc,
                               std::uint64_t resource) {
  if (route.limit == 0 || needed.size == 0 || needed.alignment == 0) {
    cache.leave();
    return 0;
  }
  if (needed.size > route.limit) return place_range(core, cache, route, needed, desc, resource);
  const std::uint32_t size_class = offset::size_class_for(
      needed.size, std::max<VkDeviceSize>(needed.alignment, route.alignment_mask + 1));
  if (size_class == offset::kNoSizeClass)
    return place_range(core, cache, route, needed, desc, resource);
  return take_slot(core, cache, route, size_class, desc, resource);
}

bool free_claimed(Core& core, ThreadCache& cache, Allocation allocation, Record& record) {
  Emptied emptied;
  const bool freed = is_bare(record) && free_entered(core, cache, allocation, record, emptied);
  if (!freed) RecordTable::unclaim(allocation.value, record);
  cache.leave();
  if (emptied.heaps != 0) BlockSource(core).limit_empty(emptied);
  return freed;
}

bool free_range(Core& core, Allocation allocation) {
  ThreadCache* cache = core.caches.find();
  LargeRecord* record = core.records.find_large(allocation.value);
  if (record == nullptr || cache == nullptr || !cache->enter()) return false;
  bool emptied = false;
  std::uint32_t heap = 0;
  bool freed = false;
  if (RecordTable::claim(allocation.value, *record)) {
    // Only of a claimed record what is not atomic may be read.
    freed = is_bare(*record) && record->in_default_pool;
    if (!freed) RecordTable::unclaim(allocation.value, *record);
  }
  if (freed) {
    Block& block = *record->block.load(std::memory_order_relaxed);
    Arena& arena = *block.arena;
    heap = arena.traits().heap;
    const std::uint32_t memory_type = arena.traits().memory_type;
    const auto bytes = static_cast<std::int64_t>(record->size.load(std::memory_order_relaxed));
    const std::uint32_t tag = record->tag().index;
    // The range goes first: a snapshot that still sees it, under the arena's lock, may read the
    // record.
    const OffsetError error =
        Arena::remove_at_once(block, record->range, core.coarse_now(), emptied);
    QUARRY_CHECK(error == OffsetError::none);
    count_range(core, *cache, memory_type, tag, -1, -bytes);
    RecordTable::vacate(allocation.value, *record);
    cache->put_large(core.records, {record, RecordTable::successor(allocation.value)});
  }
  cache->leave();
  if (emptied) BlockSource(core).limit_empty_bytes(heap);
  return freed;
}

Allocation allocate_warm(Core& core, const VkMemoryRequirements& needed, ResourceKind kind,
                         const AllocationDesc& desc) {
  return warm(core, needed, kind, desc, 0, false);
}

Allocation allocate_warm(Core& core, const Request& request) {
  const AllocationDesc& desc = *request.desc;
  const bool created = request.movable == MovableVerdict::not_requested;
  if ((!created && request.movable != MovableVerdict::not_created_here) ||
      request.requires_dedicated || request.prefers_dedicated || request.wants_protected ||
      request.disjoint || request.transient_image != means_transient_image(desc, request.kind))
    return {};
  return warm(core, {request.size, request.alignment, request.type_bits}, request.kind, desc,
              handle_bits(request.buffer) | handle_bits(request.image), created);
}

bool free_warm(Core& core, Allocation allocation, Record& record) {
  if (!is_bare(record) || !core.records.has_successor(allocation.value)) return false;
  ThreadCache* cache = entered(core.caches.find());
  if (cache == nullptr) return false;
  Emptied emptied;
  const bool freed = free_entered(core, *cache, allocation, record, emptied);
  cache->leave();
  BlockSource(core).limit_empty(emptied);
  return freed;
}

Slot take_cached(Core& core, SlabSet& set, std::uint32_t size_class) {
  Slot slot;
  ThreadCache* cache = entered(core.caches.find_or_make());
  if (cache == nullptr) return slot;
  CacheSet* cached = cache->set(set.number);
  if (cached == nullptr) cached = cache->make_set(set);
  Emptied emptied;
  if (cached != nullptr) {
    CacheBin& bin = cached->bins[size_class];
    if (bin.held.get() != 0 || refill(core, *cache, set, size_class, emptied)) {
      slot = bin.pop(bin.held.get());
      bin.told.add(static_cast<std::uint16_t>(-1));  // the long way tells the totals itself
    }
  }
  cache->leave();
  BlockSource(core).limit_empty(emptied);
  return slot;
}

void put_cached(Core& core, const Slot& slot) {
  ThreadCache* cache = entered(core.caches.find());
  Emptied emptied;
  bool kept = false;
  if (cache != nullptr) {
    if (CacheBin* bin = with_room(core, *cache, *slot.record, emptied)) {
      bin->push(bin->held.get(), slot);
      bin->told.add(1);
      kept = true;
    }
    cache->leave();
  }
  if (!kept) core.slabs.put({&slot, 1}, core.now(), emptied);
  BlockSource(core).limit_empty(emptied);
}

}  // namespace quarry::heap
