// SPDX-License-Identifier: MIT
#include "heap/router.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "base/host_string.hpp"
#include "device/error.hpp"
#include "heap/mapping.hpp"
#include "heap/resource_handle.hpp"
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
    plan.traits.lifetime = desc.lifetime;
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

Result<Allocation> Router::allocate(const Request& request) {
  const auto inserted = core_.records.insert();
  if (!inserted) {
    return device::refuse(
        inserted.error == base::InsertError::full ? Reason::over_limit : Reason::out_of_host_memory,
        request.size);
  }
  const Allocation allocation{inserted.handle};
  Record& record = *inserted.value;
  Shortage shortage;
  Status status = describe(request, record);
  if (status) status = place(request, allocation, record, shortage);
  if (status) {
    core_.count_allocation(record);
    return allocation;
  }
  drop_extras(record);
  (void)core_.records.erase(inserted.handle);
  if (is_shortage(status)) core_.failed_allocations.fetch_add(1, std::memory_order_relaxed);
  Error error = status.error();
  error.tried = shortage.rungs;
  error.memory_types_tried = shortage.memory_types;
  error.requested_bytes = request.size;
  return Unexpected(error);
}

Status Router::describe(const Request& request, Record& record) {
  const AllocationDesc& desc = *request.desc;
  record.tag = desc.tag;
  record.pool = request.pool;
  record.pool_handle = request.pool != nullptr ? request.pool->handle : Pool{};
  record.resource = handle_bits(request.buffer) | handle_bits(request.image);
  record.user_data.store(desc.user_data, std::memory_order_relaxed);
  record.type_bits = request.type_bits;
  record.required_flags = static_cast<std::uint16_t>(desc.required_flags);
  record.preferred_flags = static_cast<std::uint16_t>(desc.preferred_flags);
  record.forbidden_flags = static_cast<std::uint16_t>(desc.forbidden_flags);
  record.intent = desc.intent;
  record.kind = request.kind;
  record.transient_image = request.transient_image;
  record.wants_protected = request.wants_protected;
  record.movable = request.movable;
  const bool recreatable = request.movable == MovableVerdict::movable;
  if (desc.name == nullptr && !recreatable) return {};
  auto* extras = base::create_object<Extras>(core_.host);
  if (extras == nullptr) return device::refuse(Reason::out_of_host_memory);
  record.extras.store(extras, std::memory_order_relaxed);
  if (recreatable) extras->create_info = std::move(*request.create_info);
  if (desc.name == nullptr) return {};
  extras->name = base::copy_string(core_.host, desc.name);
  if (extras->name == nullptr) return device::refuse(Reason::out_of_host_memory);
  return {};
}

void Router::drop_extras(Record& record) {
  Extras* extras = record.extras.exchange(nullptr, std::memory_order_acq_rel);
  if (extras == nullptr) return;
  base::release_string(core_.host, extras->name);
  base::destroy_object(core_.host, extras);
}

Status Router::place(const Request& request, Allocation allocation, Record& record,
                     Shortage& shortage) {
  const AllocationDesc& desc = *request.desc;
  if (request.pool != nullptr) {
    const TypeVerdict verdict = judge_pool(core_, request);
    if (verdict == TypeVerdict::exceeds_heap || verdict == TypeVerdict::exceeds_driver_size)
      return device::refuse(Reason::larger_than_heap);
    if (verdict != TypeVerdict::candidate) return device::refuse(Reason::no_memory_type);
    return climb(request, request.pool->desc.memory_type, desc.within_budget, allocation, record,
                 shortage);
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
      if (tried != 0 && (tried >> types_left.first() & 1u) == 0)
        shortage.rungs |= bit(LadderRung::next_memory_type);
      status = climb(request, types_left.first(), within_budget, allocation, record, shortage);
      if (!is_shortage(status)) return status;
    }
  }
  return status;
}

