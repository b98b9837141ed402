// SPDX-License-Identifier: MIT
#include "heap/core.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <span>
#include <thread>

#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "base/host_string.hpp"
#include "device/error.hpp"
#include "heap/allocator_ids.hpp"
#include "heap/quotas.hpp"
#include "memory/limit_text.hpp"

namespace quarry::heap {

namespace {

std::uint64_t steady_milliseconds(void* /*user*/) {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_start).count());
}

/// Peaks may miss, for each thread, this part of the live bytes, or this many bytes; for each size
/// of slot at least so many full magazines, or threads that hand slots to one another would tell
/// the totals at every exchange.
constexpr VkDeviceSize kSlackPart = 256;
constexpr VkDeviceSize kLeastSlack = VkDeviceSize{64} << 10;
constexpr std::int64_t kSlackMagazines = 4;

HotPathPolicy effective(HotPathPolicy policy) {
  if (policy.deterministic) {
    policy.thread_cache_bytes = 0;
    policy.shards = 1;
  }
  policy.largest_slot = std::min(policy.largest_slot, offset::kLargestSizeClass);
  if (policy.largest_slot == 0) policy.thread_cache_bytes = 0;
  if (policy.shards == 0) policy.shards = std::max(1u, std::thread::hardware_concurrency());
  policy.shards = std::min(policy.shards, Arena::kMostShards);
  return policy;
}

constexpr const char* kLimitVariable = "QUARRY_HEAP_LIMIT";

Status check(const AllocatorDesc& desc) {
  const auto refuse = [&](Reason reason, const char* text) {
    if (desc.on_message != nullptr) desc.on_message(desc.message_user, Severity::error, text);
    return device::refuse(reason);
  };
  const BlockPolicy& blocks = desc.blocks;
  if (blocks.first_block == 0 || blocks.largest_block == 0 || blocks.largest_mapped_block == 0) {
    return refuse(Reason::size_zero, "AllocatorDesc::blocks has a block size of 0");
  }
  if (!Background::is_valid(desc)) {
    return refuse(Reason::bad_argument,
                  "AllocatorDesc::background has a time of 0, an unknown kind of work, or a thread "
                  "beside HotPathPolicy::deterministic");
  }
  if ((desc.ladder & ~kEveryRung) != 0)
    return refuse(Reason::bad_argument, "AllocatorDesc::ladder has bits of no rung");
  // The device checks the rest; but these the core's own memory needs before there is a device.
  const VkAllocationCallbacks* callbacks = desc.host_callbacks;
  if (callbacks != nullptr &&
      (callbacks->pfnAllocation == nullptr || callbacks->pfnFree == nullptr)) {
    return refuse(Reason::bad_argument, "AllocatorDesc::host_callbacks lacks a function");
  }
  return {};
}

bool is_listed(const DeviceFacts& facts, std::span<const DriverRange> drivers) {
  const VkPhysicalDeviceProperties& driver = facts.properties;
  return std::any_of(drivers.begin(), drivers.end(), [&](const DriverRange& range) {
    return range.vendor_id == driver.vendorID &&
           (range.device_id == 0 || range.device_id == driver.deviceID) &&
           range.first_version <= driver.driverVersion &&
           driver.driverVersion <= range.last_version;
  });
}

/// What the budget's description and the environment say; the limits of the latter are filled in.
Status check(const AllocatorDesc& desc, memory::HeapLimits& environment) {
  const BudgetPolicy& policy = desc.budget;
  const auto refuse = [&](const char* text) {
    if (desc.on_message != nullptr) desc.on_message(desc.message_user, Severity::error, text);
    return device::refuse(Reason::bad_argument);
  };
  if (!(policy.headroom_share >= 0.0 && policy.headroom_share <= 1.0) ||
      policy.least_headroom > policy.most_headroom)
    return refuse("AllocatorDesc::budget has an impossible headroom");
  if (!is_valid(desc.quotas)) return refuse("AllocatorDesc::quotas has an impossible hysteresis");
  if (!PressureWatch::is_valid(policy))
    return refuse(
        "AllocatorDesc::budget has levels of pressure that do not rise from above 0, or "
        "an impossible hysteresis");
  for (const ProcessLimit& limit : policy.process_limits) {
    if (limit.heap >= VK_MAX_MEMORY_HEAPS || !(limit.share > 0.0 && limit.share <= 1.0))
      return refuse(
          "AllocatorDesc::budget has a limit of the process for no heap, or a share that "
          "is not above 0 and at most 1");
  }
  const char* text = policy.environment ? std::getenv(kLimitVariable) : nullptr;
  if (text != nullptr && !memory::read_limits(text, environment))
    return refuse("the environment's QUARRY_HEAP_LIMIT is not as \"0:2GiB,1:50%\"");
  return {};
}

