// SPDX-License-Identifier: MIT
#include "heap/ordered_frees.hpp"

#include <cinttypes>
#include <cstdio>
#include <limits>

#include "device/error.hpp"
#include "device/resource.hpp"
#include "heap/core.hpp"
#include "heap/lookup.hpp"
#include "heap/resource_handle.hpp"
#include "heap/router.hpp"

namespace quarry::heap {

namespace {

constexpr std::uint32_t kBuffer = 1;
constexpr std::uint32_t kImage = 2;
/// What some drivers say of a lost device's semaphores.
constexpr std::uint64_t kLost = std::numeric_limits<std::uint64_t>::max();

plan::UsePoint to_plan(const GpuPoint& point) {
  return {.timeline = handle_bits(point.semaphore),
          .value = point.value,
          .queue = point.queue,
          .stages = point.stages == 0
                        ? static_cast<std::uint32_t>(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT)
                        : point.stages};
}

GpuPoint from_plan(const plan::UsePoint& point) {
  return {.semaphore = handle_from<VkSemaphore>(point.timeline),
          .value = point.value,
          .queue = point.queue,
          .stages = point.stages};
}

ReuseOrder from_plan(const plan::ReuseOrder& order) {
  static_assert(kMostWaits + 1 == plan::kMostUsePoints);
  ReuseOrder result{.taken_over = true, .barrier_stages = order.barrier_stages};
  for (const plan::UsePoint& point : order.waits)
    result.waits[result.wait_count++] = from_plan(point);
  return result;
}

/// Takes the right to free, and lets nobody move it any more.
Result<Record*> claim(Core& core, Allocation allocation) {
  for (;;) {
    const auto claimed = core.records.claim(allocation.value);
    if (claimed) return claimed.record;
    const auto found = core.records.lookup(allocation.value);
    if (!found) return bad_handle(found.status);
    if (found.record->is_moving(allocation.value) && !core.moves.make_way(allocation))
      return device::refuse(Reason::being_moved);
  }
}

}  // namespace

/// One allocation of what is freed, the first with the resource.
struct OrderedFrees::Part {
  Allocation allocation;
  std::uint64_t resource = 0;
  std::uint64_t owner = 0;  ///< the resource that lies there, of each part
  std::uint32_t kind = 0;
  bool alone = true;  ///< the resource has no other part

  static std::uint32_t parts(const Allocation& allocation, Part* out) {
    out[0] = {.allocation = allocation};
    return 1;
  }
  static std::uint32_t parts(const Buffer& buffer, Part* out) {
    if (!buffer.allocation && buffer.buffer == VK_NULL_HANDLE) return 0;
    const std::uint64_t bits = handle_bits(buffer.buffer);
    out[0] = {.allocation = buffer.allocation, .resource = bits, .owner = bits, .kind = kBuffer};
    return 1;
  }
  static std::uint32_t parts(const Image& image, Part* out) {
    const std::uint64_t bits = handle_bits(image.image);
    std::uint32_t count = 0;
    for (const Allocation& allocation : image.allocations) {
      if (!allocation) continue;
      out[count] = {.allocation = allocation,
                    .resource = count == 0 ? bits : 0,
                    .owner = bits,
                    .kind = kImage};
      ++count;
    }
    for (std::uint32_t i = 0; i < count; ++i)
      out[i].alone = count == 1;
    // Without memory it is no image of this library; with no handle either it is none at all.
    if (count == 0 && bits != 0) return parts(Allocation{}, out);
    return count;
  }
};

OrderedFrees::OrderedFrees(Core& core, const OrderedFreePolicy& policy)
    : core_(core), policy_(policy), table_(core.host) {}

std::uint64_t OrderedFrees::place_of(const Live& live) {
  const Block& block = *live.where.block;
  return block.dedicated() || block.arena->traits().movable ? 0 : place_of(*block.arena);
}

std::uint64_t OrderedFrees::place_of(const Arena& arena) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&arena));
}

// ---- Freeing

Status OrderedFrees::stage(const Part& part, const GpuPoint& point) {
  const auto claimed = claim(core_, part.allocation);
  if (!claimed) return Unexpected(claimed.error());
  Record& record = **claimed;
  const auto refuse = [&](Reason reason) {
    RecordTable::unclaim(part.allocation.value, record);
    return device::refuse(reason);
  };
  if (part.owner != 0 && record.resource != 0 && record.resource != part.owner)
    return refuse(Reason::bad_argument);
  const Live live = locate(core_, part.allocation, record);
  // Early owners' plain frees are kept whatever the limit, so that it may be exceeded.
  const VkDeviceSize kept = table_.figures().bytes;
  if (kept >= policy_.most_bytes || live.where.size > policy_.most_bytes - kept)
    return refuse(Reason::over_limit);
  plan::PendingFree free{.handle = part.allocation.value,
                         .resource = part.resource,
                         .resource_kind = part.kind,
                         .heap = live.memory().heap(),
                         .offset = live.where.offset,
                         .size = live.where.size,
                         .memory = &record};
  if (part.alone && core_.records.has_successor(free.handle)) free.place = place_of(live);
  (void)free.points.add(to_plan(point));
  table_.stage(free);
  return {};
}

