// SPDX-License-Identifier: MIT
// What residency knows and wants: wishes of the owner, the picture for the planner, a step as a
// whole and its end.
#include "heap/residency_state.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "device/error.hpp"
#include "device/resource.hpp"
#include "heap/lookup.hpp"
#include "heap/resource_handle.hpp"
#include "heap/router.hpp"
#include "heap/upkeep.hpp"

namespace quarry {

using heap::Residence;

Residency::State::State(heap::Core& owner, const ResidencyDesc& description,
                        std::uint32_t heap) noexcept
    : core(owner),
      desc_(description),
      heap_(heap),
      asleep_(owner.host),
      planner_(owner.host),
      items_(owner.host),
      names_(owner.host),
      recorder_(owner.device, owner.host),
      in_flight_(owner.host),
      copies_(owner.host),
      infos_(owner.host),
      demoted_(owner.host),
      promoted_(owner.host) {
  const VkPhysicalDeviceMemoryProperties& memory = core.device.facts().memory;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
    if (memory.memoryTypes[type].heapIndex == heap_) {
      device_types_ |= 1u << type;
    } else if ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0) {
      host_types_ |= 1u << type;
    }
  }
}

Residency::State::~State() {
  complete(~std::uint64_t{0});
  core.has_residency.store(false);
}

Status Residency::State::touch(Allocation allocation) const {
  const auto found = core.records.lookup(allocation.value);
  if (!found) return heap::bad_handle(found.status);
  if (Residence* residence = core.extras.residence(*found.record))
    residence->last_use.store(core.coarse_now(), std::memory_order_relaxed);
  return {};
}

Status Residency::State::set_priority(Allocation allocation, float priority) const {
  if (!(priority >= 0.0f && priority <= 1.0f)) return device::refuse(Reason::bad_argument);
  const auto found = core.records.lookup(allocation.value);
  if (!found) return heap::bad_handle(found.status);
  if (Residence* residence = core.extras.residence(*found.record))
    residence->priority.store(priority, std::memory_order_relaxed);
  return {};
}

/// All of them, though some be wrong.
Status Residency::State::wish(std::span<const Allocation> allocations, Residence::Wish wish) {
  Status status;
  for (const Allocation allocation : allocations) {
    const auto found = core.records.lookup(allocation.value);
    if (!found) {
      if (status) status = heap::bad_handle(found.status);
      continue;
    }
    bool known = false;
    core.extras.change(allocation.value, *found.record, [&](heap::Extras& extras) {
      Residence& residence = extras.residence;
      known = residence.handle.load(std::memory_order_relaxed) == allocation.value;
      residence.wish = wish;
      if (wish == Residence::Wish::in)
        residence.last_use.store(core.coarse_now(), std::memory_order_relaxed);
    });
    if (!known && status) status = device::refuse(Reason::bad_argument);
  }
  return status;
}

bool Residency::State::is_asleep(Tag tag) const {
  return tag.index < asleep_.size() && asleep_[tag.index];
}

Status Residency::State::sleep(Tag tag) {
  if (tag.index == 0 || !core.tags.known(tag)) return device::refuse(Reason::bad_argument);
  if (asleep_.size() <= tag.index && !asleep_.resize(tag.index + 1))
    return device::refuse(Reason::out_of_host_memory);
  asleep_[tag.index] = true;
  return {};
}

Status Residency::State::wake(Tag tag) {
  if (tag.index == 0 || !core.tags.known(tag)) return device::refuse(Reason::bad_argument);
  if (!is_asleep(tag)) return {};
  asleep_[tag.index] = false;
  const std::uint64_t now = core.coarse_now();
  visit([&](std::uint64_t, const heap::LargeRecord& record, Residence& residence) {
    if (record.tag() != tag) return;
    residence.wish = Residence::Wish::in;
    residence.last_use.store(now, std::memory_order_relaxed);
  });
  return {};
}

Result<VkDeviceSize> Residency::State::prefetch(VkDeviceSize bytes) {
  return heap::prefetch(core, bytes, ResourceKind::linear, host_desc());
}

AllocationDesc Residency::State::host_desc() const {
  return {.intent = MemoryIntent::upload,
          .within_budget = true,
          .movable = true,
          .forbidden_flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
          .memory_type_bits = host_types_};
}

/// Calls visit(handle, record, residence) for each live resource that can be evicted, with the lock
/// of the table of extras held, which is let go now and then.
template <class Visit>
void Residency::State::visit(Visit&& visit) {
  constexpr std::uint32_t kAtOnce = 256;
  std::uint32_t number = 1;
  while (number != 0) {
    const heap::Readers::Section section(core.readers);
    number = core.extras.visit_residences(
        number, kAtOnce, [&](std::uint32_t own_number, Residence& residence) {
          const std::uint64_t handle = residence.handle.load(std::memory_order_relaxed);
          heap::LargeRecord* record = core.records.find_large(handle);
          // Whoever frees it drops the entry, under the lock, before the place.
          if (record == nullptr || !record->is_live(handle) ||
              record->extras.load(std::memory_order_relaxed) != own_number)
            return;
          visit(handle, *record, residence);
        });
  }
}