/// Sums that were read while others changed their parts may be below zero for the moment.
Totals settled(Totals figures) {
  const auto at_least_zero = [](std::uint64_t& sum) {
    if (static_cast<std::int64_t>(sum) < 0) sum = 0;
  };
  at_least_zero(figures.allocation_count);
  at_least_zero(figures.allocation_bytes);
  figures.peak_allocation_bytes = std::max(figures.peak_allocation_bytes, figures.allocation_bytes);
  return figures;
}

}  // namespace

Core::Core(const AllocatorDesc& desc, std::uint8_t allocator_id) noexcept
    : callbacks(desc.host_callbacks == nullptr ? VkAllocationCallbacks{} : *desc.host_callbacks),
      host(device::host_memory(desc.host_callbacks == nullptr ? nullptr : &callbacks)),
      id(allocator_id),
      policy(desc.blocks),
      pressure(desc.budget),
      hot_path(effective(desc.hot_path)),
      records(host, allocator_id),
      moves(host, records),
      move_engine(device),
      extras(host),
      origins(host),
      pools(host, allocator_id),
      tags(host),
      ladder(desc.ladder),
      on_shortage(desc.on_shortage),
      shortage_user(desc.shortage_user),
      arenas(host, hot_path.shards),
      slabs(host, records),
      caches(host, slabs, records, hot_path.thread_cache_bytes),
      ordered_frees(*this, desc.ordered_frees),
      background(*this, desc.background),
      refresh_milliseconds_(desc.budget.refresh_milliseconds),
      quota_policy_(desc.quotas),
      clock_(desc.clock != nullptr ? desc.clock : steady_milliseconds),
      clock_user_(desc.clock_user),
      on_message_(desc.on_message),
      message_user_(desc.message_user) {
  caches.set_owner({this, [](void* core) { return static_cast<Core*>(core)->now(); },
                    [](void* core, ThreadCache& cache) { static_cast<Core*>(core)->fold(cache); }});
}

Core::~Core() {
  background.stop();
  // Threads may end while this runs: what they would give back has no place any more.
  caches.close();
  const auto empty_arena = [this](Arena& arena) {
    while (Block* block = arena.take_any())
      base::destroy_object(host, block);
  };
  arenas.for_each(empty_arena);
  while (Block* block = dedicated.take_any())
    base::destroy_object(host, block);
  PoolState* pool = newest_pool.load(std::memory_order_relaxed);
  while (pool != nullptr) {
    PoolState* next = pool->next;
    if (pool->arena.has_value()) empty_arena(*pool->arena);
    base::release_string(host, pool->name);
    base::destroy_object(host, pool);
    pool = next;
  }
  give_back_allocator_id(id);
}