void OrderedFrees::unstage_all() {
  plan::PendingFree free;
  while (table_.unstage(free))
    RecordTable::unclaim(free.handle, *static_cast<Record*>(free.memory));
}

template <class Thing>
Status OrderedFrees::try_defer(std::span<const Thing> things, const GpuPoint& point) {
  const std::uint64_t now = core_.now();
  const base::MutexLock lock(mutex_);
  if (!table_.has_room_for(handle_bits(point.semaphore))) return device::refuse(Reason::over_limit);
  Status status;
  for (const Thing& thing : things) {
    Part parts[4];
    const std::uint32_t count = Part::parts(thing, parts);
    if (table_.figures().count + std::uint64_t{count} > policy_.most_pending) {
      status = device::refuse(Reason::over_limit);
    } else if (!table_.reserve(count)) {
      status = device::refuse(Reason::out_of_host_memory);
    }
    for (std::uint32_t i = 0; i < count && status; ++i)
      status = stage(parts[i], point);
    if (!status) {
      unstage_all();
      return status;
    }
  }
  table_.file_staged(now);
  note_count();
  return {};
}

template <class Thing>
Status OrderedFrees::defer(std::span<const Thing> things, const GpuPoint& point) {
  if (core_.device.fn().vkGetSemaphoreCounterValue == nullptr)
    return device::refuse(Reason::feature_not_enabled);
  if (point.semaphore == VK_NULL_HANDLE || point.value == kLost)
    return device::refuse(Reason::bad_argument);
  const Status status = try_defer(things, point);
  if (status || status.error().reason != Reason::over_limit) return status;
  (void)collect_quietly();
  return try_defer(things, point);
}

template Status OrderedFrees::defer(std::span<const Allocation>, const GpuPoint&);
template Status OrderedFrees::defer(std::span<const Buffer>, const GpuPoint&);
template Status OrderedFrees::defer(std::span<const Image>, const GpuPoint&);

// ---- Asking

