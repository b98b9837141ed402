// SPDX-License-Identifier: MIT
#include "heap/core.hpp"

#include <chrono>

#include "base/host_object.hpp"
#include "base/host_string.hpp"
#include "device/error.hpp"
#include "heap/allocator_ids.hpp"

namespace quarry::heap {

namespace {

std::uint64_t steady_milliseconds(void* /*user*/) {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_start).count());
}

Status check(const AllocatorDesc& desc) {
  const auto refuse = [&](Reason reason, const char* text) {
    if (desc.on_message != nullptr) desc.on_message(desc.message_user, Severity::error, text);
    return device::refuse(reason);
  };
  const BlockPolicy& blocks = desc.blocks;
  if (blocks.first_block == 0 || blocks.largest_block == 0 || blocks.largest_mapped_block == 0) {
    return refuse(Reason::size_zero, "AllocatorDesc::blocks has a block size of 0");
  }
  // The device checks the rest; but these the core's own memory needs before there is a device.
  const VkAllocationCallbacks* callbacks = desc.host_callbacks;
  if (callbacks != nullptr &&
      (callbacks->pfnAllocation == nullptr || callbacks->pfnFree == nullptr)) {
    return refuse(Reason::bad_argument, "AllocatorDesc::host_callbacks lacks a function");
  }
  return {};
}

}  // namespace

Core::Core(const AllocatorDesc& desc, std::uint8_t allocator_id) noexcept
    : callbacks(desc.host_callbacks == nullptr ? VkAllocationCallbacks{} : *desc.host_callbacks),
      host(device::host_memory(desc.host_callbacks == nullptr ? nullptr : &callbacks)),
      id(allocator_id),
      policy(desc.blocks),
      records(host, allocator_id),
      pools(host, allocator_id),
      tags(host),
      on_shortage(desc.on_shortage),
      shortage_user(desc.shortage_user),
      arenas(host),
      clock_(desc.clock != nullptr ? desc.clock : steady_milliseconds),
      clock_user_(desc.clock_user),
      on_message_(desc.on_message),
      message_user_(desc.message_user) {}

Core::~Core() {
  const auto empty_arena = [this](Arena& arena) {
    while (Block* block = arena.take_any())
      base::destroy_object(host, block);
  };
  arenas.for_each(empty_arena);
  while (Block* block = dedicated.take_any())
    base::destroy_object(host, block);
  records.for_each([this](std::uint64_t, Record& record) {
    Extras* extras = record.extras.load(std::memory_order_relaxed);
    if (extras != nullptr) base::release_string(host, extras->name);
    base::destroy_object(host, extras);
  });
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
  core->types.emplace(core->device.facts());
  core->budget.open(core->device, {.heap_limits = desc.heap_limits,
                                   .assumed_share = desc.assumed_budget_share,
                                   .mapped_address_space = desc.blocks.mapped_address_space});
  return core;
}

void Core::destroy(Core* core) {
  if (core == nullptr) return;
  // The core's own copy of the callbacks ends with it, so another one frees the core.
  const VkAllocationCallbacks callbacks = core->callbacks;
  const bool given = callbacks.pfnAllocation != nullptr;
  base::destroy_object(device::host_memory(given ? &callbacks : nullptr), core);
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

void Core::count_allocation(const Record& record) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  totals.add_allocation(record.size);
  heap_totals[heap_of(record.memory_type)].add_allocation(record.size);
  type_totals[record.memory_type].add_allocation(record.size);
  tags.cell(record.tag).add_allocation(record.size);
  if (record.pool != nullptr) record.pool->totals.add_allocation(record.size);
}

void Core::uncount_allocation(const Record& record) {
  frees.fetch_add(1, std::memory_order_relaxed);
  totals.remove_allocation(record.size);
  heap_totals[heap_of(record.memory_type)].remove_allocation(record.size);
  type_totals[record.memory_type].remove_allocation(record.size);
  tags.cell(record.tag).remove_allocation(record.size);
  if (record.pool != nullptr) record.pool->totals.remove_allocation(record.size);
}

void Core::reset_peaks() {
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