Result<Core*> Core::make(const AllocatorDesc& desc) {
  if (const Status checked = check(desc); !checked) return Unexpected(checked.error());
  memory::HeapLimits environment;
  if (const Status checked = check(desc, environment); !checked) return Unexpected(checked.error());
  const std::uint8_t id = take_allocator_id();
  if (id == 0) return device::refuse(Reason::over_limit);
  Core* core = base::create_object<Core>(device::host_memory(desc.host_callbacks), desc, id);
  if (core == nullptr) {
    give_back_allocator_id(id);
    return device::refuse(Reason::out_of_host_memory);
  }
  const Status opened = core->device.open(desc);
  if (!opened) {
    destroy(core);
    return Unexpected(opened.error());
  }
  core->may_move = !desc.never_move && !is_listed(core->device.facts(), desc.never_move_on);
  core->types.emplace(core->device.facts());
  core->budget.open(core->device, {.heap_limits = desc.heap_limits,
                                   .assumed_share = desc.assumed_budget_share,
                                   .mapped_address_space = desc.blocks.mapped_address_space,
                                   .policy = desc.budget});
  core->last_refresh_.store(core->now(), std::memory_order_relaxed);
  for (const ProcessLimit& limit : desc.budget.process_limits)
    core->budget.limit_process(limit);
  for (const ProcessLimit& limit : std::span(environment.limits).first(environment.count))
    core->budget.limit_process(limit);
  if (const Status started = core->background.start(); !started) {
    destroy(core);
    return Unexpected(started.error());
  }
  return core;
}

void Core::destroy(Core* core) {
  if (core == nullptr) return;
  // The core's own copy of the callbacks ends with it, so another one frees the core.
  const VkAllocationCallbacks callbacks = core->callbacks;
  const bool given = callbacks.pfnAllocation != nullptr;
  base::destroy_object(device::host_memory(given ? &callbacks : nullptr), core);
}

void Core::refresh_budget() {
  last_refresh_.store(now(), std::memory_order_relaxed);
  budget.refresh();
  pressure.look(budget, device.facts().memory.memoryHeapCount);
  look_at_quotas(*this, quota_policy_);
}

void Core::refresh_old_budget() {
  if (!device.facts().uses_memory_budget) return;
  const std::uint64_t time = now();
  std::uint64_t last = last_refresh_.load(std::memory_order_relaxed);
  // One thread asks; the others go on with what is known.
  if (time > last + refresh_milliseconds_ &&
      last_refresh_.compare_exchange_strong(last, time, std::memory_order_relaxed))
    budget.refresh();
}

void Core::count_block(std::uint32_t memory_type, PoolState* pool, VkDeviceSize bytes,
                       bool is_dedicated) {
  totals.add_block(bytes, is_dedicated);
  heap_totals[heap_of(memory_type)].add_block(bytes, is_dedicated);
  type_totals[memory_type].add_block(bytes, is_dedicated);
  if (pool != nullptr) pool->totals.add_block(bytes, is_dedicated);
}

void Core::uncount_block(std::uint32_t memory_type, PoolState* pool, VkDeviceSize bytes,
                         bool is_dedicated) {
  totals.remove_block(bytes, is_dedicated);
  heap_totals[heap_of(memory_type)].remove_block(bytes, is_dedicated);
  type_totals[memory_type].remove_block(bytes, is_dedicated);
  if (pool != nullptr) pool->totals.remove_block(bytes, is_dedicated);
}

void Core::count_allocation(std::uint32_t memory_type, PoolState* pool, Tag tag, VkDeviceSize bytes,
                            std::int64_t sign) {
  const std::int64_t change = sign * static_cast<std::int64_t>(bytes);
  if (sign > 0) allocations.fetch_add(1, std::memory_order_relaxed);
  count(memory_type, sign, change);
  tags.add_allocations(tag, sign, change);
  if (pool != nullptr) pool->totals.add_allocations(sign, change);
}

std::uint32_t Core::try_count_allocation(std::uint32_t memory_type, PoolState* pool, Tag tag,
                                         VkDeviceSize bytes) {
  std::uint32_t refusing = tags.try_add_allocations(tag, 1, bytes);
  if (refusing != 0) {
    caches.fold_all();  // what threads told ahead
    refusing = tags.try_add_allocations(tag, 1, bytes);
  }
  if (refusing != 0) return refusing;
  const auto change = static_cast<std::int64_t>(bytes);
  allocations.fetch_add(1, std::memory_order_relaxed);
  count(memory_type, 1, change);
  if (pool != nullptr) pool->totals.add_allocations(1, change);
  return 0;
}