Status OrderedFrees::ask_all() {
  const VulkanFunctions& fn = core_.device.fn();
  std::uint64_t timelines[plan::PendingFrees::kMostTimelines];
  std::uint64_t values[plan::PendingFrees::kMostTimelines];
  std::uint32_t count = 0;
  const base::MutexLock asking(asking_);
  {
    const base::MutexLock lock(mutex_);
    std::uint32_t index = 0;
    while (table_.next_timeline(index, timelines[count])) {
      if (++count == plan::PendingFrees::kMostTimelines) break;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkResult result = fn.vkGetSemaphoreCounterValue(
        core_.device.handle(), handle_from<VkSemaphore>(timelines[i]), &values[i]);
    if (result != VK_SUCCESS) return device::driver_failed(result);
    if (values[i] == kLost) return device::driver_failed(VK_ERROR_DEVICE_LOST);
  }
  const std::uint64_t now = core_.now();
  const base::MutexLock lock(mutex_);
  for (std::uint32_t i = 0; i < count; ++i)
    table_.observe(timelines[i], values[i], now);
  note_count();
  return {};
}

Result<VkDeviceSize> OrderedFrees::collect() {
  if (!any()) return VkDeviceSize{0};
  if (const Status asked = ask_all(); !asked) return Unexpected(asked.error());
  failure_told_.store(false, std::memory_order_relaxed);
  tell_stalls(core_.now());
  return free_ready();
}

VkDeviceSize OrderedFrees::collect_quietly() {
  const auto collected = collect();
  if (collected) return *collected;
  if (!failure_told_.exchange(true)) {
    char text[128];
    (void)std::snprintf(text, sizeof text,
                        "a timeline semaphore's value is not to be had (VkResult %d): nothing that "
                        "waits for the GPU is freed",
                        static_cast<int>(collected.error().code));
    core_.say(Severity::error, text);
  }
  return 0;
}

void OrderedFrees::tell_stalls(std::uint64_t now) {
  for (;;) {
    plan::PendingFrees::Stall stall;
    {
      const base::MutexLock lock(mutex_);
      if (!table_.tell_stall(now, policy_.stall_milliseconds, stall)) return;
    }
    char text[192];
    (void)std::snprintf(text, sizeof text,
                        "timeline semaphore %" PRIx64 " stands at %" PRIu64 " for %" PRIu64
                        " ms, while frees wait for %" PRIu64,
                        stall.timeline, stall.value, now - stall.since, stall.awaited);
    core_.say(Severity::warning, text);
  }
}

VkDeviceSize OrderedFrees::free_ready() {
  constexpr std::uint32_t kBatch = 16;
  VkDeviceSize bytes = 0;
  for (;;) {
    plan::PendingFree batch[kBatch];
    std::uint32_t count = 0;
    {
      const base::MutexLock lock(mutex_);
      while (count < kBatch && table_.take_ready(batch[count]))
        ++count;
      note_count();
    }
    if (count == 0) return bytes;
    bytes += release({batch, count});
  }
}

void OrderedFrees::release_all() {
  for (;;) {
    plan::PendingFree free;
    {
      const base::MutexLock lock(mutex_);
      const bool found = table_.take_any(free);
      note_count();
      if (!found) return;
    }
    (void)release({&free, 1});
  }
}

VkDeviceSize OrderedFrees::release(std::span<const plan::PendingFree> frees) {
  VkDeviceSize bytes = 0;
  for (const plan::PendingFree& free : frees) {
    if (free.resource_kind == kBuffer) {
      device::destroy_buffer(core_.device, handle_from<VkBuffer>(free.resource));
    } else if (free.resource_kind == kImage) {
      device::destroy_image(core_.device, handle_from<VkImage>(free.resource));
    }
    if (free.handle == 0) continue;
    auto& record = *static_cast<Record*>(free.memory);
    record.marks.fetch_and(~Record::kOwes);
    Router(core_).free(Allocation{free.handle}, record);
    bytes += free.size;
  }
  return bytes;
}

// ---- Early owners

OrderedFrees::TakenOver OrderedFrees::take_over(const Wanted& wanted, ReuseOrder& order) {
  const plan::ReuseRule rule{.queue = wanted.use.queue,
                             .same_queue = wanted.use.same_queue,
                             .reached = wanted.use.opportunistic,
                             .waiting = wanted.use.wait};
  for (bool asked = !rule.reached;; asked = true) {
    {
      const base::MutexLock lock(mutex_);
      if (!table_.reserve(1)) return {};
      plan::ReuseOrder found;
      std::uint32_t fitting = plan::PendingFrees::kNone;
      const std::uint32_t node = table_.find(wanted.where, rule, found, fitting);
      // Nobody waits for what may be over by now.
      if (node != plan::PendingFrees::kNone && (asked || found.waits.count() == 0)) {
        plan::PendingFree free;
        TakenOver taken;
        const std::uint64_t handle = RecordTable::successor(table_[node].handle);
        taken.owes = table_.take_over(node, handle, free);
        taken.handle = free.handle;
        taken.record = static_cast<Record*>(free.memory);
        order = from_plan(found);
        note_count();
        return taken;
      }
      if (asked || (node == plan::PendingFrees::kNone && fitting == plan::PendingFrees::kNone))
        return {};
    }
    if (!ask_all()) return {};
  }
}

bool OrderedFrees::keep_debt(Allocation allocation, Record& record) {
  const Live live = locate(core_, allocation, record);
  const base::MutexLock lock(mutex_);
  plan::PendingFree free{.handle = allocation.value,
                         .heap = live.memory().heap(),
                         .offset = live.where.offset,
                         .size = live.where.size,
                         .memory = &record};
  if (core_.records.has_successor(free.handle)) free.place = place_of(live);
  return table_.free_debtor(free);
}

Status OrderedFrees::settle(Allocation allocation) {
  for (const bool asked : {false, true}) {
    {
      const base::MutexLock lock(mutex_);
      const plan::UsePoints owed = table_.debt_of(allocation.value);
      if (owed.count() == 0) return {};
      if (asked) {
        Error error{.code = VK_ERROR_UNKNOWN, .reason = Reason::still_in_use};
        error.retry_semaphore = handle_from<VkSemaphore>(owed[0].timeline);
        error.retry_value = owed[0].value;
        return Unexpected(error);
      }
    }
    if (const Status answer = ask_all(); !answer) return answer;
  }
  return {};
}

// ---- Figures

PendingFrees OrderedFrees::figures() const {
  const std::uint64_t now = core_.coarse_now();
  const base::MutexLock lock(mutex_);
  const plan::PendingFrees::Figures& figures = table_.figures();
  return {.count = figures.frees,
          .bytes = figures.bytes,
          .semaphores = figures.timelines,
          .stalled = table_.stalled(now, policy_.stall_milliseconds)};
}

GpuPoint OrderedFrees::earliest(std::uint32_t heaps) const {
  if (!any()) return {};
  const base::MutexLock lock(mutex_);
  for (std::uint32_t heap = 0; heaps != 0; ++heap, heaps >>= 1) {
    plan::UsePoint point;
    if ((heaps & 1u) != 0 && table_.earliest(heap, point)) return from_plan(point);
  }
  return {};
}

}  // namespace quarry::heap