/// The picture of everything for the planner.
bool Residency::State::gather() {
  items_.clear();
  names_.clear();
  bool good = true;
  visit([&](std::uint64_t handle, const heap::LargeRecord& record, Residence& residence) {
    if (record.is_moving(handle)) return;
    const bool resident = !record.demoted();
    const heap::Location where = core.records.location(handle, record);
    if (resident && where.block->memory.heap() != heap_) return;
    constexpr std::uint32_t kKept =
        heap::Record::kMostMappings | heap::Record::kMappedForLife | heap::Record::kPinned;
    plan::ResidencyItem item{.bytes = resident ? where.size : residence.device_bytes,
                             .last_use = residence.last_use.load(std::memory_order_relaxed),
                             .changed = residence.changed,
                             .priority = residence.priority.load(std::memory_order_relaxed),
                             .resident = resident,
                             .kept = (record.load_marks() & kKept) != 0};
    if (residence.wish == Residence::Wish::in && !resident) item.wish = plan::ResidencyWish::in;
    // What was used since it was sent away may come back.
    if (residence.wish == Residence::Wish::out && (resident || item.last_use <= item.changed))
      item.wish = plan::ResidencyWish::out;
    if (is_asleep(record.tag())) item.wish = plan::ResidencyWish::out;
    good = good && items_.push_back(item) && names_.push_back(handle);
  });
  return good;
}

ResidencyTotals Residency::State::totals() {
  ResidencyTotals totals;
  visit([&](std::uint64_t handle, const heap::LargeRecord& record, Residence& residence) {
    if (record.demoted()) {
      ++totals.demoted;
      totals.demoted_bytes += residence.device_bytes;
      return;
    }
    const heap::Location where = core.records.location(handle, record);
    if (where.block->memory.heap() != heap_) return;
    ++totals.resident;
    totals.resident_bytes += where.size;
  });
  return totals;
}

plan::ResidencyView Residency::State::view(const ResidencyStep& step) {
  const HeapBudget budget = core.budget.report(heap_);
  const VkDeviceSize left = core.budget.left(heap_);
  const VkDeviceSize others = budget.usage - std::min(budget.usage, budget.own_bytes);
  // Free ranges of blocks are room: what leaves makes some before a block can go.
  return {.now = core.now(),
          .budget = left > 0 ? budget.usage + left : std::min(budget.usage, budget.budget),
          .used = others + core.total_of_heap(heap_).allocation_bytes,
          .leaving = leaving_,
          .target = target,
          .max_bytes = step.max_bytes,
          .max_moves = step.max_moves};
}

Status Residency::State::check(const ResidencyStep& step) {
  if (step.commands == VK_NULL_HANDLE || step.value < last_value_ ||
      (step.release == VK_NULL_HANDLE) != (step.acquire == VK_NULL_HANDLE) ||
      (step.release != VK_NULL_HANDLE && (step.owner_family == VK_QUEUE_FAMILY_IGNORED ||
                                          step.queue_family == VK_QUEUE_FAMILY_IGNORED)) ||
      (has_family_ && step.queue_family != family_))
    return device::refuse(Reason::bad_argument);
  has_family_ = true;
  family_ = step.queue_family;
  last_value_ = step.value;
  return {};
}

/// Host memory for all changes of a step, so that none fails once places are changed.
bool Residency::State::make_room(std::size_t changes) {
  return in_flight_.reserve(in_flight_.size() + changes) && copies_.reserve(changes) &&
         infos_.reserve(changes) && demoted_.reserve(changes) && promoted_.reserve(changes) &&
         recorder_.reserve(changes);
}

Result<ResidencyChanges> Residency::State::record(const ResidencyStep& step) {
  if (const Status checked = check(step); !checked) return Unexpected(checked.error());
  copies_.clear();
  infos_.clear();
  demoted_.clear();
  promoted_.clear();
  const plan::ResidencyRules rules{.relaxed_share = desc_.relaxed_share,
                                   .margin_share = desc_.margin_share,
                                   .longest_grace = desc_.longest_grace_milliseconds,
                                   .shortest_grace = desc_.shortest_grace_milliseconds,
                                   .hold = desc_.hold_milliseconds};
  if (!gather() || !planner_.plan(view(step), rules, items_) ||
      !make_room(planner_.demotions.size() + planner_.promotions.size()))
    return device::refuse(Reason::out_of_host_memory);
  const std::uint64_t host_shortages = figures.no_host_room;
  for (const std::uint32_t item : planner_.demotions) {
    if (figures.no_host_room != host_shortages) break;
    change(names_[item], step, true);
  }
  const std::uint64_t device_shortages = figures.no_device_room;
  for (const std::uint32_t item : planner_.promotions) {
    if (figures.no_device_room != device_shortages) break;
    change(names_[item], step, false);
  }
  if (!copies_.empty()) recorder_.record(step, std::as_const(copies_).span());
  return ResidencyChanges{std::as_const(demoted_).span(), std::as_const(promoted_).span()};
}

void Residency::State::destroy(std::uint64_t resource, bool image) const {
  if (image) {
    device::destroy_image(core.device, heap::handle_from<VkImage>(resource));
  } else {
    device::destroy_buffer(core.device, heap::handle_from<VkBuffer>(resource));
  }
}

void Residency::State::complete(std::uint64_t value) {
  if (in_flight_.empty()) return;
  // Whoever found a place before it was changed is done with it after this.
  core.readers.wait();
  invalidate(value);
  heap::Move done;
  while (core.moves.take_done(value, done, this))
    finish(done);
}

void Residency::State::finish(const heap::Move& done) {
  std::size_t index = 0;
  while (in_flight_[index].allocation != done.allocation)
    ++index;
  const InFlight known = in_flight_[index];
  in_flight_.swap_erase(index);
  destroy(done.old.resource, known.image);
  device::destroy_buffer(core.device, known.host);
  heap::Router router(core);
  if (done.stage == heap::Move::Stage::freed) {
    destroy(done.record->resource, known.image);
    router.free(done.allocation, *done.record);
  }
  router.free(known.counterpart_handle, *known.counterpart);
  if (known.out) leaving_ -= known.device_bytes;
}

}  // namespace quarry