bool Core::prepay(Tag tag, VkDeviceSize bytes) {
  if (tags.try_add_allocations(tag, 0, bytes) != 0) return false;
  tags.add_allocations(Tag{}, 0, -static_cast<std::int64_t>(bytes));
  return true;
}

void Core::count(std::uint32_t memory_type, std::int64_t allocation_count, std::int64_t bytes) {
  totals.add_allocations(allocation_count, bytes);
  heap_totals[heap_of(memory_type)].add_allocations(allocation_count, bytes);
  type_totals[memory_type].add_allocations(allocation_count, bytes);
}

void Core::count(const Ledger::Entry& entry) {
  if (entry.empty()) return;
  tags.add_allocations(Tag{}, -std::int64_t{entry.count}, -entry.bytes);
  tags.add_allocations(Tag{entry.tag}, entry.count, entry.bytes);
}

void Core::tell(std::uint32_t memory_type, CacheBin& bin) {
  const std::int64_t untold = bin.untold();
  if (untold == 0) return;
  const std::int64_t bytes = untold * std::int64_t{bin.slot_bytes};
  count(memory_type, untold, bytes);
  tags.add_allocations(Tag{}, untold, bytes);
  bin.told.set(static_cast<std::uint16_t>(bin.cached()));
}

void Core::fold(Ledger& ledger) {
  for (std::uint32_t used = ledger.used(); used != 0; used &= used - 1) {
    const std::uint32_t cell = base::lowest_bit(used);
    const Ledger::Entry entry = ledger.take(cell);
    count(entry);
    // Whether it is to be prepaid is seen again when it is wanted again.
    if (ledger.is_prepaid(cell) || tags.limited(Tag{entry.tag})) ledger.close(cell);
  }
}

// Tags first: then what is untagged never seems more than it is.
void Core::fold(ThreadCache& cache, std::uint32_t memory_type, CacheBin& bin) {
  // Atomics that other threads want, too: no more often than peaks need.
  constexpr std::int32_t kMostUntold = 8192;
  const std::int32_t untold = bin.untold();
  const std::int64_t bytes = untold * std::int64_t{bin.slot_bytes};
  const std::int64_t slack =
      std::max(cache.slack, kSlackMagazines * bin.capacity() * std::int64_t{bin.slot_bytes});
  if (untold < kMostUntold && untold > -kMostUntold && bytes <= slack && bytes >= -slack) return;
  fold(cache.ledger);
  tell(memory_type, bin);
  set_slack(cache);
}

void Core::fold(ThreadCache& cache) {
  fold(cache.ledger);
  cache.for_each_bin([this](std::uint32_t type, CacheBin& bin) { tell(type, bin); });
  for (std::uint32_t type = 0; type < VK_MAX_MEMORY_TYPES; ++type)
    tell(cache.large[type], type);
}

void Core::tell(LargeFigures& figures, std::uint32_t memory_type) {
  const std::int32_t untold = figures.count.get();
  const std::int64_t bytes = figures.bytes.get();
  if (untold == 0 && bytes == 0) return;
  count(memory_type, untold, bytes);
  tags.add_allocations(Tag{}, untold, bytes);
  figures.count.set(0);
  figures.bytes.set(0);
}

void Core::fold(ThreadCache& cache, std::uint32_t memory_type) {
  fold(cache.ledger);
  tell(cache.large[memory_type], memory_type);
  set_slack(cache);
}

void Core::set_slack(ThreadCache& cache) const {
  cache.slack =
      static_cast<std::int64_t>(std::max(kLeastSlack, totals.allocation_bytes() / kSlackPart));
}

