// SPDX-License-Identifier: MIT
#include "heap/router.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "device/error.hpp"
#include "heap/hot_path.hpp"
#include "heap/mapping.hpp"
#include "heap/quotas.hpp"
#include "heap/resource_handle.hpp"
#include "heap/resources.hpp"
#include "memory/mapped_range.hpp"

namespace quarry::heap {

namespace {

bool is_shortage(const Status& status) {
  // Memory that cannot be mapped was there: no rung of the ladder makes it mappable.
  if (status || status.error().code == VK_ERROR_MEMORY_MAP_FAILED) return false;
  switch (status.error().reason) {
    case Reason::out_of_device_memory:
    case Reason::over_budget:
    case Reason::over_limit:
    case Reason::too_many_allocations:
      return true;
    default:
      return false;
  }
}

std::uint32_t bit(LadderRung rung) {
  return static_cast<std::uint32_t>(rung);
}

}  // namespace

/// What has been tried for one request so far.
struct Router::Shortage {
  std::uint32_t rungs = 0;
  std::uint32_t memory_types = 0;
  std::uint32_t heaps = 0;
  std::uint32_t heaps_asked = 0;  ///< the owner was asked to free there
};

Reason check(const Core& core, const AllocationDesc& desc) {
  if (!base::is_power_of_two(desc.minimum_alignment)) return Reason::bad_alignment;
  if (desc.intent > MemoryIntent::flags || desc.lifetime > Lifetime::long_lived ||
      desc.dedicated > Dedicated::never || !core.tags.known(desc.tag)) {
    return Reason::bad_argument;
  }
  return Reason::none;
}

TypeVerdict judge_pool(const Core& core, const Request& request) {
  const DeviceFacts& facts = core.device.facts();
  const AllocationDesc& desc = *request.desc;
  const VkMemoryType& type = facts.memory.memoryTypes[request.pool->desc.memory_type];
  if ((request.type_bits >> request.pool->desc.memory_type & 1u) == 0)
    return TypeVerdict::not_in_type_bits;
  if ((type.propertyFlags & desc.required_flags) != desc.required_flags)
    return TypeVerdict::lacks_required;
  if ((type.propertyFlags & desc.forbidden_flags) != 0) return TypeVerdict::has_forbidden;
  if (request.size > facts.memory.memoryHeaps[type.heapIndex].size)
    return TypeVerdict::exceeds_heap;
  if (request.size > facts.maximum_allocation_size) return TypeVerdict::exceeds_driver_size;
  return TypeVerdict::candidate;
}

TypePlan plan_for_type(const Core& core, const Request& request, std::uint32_t memory_type) {
  const DeviceFacts& facts = core.device.facts();
  const AllocationDesc& desc = *request.desc;
  TypePlan plan;
  plan.traits.memory_type = memory_type;
  plan.traits.heap = core.heap_of(memory_type);
  plan.traits.pool = request.pool;
  plan.place.size = memory::placement_size(facts, memory_type, request.size);
  plan.place.alignment = memory::placement_alignment(facts, memory_type, request.alignment);
  plan.place.upper = desc.upper_address;
  const bool whole_granules = core.granular() && request.kind != ResourceKind::linear;
  const VkDeviceSize granule = facts.properties.limits.bufferImageGranularity;
  if (request.pool != nullptr) {
    plan.traits = request.pool->arena->traits();
    plan.place.alignment = std::max(plan.place.alignment, request.pool->desc.minimum_alignment);
  } else {
    plan.traits.optimal = core.granular() && request.kind == ResourceKind::optimal;
    plan.traits.movable = request.may_move();
    plan.traits.lifetime = desc.lifetime;
    plan.place.size = range_size(plan.place.size);
    plan.traits.large = plan.place.size >= core.policy.large_request;
    if (facts.features.memory_priority)
      plan.traits.priority_class = memory::priority_class(desc.priority);
  }
  // Blocks that hold both kinds, and raw memory of unknown kind, keep whole granules apart.
  if (whole_granules && !plan.traits.optimal) {
    plan.place.alignment = std::max(plan.place.alignment, granule);
    VkDeviceSize rounded = plan.place.size;
    if (base::checked_align_up(plan.place.size, granule, rounded)) plan.place.size = rounded;
  }
  return plan;
}

Origin origin_of(const Request& request) {
  const AllocationDesc& desc = *request.desc;
  return {.type_bits = request.type_bits,
          .required_flags = static_cast<std::uint16_t>(desc.required_flags),
          .preferred_flags = static_cast<std::uint16_t>(desc.preferred_flags),
          .forbidden_flags = static_cast<std::uint16_t>(desc.forbidden_flags),
          .intent = desc.intent,
          .kind = request.kind,
          .movable = request.movable,
          .transient_image = request.transient_image,
          .wants_protected = request.wants_protected};
}

std::uint32_t slot_class(const Core& core, const TypePlan& plan) {
  // Custom pools place exactly. What may be moved lies alone, so that it can be.
  if (plan.traits.pool != nullptr || plan.traits.movable ||
      plan.place.size > core.hot_path.largest_slot)
    return offset::kNoSizeClass;
  return offset::size_class_for(plan.place.size, plan.place.alignment);
}

Result<Allocation> Router::allocate(const Request& request) {
  if (const Status admitted = admit(core_, request); !admitted) return Unexpected(admitted.error());
  const AllocationDesc& desc = *request.desc;
  const Origin origin = origin_of(request);
  const std::uint32_t origin_number = core_.origins.find_or_add(origin);
  const bool recreatable = request.movable == MovableVerdict::movable;
  std::uint32_t extras = 0;
  if (desc.name != nullptr || request.may_move() || origin_number == 0) {
    extras = core_.extras.make(desc.name);
    if (extras == 0) return device::refuse(Reason::out_of_host_memory, request.size);
    core_.extras.own(extras).origin = origin;
  }
  Shortage shortage;
  Spot spot;
  Status status = place(request, spot, shortage);
  if (status) {
    if (recreatable) {
      Extras& own = core_.extras.own(extras);
      own.create_info = std::move(*request.create_info);
      if (request.pool == nullptr) own.residence.begin(desc, spot.slot.handle, core_.coarse_now());
    }
    const std::uint32_t refusing = publish(request, spot, origin_number, extras);
    if (refusing == 0) return Allocation{spot.slot.handle};
    take_back(request, spot);
    return over_quota(core_, request, refusing);
  }
  core_.extras.drop(extras);
  if (is_shortage(status)) core_.failed_allocations.fetch_add(1, std::memory_order_relaxed);
  Error error = status.error();
  if (is_shortage(status)) {
    const GpuPoint retry = core_.ordered_frees.earliest(shortage.heaps);
    error.retry_semaphore = retry.semaphore;
    error.retry_value = retry.value;
  }
  error.tried = shortage.rungs;
  error.memory_types_tried = shortage.memory_types;
  error.requested_bytes = request.size;
  return Unexpected(error);
}

/// Under a quota that has no room for it after all it is untagged: the tag in the way, else 0.
std::uint32_t Router::publish(const Request& request, const Spot& spot, std::uint32_t origin,
                              std::uint32_t extras) {
  const AllocationDesc& desc = *request.desc;
  Record& record = *spot.slot.record;
  record.extras.store(extras, std::memory_order_relaxed);
  const std::uint32_t memory_type = spot.where.block->memory.memory_type();
  const std::uint32_t refusing =
      core_.try_count_allocation(memory_type, request.pool, desc.tag, spot.where.size);
  if (refusing != 0) core_.count_allocation(memory_type, request.pool, Tag{}, spot.where.size, 1);
  record.marks.store(Record::pack_marks(refusing != 0 ? Tag{} : desc.tag, spot.placement) |
                         (spot.mapped_for_life ? Record::kMappedForLife : 0) |
                         (spot.owes ? Record::kOwes : 0),
                     std::memory_order_relaxed);
  record.wording.store(Record::pack_wording(origin, spot.alignment_log2),
                       std::memory_order_relaxed);
  record.resource = handle_bits(request.buffer) | handle_bits(request.image);
  record.user_data.store(desc.user_data, std::memory_order_relaxed);
  RecordTable::publish(spot.slot.handle, record);
  return refusing;
}

/// Frees what was placed and published for a request that is refused.
void Router::take_back(const Request& request, const Spot& spot) {
  // The caller's use of the pool stays with the caller, so that this one needs its own.
  if (request.pool != nullptr) (void)request.pool->enter();
  (void)heap::free(core_, Allocation{spot.slot.handle});
}

Status Router::place(const Request& request, Spot& spot, Shortage& shortage) {
  const AllocationDesc& desc = *request.desc;
  if (request.pool != nullptr) {
    const TypeVerdict verdict = judge_pool(core_, request);
    if (verdict == TypeVerdict::exceeds_heap || verdict == TypeVerdict::exceeds_driver_size)
      return device::refuse(Reason::larger_than_heap);
    if (verdict != TypeVerdict::candidate) return device::refuse(Reason::no_memory_type);
    return climb(request, request.pool->desc.memory_type, desc.within_budget, spot, shortage);
  }
  const memory::TypeRequest types = request.types();
  Status status = device::refuse(Reason::none);
  // First every type within its budget, then, where the owner allows, beyond.
  for (const bool within_budget : {true, false}) {
    if (!within_budget && desc.within_budget) break;
    auto types_left = core_.types->candidates(types);
    if (types_left.empty()) return device::refuse(core_.types->reason_of_none(types));
    for (; !types_left.empty(); types_left.drop_first()) {
      const std::uint32_t tried = shortage.memory_types;
      if (tried != 0 && (tried >> types_left.first() & 1u) == 0) {
        if (!allows(LadderRung::next_memory_type)) break;
        shortage.rungs |= bit(LadderRung::next_memory_type);
      }
      status = climb(request, types_left.first(), within_budget, spot, shortage);
      if (!is_shortage(status)) return status;
    }
  }
  return status;
}

Status Router::climb(const Request& request, std::uint32_t memory_type, bool within_budget,
                     Spot& spot, Shortage& shortage) {
  shortage.memory_types |= 1u << memory_type;
  const TypePlan plan = plan_for_type(core_, request, memory_type);
  const std::uint32_t heap = plan.traits.heap;
  const auto again = [&](Growth growth) {
    return attempt(request, plan, within_budget, growth, spot);
  };
  shortage.heaps |= 1u << heap;
  if (core_.ordered_frees.any() && request.may_follow()) {
    if (take_over(request, plan, false, spot)) return {};
    if (request.following.use->wait) {
      if (const Status placed = again(Growth::none); placed) return placed;
      if (take_over(request, plan, true, spot)) return {};
    }
  }
  Status status = again(Growth::generous);
  if (!is_shortage(status)) return status;
  if (allows(LadderRung::pending_frees) && core_.ordered_frees.collect_quietly() != 0) {
    shortage.rungs |= bit(LadderRung::pending_frees);
    status = again(Growth::generous);
    if (!is_shortage(status)) return status;
  }
  if (allows(LadderRung::thread_caches) && core_.drain_caches() != 0) {
    shortage.rungs |= bit(LadderRung::thread_caches);
    status = again(Growth::generous);
    if (!is_shortage(status)) return status;
  }
  Arena* arena = find_arena(plan);
  if (allows(LadderRung::empty_blocks_of_arena) && arena != nullptr &&
      blocks_.release_empty(*arena) != 0) {
    shortage.rungs |= bit(LadderRung::empty_blocks_of_arena);
    status = again(Growth::generous);
  }
  // What a pool's own limits refuse, others need not give way for.
  const bool allowed =
      request.demands_dedicated()
          ? request.pool == nullptr || request.size <= request.pool->bytes_left()
          : arena == nullptr || BlockSource::pool_allows_block(*arena, plan.place.size);
  while (allowed && allows(LadderRung::empty_blocks_of_heap) && is_shortage(status) &&
         blocks_.release_empty_of_heap(heap, lacking_bytes(plan, within_budget)) != 0) {
    shortage.rungs |= bit(LadderRung::empty_blocks_of_heap);
    status = again(Growth::generous);
  }
  if (allows(LadderRung::owner_callback) && is_shortage(status) &&
      ask_owner(heap, plan.place.size, shortage)) {
    status = again(Growth::generous);
  }
  if (allowed && allows(LadderRung::smaller_block) && is_shortage(status) &&
      !request.demands_dedicated()) {
    const Status smaller = again(Growth::exact);
    if (smaller || smaller.error().reason != Reason::none) {
      shortage.rungs |= bit(LadderRung::smaller_block);
      status = smaller;
    }
  }
  return status;
}

/// What must be given back before the heap has room. Where its figures say that there is room and
/// the driver says no, as much again.
VkDeviceSize Router::lacking_bytes(const TypePlan& plan, bool within_budget) const {
  const std::uint32_t heap = plan.traits.heap;
  const VkDeviceSize left =
      within_budget ? core_.budget.left(heap) : core_.budget.left_to_limit(heap);
  return plan.place.size > left ? plan.place.size - left : plan.place.size;
}

bool Router::ask_owner(std::uint32_t heap, VkDeviceSize bytes, Shortage& shortage) {
  // A request that the owner makes of the same allocator while it is asked does not ask again.
  struct Asking {
    const Core* core;
    const Asking* outer;
  };
  static thread_local const Asking* innermost = nullptr;
  const std::uint32_t heap_bit = 1u << heap;
  if (core_.on_shortage == nullptr || (shortage.heaps_asked & heap_bit) != 0) return false;
  for (const Asking* asking = innermost; asking != nullptr; asking = asking->outer) {
    if (asking->core == &core_) return false;
  }
  shortage.heaps_asked |= heap_bit;
  shortage.rungs |= bit(LadderRung::owner_callback);
  const Asking asking{&core_, innermost};
  innermost = &asking;
  const bool retry = core_.on_shortage(core_.shortage_user, heap, bytes);
  innermost = asking.outer;
  return retry;
}

Status Router::attempt(const Request& request, const TypePlan& plan, bool within_budget,
                       Growth growth, Spot& spot) {
  const bool demanded = request.demands_dedicated();
  if (demanded || (request.likes_dedicated() && core_.budget.objects_to_spare())) {
    Status status = attempt_dedicated(request, plan, within_budget, spot);
    if (demanded || !is_shortage(status)) return status;
  }
  Arena* arena = make_arena(plan);
  if (arena == nullptr) return device::refuse(Reason::out_of_host_memory);
  spot.alignment_log2 = static_cast<std::uint8_t>(base::floor_log2(plan.place.alignment));
  const std::uint32_t size_class = slot_class(core_, plan);
  // What a slab finds no room for may still fit alone.
  Status status = device::refuse(Reason::over_budget);
  if (size_class != offset::kNoSizeClass)
    status = attempt_slot(*arena, size_class, within_budget, growth, spot);
  if (!status && (size_class == offset::kNoSizeClass || is_shortage(status) ||
                  status.error().reason == Reason::none))
    status = attempt_range(*arena, plan, within_budget, growth, spot);
  return status ? finish(request, spot) : status;
}

Status Router::attempt_slot(Arena& arena, std::uint32_t size_class, bool within_budget,
                            Growth growth, Spot& spot) {
  SlabSet* set = core_.slabs.find_or_make(arena);
  if (set == nullptr) return device::refuse(Reason::none);
  spot.placement = Placement::existing_block;
  spot.slot = take_cached(core_, *set, size_class);
  if (spot.slot.record == nullptr && core_.slabs.take(*set, size_class, &spot.slot, 1) == 0) {
    Slab* slab = core_.slabs.make_slab(*set, size_class);
    if (slab == nullptr) return device::refuse(Reason::out_of_host_memory);
    // What the driver is known to have no room for is not asked of it before the holes are filled.
    const VkDeviceSize block =
        blocks_.forecast_block(arena, Slabs::place_for(*slab).size, within_budget, 0);
    if (growth == Growth::generous && core_.budget.refused(arena.traits().heap, block))
      growth = Growth::none;
    const auto placed = blocks_.place(arena, Slabs::place_for(*slab), within_budget, growth);
    if (!placed) {
      core_.slabs.abandon(*slab);
      return Unexpected(placed.error());
    }
    if (placed->in_new_block) spot.placement = Placement::new_block;
    (void)core_.slabs.open(*slab, *placed, &spot.slot, 1);
  }
  spot.where = core_.records.location(spot.slot.handle, *spot.slot.record);
  return {};
}

/// A record for what is no slot of a slab.
Status Router::take_record(Spot& spot) {
  base::InsertError problem = base::InsertError::none;
  spot.slot = core_.records.take_large(problem);
  if (spot.slot.record != nullptr) return {};
  return device::refuse(problem == base::InsertError::full ? Reason::over_limit
                                                           : Reason::out_of_host_memory);
}

Status Router::attempt_range(Arena& arena, const TypePlan& plan, bool within_budget, Growth growth,
                             Spot& spot) {
  if (const Status taken = take_record(spot); !taken) return taken;
  OffsetRequest where = plan.place;
  where.user = spot.slot.handle;
  const auto placed = blocks_.place(arena, where, within_budget, growth);
  if (!placed) {
    core_.records.put_large({&spot.slot, 1});
    return Unexpected(placed.error());
  }
  auto& record = static_cast<LargeRecord&>(*spot.slot.record);
  record.block.store(placed->block, std::memory_order_relaxed);
  record.range = placed->where.handle;
  record.offset.store(placed->where.offset, std::memory_order_relaxed);
  record.in_default_pool = plan.traits.pool == nullptr;
  const VkDeviceSize size = Space::reserved_bytes(plan.traits.algorithm, plan.place.size);
  record.size.store(size, std::memory_order_relaxed);
  spot.where = {placed->block, placed->where.offset, size};
  spot.placement = placed->in_new_block ? Placement::new_block : Placement::existing_block;
  return {};
}

Status Router::attempt_dedicated(const Request& request, const TypePlan& plan, bool within_budget,
                                 Spot& spot) {
  if (const Status taken = take_record(spot); !taken) return taken;
  const auto made = blocks_.make_dedicated(request, plan.traits.memory_type, within_budget,
                                           Allocation{spot.slot.handle});
  if (!made) {
    core_.records.put_large({&spot.slot, 1});
    return Unexpected(made.error());
  }
  Block& block = **made;
  block.exclusive = request.names_its_resource() && core_.device.facts().uses_dedicated_allocation;
  auto& record = static_cast<LargeRecord&>(*spot.slot.record);
  record.block.store(&block, std::memory_order_relaxed);
  record.range = {};
  record.in_default_pool = false;
  record.offset.store(0, std::memory_order_relaxed);
  record.size.store(request.size, std::memory_order_relaxed);
  spot.where = {&block, 0, request.size};
  spot.placement = Placement::dedicated;
  spot.alignment_log2 = static_cast<std::uint8_t>(base::floor_log2(plan.place.alignment));
  return finish(request, spot);
}

Status Router::finish(const Request& request, Spot& spot) {
  Block& block = *spot.where.block;
  if (!request.desc->mapped || !block.memory.host_visible()) return {};
  const Result<std::byte*> mapped = map_block(core_, block);
  if (!mapped) {
    abandon(spot);
    Error error = mapped.error();
    if (error.reason == Reason::out_of_device_memory) error.reason = Reason::driver;
    return Unexpected(error);
  }
  spot.mapped_for_life = true;
  return {};
}

/// Gives up a spot that nobody knows of.
void Router::abandon(const Spot& spot) {
  if (RecordTable::is_slot(spot.slot.handle)) {
    put_cached(core_, spot.slot);
    return;
  }
  leave_memory(spot.where, static_cast<LargeRecord&>(*spot.slot.record).range);
  core_.records.put_large({&spot.slot, 1});
}

void Router::leave_memory(const Location& where, OffsetHandle range) {
  Block& block = *where.block;
  if (block.dedicated()) {
    blocks_.free_dedicated(block);
    return;
  }
  bool emptied = false;
  const std::uint32_t heap = block.memory.heap();
  const OffsetError error = block.arena->remove(block, range, core_.now(), emptied);
  QUARRY_CHECK(error == OffsetError::none);
  if (emptied) blocks_.limit_empty_bytes(heap);
}

void Router::free(Allocation allocation, Record& record) {
  if (record.owes() && core_.ordered_frees.keep_debt(allocation, record)) return;
  if (RecordTable::is_slot(allocation.value) && free_warm(core_, allocation, record)) return;
  const Live live = locate(core_, allocation, record);
  const Location& where = live.where;
  PoolState* pool = live.pool();
  strip(live);
  if (!RecordTable::is_slot(allocation.value)) {
    // The range goes first: a snapshot that still sees it, under the arena's lock, may read the
    // record.
    leave_memory(where, static_cast<LargeRecord&>(record).range);
    core_.records.release_large(allocation.value, record);
  } else if (core_.records.has_successor(allocation.value)) {
    RecordTable::vacate(allocation.value, record);
    put_cached(core_, {&record, RecordTable::successor(allocation.value)});
  } else {
    Emptied emptied;
    core_.slabs.retire(allocation.value, record, core_.now(), emptied);
    blocks_.limit_empty(emptied);
  }
  if (pool != nullptr) pool->leave();
}

void Router::strip(const Live& live) {
  Record& record = live.record;
  std::uint32_t mappings = record.map_count();
  if (record.mapped_for_life()) ++mappings;
  for (; mappings > 0; --mappings)
    (void)live.memory().unmap();
  core_.count_allocation(live.memory().memory_type(), live.pool(), record.tag(), live.where.size,
                         -1);
  core_.extras.drop_from(record);
}

Arena* Router::find_arena(const TypePlan& plan) const {
  if (plan.traits.pool != nullptr) return &*plan.traits.pool->arena;
  return core_.arenas.find(plan.traits);
}

Arena* Router::make_arena(const TypePlan& plan) {
  if (plan.traits.pool != nullptr) return &*plan.traits.pool->arena;
  return core_.arenas.find_or_make(plan.traits);
}

}  // namespace quarry::heap