Status Router::climb(const Request& request, std::uint32_t memory_type, bool within_budget,
                     Allocation allocation, Record& record, Shortage& shortage) {
  shortage.memory_types |= 1u << memory_type;
  const TypePlan plan = plan_for_type(core_, request, memory_type);
  const std::uint32_t heap = plan.traits.heap;
  const auto again = [&](Growth growth) {
    return attempt(request, plan, within_budget, growth, allocation, record);
  };
  Status status = again(Growth::generous);
  if (!is_shortage(status)) return status;
  Arena* arena = find_arena(plan);
  if (arena != nullptr && blocks_.release_empty(*arena) != 0) {
    shortage.rungs |= bit(LadderRung::empty_blocks_of_arena);
    status = again(Growth::generous);
  }
  // What a pool's own limits refuse, others need not give way for.
  const bool allowed =
      request.demands_dedicated()
          ? request.pool == nullptr || request.size <= request.pool->bytes_left()
          : arena == nullptr || BlockSource::pool_allows_block(*arena, plan.place.size);
  while (allowed && is_shortage(status) &&
         blocks_.release_empty_of_heap(heap, lacking_bytes(plan, within_budget)) != 0) {
    shortage.rungs |= bit(LadderRung::empty_blocks_of_heap);
    status = again(Growth::generous);
  }
  if (is_shortage(status) && ask_owner(heap, plan.place.size, shortage)) {
    status = again(Growth::generous);
  }
  if (allowed && is_shortage(status) && !request.demands_dedicated()) {
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
  // A request that the owner makes while it is asked does not ask again.
  static thread_local bool asking = false;
  const std::uint32_t heap_bit = 1u << heap;
  if (core_.on_shortage == nullptr || asking || (shortage.heaps_asked & heap_bit) != 0)
    return false;
  shortage.heaps_asked |= heap_bit;
  shortage.rungs |= bit(LadderRung::owner_callback);
  asking = true;
  const bool retry = core_.on_shortage(core_.shortage_user, heap, bytes);
  asking = false;
  return retry;
}

Status Router::attempt(const Request& request, const TypePlan& plan, bool within_budget,
                       Growth growth, Allocation allocation, Record& record) {
  const bool demanded = request.demands_dedicated();
  if (demanded || (request.likes_dedicated() && core_.budget.objects_to_spare())) {
    Status status = attempt_dedicated(request, plan, within_budget, allocation, record);
    if (demanded || !is_shortage(status)) return status;
  }
  Arena* arena = make_arena(plan);
  if (arena == nullptr) return device::refuse(Reason::out_of_host_memory);
  OffsetRequest where = plan.place;
  where.user = allocation.value;
  const auto placed = blocks_.place(*arena, where, within_budget, growth);
  if (!placed) return Unexpected(placed.error());
  record.block = placed->block;
  record.memory = &placed->block->memory;
  record.range = placed->where.handle;
  record.offset = placed->where.offset;
  record.size = Space::reserved_bytes(plan.traits.algorithm, plan.place.size);
  record.placement = placed->in_new_block ? Placement::new_block : Placement::existing_block;
  return finish(request, plan, record);
}

Status Router::attempt_dedicated(const Request& request, const TypePlan& plan, bool within_budget,
                                 Allocation allocation, Record& record) {
  const auto made =
      blocks_.make_dedicated(request, plan.traits.memory_type, within_budget, allocation);
  if (!made) return Unexpected(made.error());
  record.block = *made;
  record.memory = &(*made)->memory;
  record.offset = 0;
  record.size = request.size;
  record.placement = Placement::dedicated;
  record.exclusive = request.names_its_resource() && core_.device.facts().uses_dedicated_allocation;
  return finish(request, plan, record);
}

Status Router::finish(const Request& request, const TypePlan& plan, Record& record) {
  record.memory_type = static_cast<std::uint8_t>(plan.traits.memory_type);
  record.alignment_log2 = static_cast<std::uint8_t>(base::floor_log2(plan.place.alignment));
  if (!request.desc->mapped || !record.memory->host_visible()) return {};
  const Result<std::byte*> mapped = map_memory(core_, record);
  if (!mapped) {
    leave_memory(record);
    Error error = mapped.error();
    if (error.reason == Reason::out_of_device_memory) error.reason = Reason::driver;
    return Unexpected(error);
  }
  record.mapped_for_life = true;
  return {};
}

void Router::leave_memory(Record& record) {
  Block& block = *record.block;
  if (block.dedicated()) {
    blocks_.free_dedicated(block);
  } else {
    bool emptied = false;
    const std::uint32_t heap = block.memory.heap();
    const OffsetError error = block.arena->remove(block, record.range, core_.now(), emptied);
    QUARRY_CHECK(error == OffsetError::none);
    if (emptied) blocks_.limit_empty_bytes(heap);
  }
  record.block = nullptr;
  record.memory = nullptr;
}

void Router::free(Allocation allocation, Record& record) {
  std::uint32_t mappings = record.map_count.load(std::memory_order_acquire);
  if (record.mapped_for_life) ++mappings;
  for (; mappings > 0; --mappings)
    (void)record.memory->unmap();
  core_.uncount_allocation(record);
  PoolState* pool = record.pool;
  // The range goes first: a snapshot that still sees it, under the arena's lock, may read the
  // record.
  leave_memory(record);
  drop_extras(record);
  core_.records.release(allocation.value);
  if (pool != nullptr) pool->leave();
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