template <class Belongs>
void Core::add_untold(Totals& figures, Belongs&& belongs) const {
  caches.for_each([&](const ThreadCache& cache) {
    cache.for_each_bin([&](std::uint32_t memory_type, const CacheBin& bin) {
      const std::int64_t untold = bin.untold();
      if (untold == 0 || !belongs(memory_type)) return;
      figures.allocation_count += static_cast<std::uint64_t>(untold);
      figures.allocation_bytes += static_cast<std::uint64_t>(untold * std::int64_t{bin.slot_bytes});
    });
    for (std::uint32_t type = 0; type < VK_MAX_MEMORY_TYPES; ++type) {
      if (!belongs(type)) continue;
      figures.allocation_count +=
          static_cast<std::uint64_t>(std::int64_t{cache.large[type].count.get()});
      figures.allocation_bytes += static_cast<std::uint64_t>(cache.large[type].bytes.get());
    }
  });
}

Totals Core::total() const {
  Totals figures = totals.read();
  add_untold(figures, [](std::uint32_t) { return true; });
  return settled(figures);
}

Totals Core::total_of_heap(std::uint32_t heap) const {
  if (heap >= device.facts().memory.memoryHeapCount) return {};
  Totals figures = heap_totals[heap].read();
  add_untold(figures, [&](std::uint32_t type) { return heap_of(type) == heap; });
  return settled(figures);
}

Totals Core::total_of_type(std::uint32_t memory_type) const {
  if (memory_type >= device.facts().memory.memoryTypeCount) return {};
  Totals figures = type_totals[memory_type].read();
  add_untold(figures, [&](std::uint32_t type) { return type == memory_type; });
  return settled(figures);
}

Totals Core::total_of_tag(Tag tag) const {
  if (!tags.known(tag)) return {};
  Totals figures = tags.read(tag);
  if (tag.index == 0) return total_of_tag_alone(tag);
  add_ledgers(figures, [&](std::uint32_t noted) { return tags.within(Tag{noted}, tag) ? 1 : 0; });
  return settled(figures);
}

Totals Core::total_of_tag_alone(Tag tag) const {
  if (!tags.known(tag)) return {};
  Totals figures = tags.read_alone(tag);
  if (tag.index == 0) add_untold(figures, [](std::uint32_t) { return true; });
  add_ledgers(figures, [&](std::uint32_t noted) {
    if (tag.index == 0) return -1;
    return noted == tag.index ? 1 : 0;
  });
  return settled(figures);
}

template <class Sign>
void Core::add_ledgers(Totals& figures, Sign&& sign_of) const {
  caches.for_each([&](const ThreadCache& cache) {
    for (std::uint32_t i = 0; i < Ledger::kCells; ++i) {
      const Ledger::Entry entry = cache.ledger.read(i);
      if (entry.empty() || entry.tag == 0) continue;
      const std::int64_t sign = sign_of(entry.tag);
      figures.allocation_count += static_cast<std::uint64_t>(sign * entry.count);
      figures.allocation_bytes += static_cast<std::uint64_t>(sign * entry.bytes);
    }
  });
}

std::uint64_t Core::allocation_calls() const {
  std::uint64_t calls = allocations.load(std::memory_order_relaxed);
  caches.for_each([&](const ThreadCache& cache) { calls += cache.allocations(); });
  return calls;
}

VkDeviceSize Core::drain_caches() {
  Emptied emptied;
  const VkDeviceSize bytes = caches.drain_all();
  return bytes + slabs.drain_depots(true, now(), emptied);
}

void Core::drain_idle_caches() {
  constexpr std::uint64_t kIdleMilliseconds = 1000;
  if (hot_path.thread_cache_bytes == 0 || now() - last_idle_look_ < kIdleMilliseconds) return;
  last_idle_look_ = coarse_now();
  Emptied emptied;
  caches.drain_idle(kIdleMilliseconds);
  (void)slabs.drain_depots(false, coarse_now(), emptied);
}

void Core::reset_peaks() {
  caches.fold_all();
  totals.reset_peaks();
  for (TotalsCell& cell : heap_totals)
    cell.reset_peaks();
  for (TotalsCell& cell : type_totals)
    cell.reset_peaks();
  tags.reset_peaks();
  for (PoolState* pool = newest_pool.load(std::memory_order_acquire); pool != nullptr;
       pool = pool->next) {
    pool->totals.reset_peaks();
  }
  budget.reset_peaks();
}

}  // namespace quarry::heap
