// SPDX-License-Identifier: MIT
#include "heap/block_source.hpp"

#include <algorithm>
#include <bit>

#include "base/assert.hpp"
#include "base/host_object.hpp"
#include "device/error.hpp"
#include "plan/block_size.hpp"

namespace quarry::heap {

namespace {

/// With a cap on mapped bytes, this many blocks of the largest size can be mapped at once.
constexpr VkDeviceSize kMappedPieces = 8;

/// Of a pool whose blocks all have one size; else 0.
VkDeviceSize fixed_block_bytes(const ArenaTraits& traits) {
  return traits.pool == nullptr ? 0 : traits.pool->desc.block_bytes;
}

std::uint32_t kept_blocks(const ArenaTraits& traits) {
  return traits.pool == nullptr ? 0 : traits.pool->desc.minimum_blocks;
}

Reason reason_of(OffsetError error) {
  switch (error) {
    case OffsetError::out_of_host_memory:
      return Reason::out_of_host_memory;
    case OffsetError::too_many_allocations:
      return Reason::too_many_allocations;
    case OffsetError::invalid_argument:
      return Reason::bad_argument;
    case OffsetError::unsupported:
      return Reason::unsupported;
    default:
      return Reason::out_of_device_memory;
  }
}

}  // namespace

Result<Arena::Placed> BlockSource::place(Arena& arena, const OffsetRequest& request,
                                         bool within_budget, Growth growth) {
  Arena::Placed placed;
  OffsetError error = arena.place(request, placed);
  if (error == OffsetError::none) return placed;
  if (error != OffsetError::out_of_space || growth == Growth::none)
    return device::refuse(reason_of(error));
  // One thread makes a block; whoever else needs one waits for it here and then looks again.
  const base::MutexLock lock(arena.growth_lock());
  error = arena.place(request, placed);
  if (error == OffsetError::none) return placed;
  if (error != OffsetError::out_of_space) return device::refuse(reason_of(error));
  return grow(arena, &request, within_budget, growth);
}

Result<VkDeviceSize> BlockSource::add_block(Arena& arena, VkDeviceSize bytes) {
  const base::MutexLock lock(arena.growth_lock());
  const VkDeviceSize wanted = std::min(bytes, block_cap(arena.traits().memory_type));
  const VkDeviceSize size = block_bytes(arena, wanted, true, 0);
  if (size == 0) return device::refuse(Reason::over_budget);
  const auto made = make_block(arena, size, true);
  if (!made) return Unexpected(made.error());
  OffsetAllocation nowhere;
  const OffsetError error = arena.adopt(**made, nullptr, core_.now(), nowhere);
  QUARRY_CHECK(error == OffsetError::none);  // there is no request to refuse
  return size;
}

Status BlockSource::add_empty_block(Arena& arena) {
  const base::MutexLock lock(arena.growth_lock());
  const auto grown = grow(arena, nullptr, false, Growth::generous);
  if (!grown) return Unexpected(grown.error());
  return {};
}

Result<Arena::Placed> BlockSource::grow(Arena& arena, const OffsetRequest* request,
                                        bool within_budget, Growth growth) {
  const ArenaTraits& traits = arena.traits();
  const VkDeviceSize needed =
      request == nullptr ? 1 : Space::reserved_bytes(traits.algorithm, request->size);
  if (!pool_allows_block(arena, needed)) return device::refuse(Reason::over_limit);
  if (needed > core_.device.facts().maximum_allocation_size)
    return device::refuse(Reason::larger_than_heap);
  // Too little room: the refusal of the least that is needed tells which limit it met.
  const VkDeviceSize fixed = fixed_block_bytes(traits);
  VkDeviceSize bytes = block_bytes(arena, needed, within_budget, 0);
  if (bytes == 0) bytes = fixed != 0 ? fixed : needed;
  // Of Growth::exact: nothing smaller than what was refused would do.
  Result<Block*> made = device::refuse(Reason::none);
  if (growth == Growth::generous) {
    made = make_block(arena, bytes, within_budget);
  } else if (fixed == 0) {
    for (bytes = plan::smaller_block_size(bytes, needed); bytes != 0;
         bytes = plan::smaller_block_size(bytes, needed)) {
      made = make_block(arena, bytes, within_budget);
      if (made || made.error().reason != Reason::out_of_device_memory) break;
    }
  }
  if (!made) return Unexpected(made.error());
  Arena::Placed placed{*made, {}, true};
  const OffsetError error = arena.adopt(**made, request, core_.now(), placed.where);
  if (error != OffsetError::none) {
    release(traits, **made);
    return device::refuse(reason_of(error));
  }
  return placed;
}

bool BlockSource::pool_allows_block(const Arena& arena, VkDeviceSize request_bytes) {
  const PoolState* pool = arena.traits().pool;
  if (pool == nullptr) return true;
  const VkDeviceSize fixed = pool->desc.block_bytes;
  if (fixed != 0 && request_bytes > fixed) return false;
  if (pool->desc.maximum_blocks != 0 && arena.block_count() >= pool->desc.maximum_blocks)
    return false;
  return (fixed != 0 ? fixed : request_bytes) <= pool->bytes_left();
}

VkDeviceSize BlockSource::block_cap(std::uint32_t memory_type) const {
  const DeviceFacts& facts = core_.device.facts();
  const VkMemoryPropertyFlags flags = facts.memory.memoryTypes[memory_type].propertyFlags;
  VkDeviceSize largest = core_.policy.largest_block;
  if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
    if ((flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0)
      largest = std::min(largest, core_.policy.largest_mapped_block);
    // Where address space is short it is taken in small pieces.
    largest = std::min(largest, core_.budget.mapped_cap() / kMappedPieces);
  }
  return plan::block_cap({.largest_block = std::min(largest, facts.maximum_allocation_size),
                          .heap_bytes = facts.memory.memoryHeaps[core_.heap_of(memory_type)].size});
}

VkDeviceSize BlockSource::block_bytes(const Arena& arena, VkDeviceSize needed, bool within_budget,
                                      VkDeviceSize released) const {
  const ArenaTraits& traits = arena.traits();
  const VkDeviceSize convenient = core_.budget.left(traits.heap) + released;
  VkDeviceSize allowed =
      within_budget ? convenient : core_.budget.left_to_limit(traits.heap) + released;
  if (traits.pool != nullptr) allowed = std::min(allowed, traits.pool->bytes_left());
  if (const VkDeviceSize fixed = fixed_block_bytes(traits); fixed != 0)
    return fixed <= allowed ? fixed : 0;
  const DeviceFacts& facts = core_.device.facts();
  allowed = std::min(allowed, facts.maximum_allocation_size);
  // Beyond the budget no more than what is needed.
  VkDeviceSize room = std::min(allowed, convenient);
  if (needed > room) room = std::min(allowed, needed);
  return plan::next_block_size({.reserved_bytes = arena.block_bytes(),
                                .request_bytes = needed,
                                .first_block = core_.policy.first_block,
                                .largest_block = block_cap(traits.memory_type),
                                .heap_bytes = facts.memory.memoryHeaps[traits.heap].size,
                                .bytes_left = room});
}

VkDeviceSize BlockSource::forecast_block(const Arena& arena, VkDeviceSize request_bytes,
                                         bool within_budget, VkDeviceSize released) const {
  const VkDeviceSize needed = Space::reserved_bytes(arena.traits().algorithm, request_bytes);
  return pool_allows_block(arena, needed) ? block_bytes(arena, needed, within_budget, released) : 0;
}

Result<Block*> BlockSource::make_block(const Arena& arena, VkDeviceSize bytes, bool within_budget) {
  const ArenaTraits& traits = arena.traits();
  core_.refresh_old_budget();
  Block* block = base::create_object<Block>(core_.host);
  if (block == nullptr) return device::refuse(Reason::out_of_host_memory);
  if (traits.pool != nullptr && !traits.pool->try_reserve(bytes)) {
    base::destroy_object(core_.host, block);
    return device::refuse(Reason::over_limit);
  }
  const Status allocated = block->memory.allocate(
      core_.device, core_.budget,
      {.memory_type = traits.memory_type,
       .size = bytes,
       .within_budget = within_budget,
       .priority = traits.pool != nullptr ? traits.pool->desc.priority
                                          : memory::priority_of_class(traits.priority_class),
       .device_address = !traits.optimal,
       .next = traits.pool != nullptr ? traits.pool->desc.memory_next : nullptr});
  if (!allocated) {
    if (traits.pool != nullptr) traits.pool->release(bytes);
    base::destroy_object(core_.host, block);
    return Unexpected(allocated.error());
  }
  block->space.emplace(traits.algorithm, bytes, core_.host);
  core_.count_block(traits.memory_type, traits.pool, bytes, false);
  return block;
}

Result<Block*> BlockSource::make_dedicated(const Request& request, std::uint32_t memory_type,
                                           bool within_budget, Allocation allocation) {
  const AllocationDesc& desc = *request.desc;
  PoolState* pool = request.pool;
  core_.refresh_old_budget();
  Block* block = base::create_object<Block>(core_.host);
  if (block == nullptr) return device::refuse(Reason::out_of_host_memory);
  if (pool != nullptr && !pool->try_reserve(request.size)) {
    base::destroy_object(core_.host, block);
    return device::refuse(Reason::over_limit);
  }
  const bool named = request.names_its_resource();
  const Status allocated =
      block->memory.allocate(core_.device, core_.budget,
                             {.memory_type = memory_type,
                              .size = request.size,
                              .within_budget = within_budget,
                              .priority = pool != nullptr ? pool->desc.priority : desc.priority,
                              .device_address = request.kind != ResourceKind::optimal,
                              .dedicated_buffer = named ? request.buffer : VK_NULL_HANDLE,
                              .dedicated_image = named ? request.image : VK_NULL_HANDLE,
                              .next = desc.memory_next != nullptr ? desc.memory_next
                                      : pool != nullptr           ? pool->desc.memory_next
                                                                  : nullptr});
  if (!allocated) {
    if (pool != nullptr) pool->release(request.size);
    base::destroy_object(core_.host, block);
    return Unexpected(allocated.error());
  }
  block->allocation = allocation;
  block->used_bytes = request.size;
  block->pool = pool != nullptr ? pool->handle : Pool{};
  block->pool_state = pool;
  core_.count_block(memory_type, pool, request.size, true);
  core_.dedicated.insert(*block);
  return block;
}

void BlockSource::free_dedicated(Block& block) {
  core_.dedicated.remove(block);
  core_.uncount_block(block.memory.memory_type(), block.pool_state, block.memory.size(), true);
  if (block.pool_state != nullptr) block.pool_state->release(block.memory.size());
  base::destroy_object(core_.host, &block);
}

VkDeviceSize BlockSource::release(const ArenaTraits& traits, Block& block) {
  const VkDeviceSize bytes = block.memory.size();
  base::destroy_object(core_.host, &block);
  core_.uncount_block(traits.memory_type, traits.pool, bytes, false);
  if (traits.pool != nullptr) traits.pool->release(bytes);
  return bytes;
}

void BlockSource::release_all(Arena& arena) {
  while (Block* block = arena.take_any()) {
    release(arena.traits(), *block);
  }
}

VkDeviceSize BlockSource::release_empty(Arena& arena) {
  VkDeviceSize released = 0;
  const std::uint32_t kept = kept_blocks(arena.traits());
  while (Block* block = arena.take_empty(Arena::kNeverEmpty, kept)) {
    released += release(arena.traits(), *block);
  }
  return released;
}

VkDeviceSize BlockSource::release_longest_empty(std::uint32_t heap, std::uint64_t until) {
  std::uint64_t longest = Arena::kNeverEmpty;
  core_.for_each_arena([&](Arena& arena) {
    if (arena.traits().heap != heap) return;
    longest = std::min(longest, arena.oldest_empty(kept_blocks(arena.traits())));
  });
  if (longest == Arena::kNeverEmpty || longest > until) return 0;
  VkDeviceSize released = 0;
  core_.for_each_arena([&](Arena& arena) {
    if (released != 0 || arena.traits().heap != heap) return;
    Block* block = arena.take_empty(longest, kept_blocks(arena.traits()));
    if (block != nullptr) released = release(arena.traits(), *block);
  });
  return released;
}

VkDeviceSize BlockSource::release_empty_of_heap(std::uint32_t heap, VkDeviceSize bytes) {
  VkDeviceSize released = 0;
  while (released < bytes) {
    const VkDeviceSize more = release_longest_empty(heap, Arena::kNeverEmpty - 1);
    if (more == 0) break;
    released += more;
  }
  return released;
}

VkDeviceSize BlockSource::releasable_bytes(std::uint32_t heap) const {
  VkDeviceSize bytes = 0;
  core_.for_each_arena([&](const Arena& arena) {
    if (arena.traits().heap == heap) bytes += arena.releasable_bytes(kept_blocks(arena.traits()));
  });
  return bytes;
}

void BlockSource::limit_empty_bytes(std::uint32_t heap) {
  if (!core_.background.retains()) release_beyond_retained(heap);
}

void BlockSource::release_beyond_retained(std::uint32_t heap) {
  // What is empty in all bounds what may be released, and is known without a look at any block.
  VkDeviceSize empty = 0;
  core_.for_each_arena([&](const Arena& arena) {
    if (arena.traits().heap == heap) empty += arena.releasable_bytes(0);
  });
  if (empty <= core_.policy.retained_bytes) return;
  while (releasable_bytes(heap) > core_.policy.retained_bytes) {
    if (release_longest_empty(heap, Arena::kNeverEmpty - 1) == 0) break;
  }
}

void BlockSource::limit_empty(const Emptied& emptied) {
  for (std::uint32_t heaps = emptied.heaps; heaps != 0; heaps &= heaps - 1)
    limit_empty_bytes(static_cast<std::uint32_t>(std::countr_zero(heaps)));
}

void BlockSource::enforce_retention(std::uint64_t now) {
  const std::uint64_t kept = core_.policy.retained_milliseconds;
  for (std::uint32_t heap = 0; heap < core_.device.facts().memory.memoryHeapCount; ++heap) {
    release_beyond_retained(heap);
    while (now >= kept && release_longest_empty(heap, now - kept) != 0) {
    }
  }
}

}  // namespace quarry::heap
