// SPDX-License-Identifier: MIT
#include "heap/explanation.hpp"

#include "base/bits.hpp"
#include "device/planes.hpp"
#include "device/resource.hpp"
#include "heap/creation.hpp"
#include "heap/lookup.hpp"
#include "heap/router.hpp"

namespace quarry::heap {

namespace {

/// How one memory type would serve the request now; Placement::none when it would not.
struct Forecast {
  Placement placement = Placement::none;
  VkDeviceSize new_bytes = 0;
};

/// Whether a slot lies ready: in this thread's cache, a depot or a slab.
bool has_slot(Core& core, const Arena& arena, std::uint32_t size_class) {
  SlabSet* set = arena.slabs();
  if (set == nullptr) return false;
  const ThreadCache* cache = core.caches.find();
  const CacheSet* cached = cache == nullptr ? nullptr : cache->set(set->number);
  return (cached != nullptr && cached->bins[size_class].holds_any()) ||
         core.slabs.has_free(*set, size_class);
}

Forecast forecast(Core& core, const Request& request, std::uint32_t memory_type,
                  bool within_budget) {
  const TypePlan plan = plan_for_type(core, request, memory_type);
  const memory::Budget& budget = core.budget;
  const VkDeviceSize left =
      within_budget ? budget.left(plan.traits.heap) : budget.left_to_limit(plan.traits.heap);
  const BlockSource blocks(core);
  const Router router(core);
  const bool demanded = request.demands_dedicated();
  if (demanded || (request.likes_dedicated() && budget.objects_to_spare())) {
    const VkDeviceSize of_pool =
        request.pool != nullptr ? request.pool->bytes_left() : VK_WHOLE_SIZE;
    // Whoever demands it gets empty blocks out of its way.
    const VkDeviceSize released = demanded ? blocks.releasable_bytes(plan.traits.heap) : 0;
    if (request.size <= left + released && request.size <= of_pool)
      return {Placement::dedicated, request.size};
    if (demanded) return {};
  }
  Arena* existing = router.find_arena(plan);
  // An arena that does not exist yet grows as one without blocks.
  const Arena none(plan.traits, core.host, nullptr);
  const Arena& arena = existing != nullptr ? *existing : none;
  const auto of_range = [&](const OffsetRequest& place) -> Forecast {
    if (existing != nullptr && existing->could_place(place)) return {Placement::existing_block, 0};
    VkDeviceSize bytes = blocks.forecast_block(arena, place.size, within_budget, 0);
    if (bytes == 0) {
      bytes = blocks.forecast_block(arena, place.size, within_budget,
                                    blocks.releasable_bytes(plan.traits.heap));
    }
    return bytes == 0 ? Forecast{} : Forecast{Placement::new_block, bytes};
  };
  const std::uint32_t size_class = slot_class(core, plan);
  if (size_class != offset::kNoSizeClass) {
    if (existing != nullptr && has_slot(core, *existing, size_class))
      return {Placement::existing_block, 0};
    const Forecast of_slab = of_range(Slabs::place_for(size_class));
    if (of_slab.placement != Placement::none) return of_slab;
  }
  return of_range(plan.place);
}

void choose(const Core& core, Explanation& explanation, std::uint32_t memory_type) {
  explanation.memory_type = memory_type;
  explanation.heap = core.heap_of(memory_type);
  explanation.property_flags = core.device.facts().memory.memoryTypes[memory_type].propertyFlags;
  explanation.verdicts[memory_type] = TypeVerdict::chosen;
}

/// The verdicts of the types alone, before anything is tried.
Explanation of_types(const Core& core, const memory::TypeRequest& types) {
  Explanation explanation;
  const memory::TypeOrder order = core.types->explain(types);
  explanation.type_count = core.device.facts().memory.memoryTypeCount;
  explanation.verdicts = order.verdicts;
  explanation.order = order.order;
  explanation.order_count = order.count;
  for (std::uint32_t i = 0; i < order.count; ++i) {
    explanation.verdicts[order.order[i]] = TypeVerdict::candidate;
  }
  return explanation;
}

/// The same for a pool, which settles the type.
Explanation of_pool(const Core& core, std::uint32_t pool_type, TypeVerdict verdict) {
  Explanation explanation;
  explanation.type_count = core.device.facts().memory.memoryTypeCount;
  explanation.verdicts.fill(TypeVerdict::not_in_type_bits);
  explanation.verdicts[pool_type] = verdict;
  if (verdict != TypeVerdict::candidate) return explanation;
  explanation.order[0] = static_cast<std::uint8_t>(pool_type);
  explanation.order_count = 1;
  return explanation;
}

Explanation dry_run(Core& core, const Request& request) {
  Explanation explanation = request.pool == nullptr ? of_types(core, request.types())
                                                    : of_pool(core, request.pool->desc.memory_type,
                                                              judge_pool(core, request));
  explanation.size = request.size;
  explanation.alignment = request.alignment;
  explanation.movable = request.movable;
  for (const bool within_budget : {true, false}) {
    if (!within_budget && request.desc->within_budget) break;
    for (std::uint32_t i = 0; i < explanation.order_count; ++i) {
      const std::uint32_t type = explanation.order[i];
      const Forecast found = forecast(core, request, type, within_budget);
      if (found.placement == Placement::none) {
        explanation.verdicts[type] =
            within_budget ? TypeVerdict::over_budget : TypeVerdict::over_limit;
        continue;
      }
      choose(core, explanation, type);
      explanation.placement = found.placement;
      explanation.new_bytes = found.new_bytes;
      return explanation;
    }
  }
  return explanation;
}

}  // namespace

Result<Explanation> explain(Core& core, const VkBufferCreateInfo& info,
                            const AllocationDesc& desc) {
  auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  const auto effective = effective_info(core, info, desc, pool->get());
  if (!effective) return Unexpected(effective.error());
  if (const Status checked = device::check_info(core.device, info); !checked)
    return Unexpected(checked.error());
  const auto requirements = device::requirements_of(core.device, *effective->info);
  if (!requirements) return Unexpected(requirements.error());
  Request request = request_for(info, *requirements, desc, pool->get());
  request.movable = effective->movable;
  return dry_run(core, request);
}

Result<Explanation> explain(Core& core, const VkImageCreateInfo& info, const AllocationDesc& desc) {
  auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  const auto effective = effective_info(core, info, desc, pool->get());
  if (!effective) return Unexpected(effective.error());
  if (const Status checked = device::check_info(core.device, info); !checked)
    return Unexpected(checked.error());
  // Of a disjoint image the first plane, the largest, speaks for all.
  const bool disjoint =
      (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0 && device::plane_count(info.format) > 1;
  const auto requirements = device::requirements_of(
      core.device, *effective->info, disjoint ? device::plane_aspect(0) : device::kNoPlane);
  if (!requirements) return Unexpected(requirements.error());
  Request request = request_for(info, *requirements, desc, pool->get());
  request.movable = effective->movable;
  return dry_run(core, request);
}

Result<Explanation> explain(Core& core, const VkMemoryRequirements& requirements, ResourceKind kind,
                            const AllocationDesc& desc) {
  if (requirements.size == 0) return device::refuse(Reason::size_zero);
  if (!base::is_power_of_two(requirements.alignment)) return device::refuse(Reason::bad_alignment);
  if (kind > ResourceKind::optimal) return device::refuse(Reason::bad_argument);
  auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  Request request = Request::of({.memory = requirements}, kind, desc);
  request.pool = pool->get();
  request.transient_image = means_transient_image(desc, kind);
  return dry_run(core, request);
}

Result<Explanation> explain(Core& core, Allocation allocation) {
  const auto found = find(core, allocation);
  if (!found) return Unexpected(found.error());
  const Record& record = found->record;
  const std::uint32_t memory_type = found->memory().memory_type();
  const Origin origin = origin_of(core, allocation, record);
  Explanation explanation = found->pool() == nullptr
                                ? of_types(core, {.type_bits = origin.type_bits,
                                                  .intent = origin.intent,
                                                  .required = origin.required_flags,
                                                  .preferred = origin.preferred_flags,
                                                  .forbidden = origin.forbidden_flags,
                                                  .size = found->where.size,
                                                  .transient_image = origin.transient_image,
                                                  .wants_protected = origin.wants_protected})
                                : of_pool(core, memory_type, TypeVerdict::candidate);
  choose(core, explanation, memory_type);
  explanation.placement = record.placement();
  if (record.placement() != Placement::existing_block)
    explanation.new_bytes = found->memory().size();
  explanation.size = found->where.size;
  explanation.alignment = RecordTable::is_slot(allocation.value)
                              ? offset::alignment_of_class(record.home.size_class.get())
                              : VkDeviceSize{1} << record.alignment_log2();
  explanation.movable = origin.movable;
  if (origin.movable == MovableVerdict::movable) {
    if (record.map_count() != 0) explanation.movable = MovableVerdict::mapped;
    if ((record.load_marks() & Record::kPinned) != 0) explanation.movable = MovableVerdict::pinned;
  }
  return explanation;
}

Result<std::uint32_t> select_memory_type(Core& core, std::uint32_t memory_type_bits,
                                         const AllocationDesc& desc) {
  const auto pool = begin(core, desc);
  if (!pool) return Unexpected(pool.error());
  const device::Requirements anything{.memory = {0, 1, memory_type_bits}};
  Request request = Request::of(anything, ResourceKind::unknown, desc);
  request.pool = pool->get();
  request.transient_image = desc.intent == MemoryIntent::transient_attachment;
  if (request.pool != nullptr) {
    if (judge_pool(core, request) != TypeVerdict::candidate)
      return device::refuse(Reason::no_memory_type);
    return request.pool->desc.memory_type;
  }
  const auto candidates = core.types->candidates(request.types());
  if (candidates.empty()) return device::refuse(core.types->reason_of_none(request.types()));
  return candidates.first();
}

}  // namespace quarry::heap
