// SPDX-License-Identifier: MIT
#include "heap/block_source.hpp"

#include <algorithm>

#include "base/host_object.hpp"
#include "plan/block_size.hpp"

namespace quarry::heap {

namespace {

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

Expected<Arena::Placed, Reason> BlockSource::place(Arena& arena, const OffsetRequest& request,
                                                   bool within_budget, Growth growth) {
  Arena::Placed placed;
  OffsetError error = arena.place(request, placed);
  if (error == OffsetError::none) return placed;
  if (error != OffsetError::out_of_space) return Unexpected(reason_of(error));
  // One thread makes a block; whoever else needs one waits for it here and then looks again.
  const base::MutexLock lock(arena.growth_lock());
  error = arena.place(request, placed);
  if (error == OffsetError::none) return placed;
  if (error != OffsetError::out_of_space) return Unexpected(reason_of(error));
  return grow(arena, &request, within_budget, growth);
}

Reason BlockSource::add_empty_block(Arena& arena) {
  const base::MutexLock lock(arena.growth_lock());
  const auto grown = grow(arena, nullptr, false, Growth::generous);
  return grown ? Reason::none : grown.error();
}

Expected<Arena::Placed, Reason> BlockSource::grow(Arena& arena, const OffsetRequest* request,
                                                  bool within_budget, Growth growth) {
  const PoolState* pool = arena.traits().pool;
  if (pool != nullptr && pool->desc.maximum_blocks != 0 &&
      arena.block_count() >= pool->desc.maximum_blocks) {
    return Unexpected(Reason::over_limit);
  }
  const VkDeviceSize needed = request == nullptr ? 1 : request->size;
  const bool fixed_size = pool != nullptr && pool->desc.block_bytes != 0;
  if (fixed_size && needed > pool->desc.block_bytes) return Unexpected(Reason::over_limit);
  VkDeviceSize bytes = block_bytes(arena, needed, within_budget);
  if (bytes < needed) return Unexpected(within_budget ? Reason::over_budget : Reason::over_limit);
  Expected<Block*, Reason> made = Unexpected(Reason::out_of_device_memory);
  if (growth == Growth::generous || fixed_size) {
    made = make_block(arena, bytes, within_budget);
  } else {
    while (!made && made.error() == Reason::out_of_device_memory) {
      const VkDeviceSize smaller = plan::smaller_block_size(bytes, needed);
      if (smaller == 0) break;
      bytes = smaller;
      made = make_block(arena, bytes, within_budget);
    }
  }
  if (!made) return Unexpected(made.error());
  Arena::Placed placed{*made, {}};
  const OffsetError error = arena.adopt(**made, request, core_.now(), placed.where);
  if (error != OffsetError::none) {
    release(arena.traits(), **made);
    return Unexpected(reason_of(error));
  }
  return placed;
}

VkDeviceSize BlockSource::block_bytes(const Arena& arena, VkDeviceSize request_bytes,
                                      bool within_budget) const {
  const ArenaTraits& traits = arena.traits();
  const DeviceFacts& facts = core_.device.facts();
  VkDeviceSize within = core_.budget.left(traits.heap);
  VkDeviceSize allowed = within_budget ? within : core_.budget.left_to_limit(traits.heap);
  if (traits.pool != nullptr) {
    allowed = std::min(allowed, traits.pool->bytes_left());
    if (traits.pool->desc.block_bytes != 0) {
      const VkDeviceSize fixed = traits.pool->desc.block_bytes;
      return fixed <= allowed ? fixed : 0;
    }
  }
  allowed = std::min(allowed, facts.maximum_allocation_size);
  within = std::min(within, allowed);
  const VkMemoryPropertyFlags flags = facts.memory.memoryTypes[traits.memory_type].propertyFlags;
  const bool host_only = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 &&
                         (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0;
  // Beyond the budget nothing is made for convenience.
  return plan::next_block_size(
      {.reserved_bytes = arena.block_bytes(),
       .request_bytes = request_bytes,
       .first_block = core_.policy.first_block,
       .largest_block =
           host_only ? std::min(core_.policy.largest_block, core_.policy.largest_mapped_block)
                     : core_.policy.largest_block,
       .heap_bytes = facts.memory.memoryHeaps[traits.heap].size,
       .bytes_left = request_bytes <= within ? within : allowed});
}

VkDeviceSize BlockSource::forecast_block(const Arena& arena, VkDeviceSize request_bytes,
                                         bool within_budget) const {
  const PoolState* pool = arena.traits().pool;
  if (pool != nullptr && pool->desc.maximum_blocks != 0 &&
      arena.block_count() >= pool->desc.maximum_blocks) {
    return 0;
  }
  const VkDeviceSize bytes = block_bytes(arena, request_bytes, within_budget);
  return bytes < request_bytes ? 0 : bytes;
}

Expected<Block*, Reason> BlockSource::make_block(const Arena& arena, VkDeviceSize bytes,
                                                 bool within_budget) {
  const ArenaTraits& traits = arena.traits();
  Block* block = base::create_object<Block>(core_.host);
  if (block == nullptr) return Unexpected(Reason::out_of_host_memory);
  if (traits.pool != nullptr && !traits.pool->try_reserve(bytes)) {
    base::destroy_object(core_.host, block);
    return Unexpected(Reason::over_limit);
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
    return Unexpected(allocated.error().reason);
  }
  block->space.emplace(traits.algorithm, bytes, core_.host);
  core_.count_block(traits.memory_type, traits.pool, bytes, false);
  return block;
}

Expected<Block*, Reason> BlockSource::make_dedicated(const Request& request,
                                                     std::uint32_t memory_type, bool within_budget,
                                                     Allocation allocation) {
  const AllocationDesc& desc = *request.desc;
  PoolState* pool = request.pool;
  Block* block = base::create_object<Block>(core_.host);
  if (block == nullptr) return Unexpected(Reason::out_of_host_memory);
  if (pool != nullptr && !pool->try_reserve(request.size)) {
    base::destroy_object(core_.host, block);
    return Unexpected(Reason::over_limit);
  }
  const bool anonymous = desc.can_alias || request.disjoint;
  const Status allocated =
      block->memory.allocate(core_.device, core_.budget,
                             {.memory_type = memory_type,
                              .size = request.size,
                              .within_budget = within_budget,
                              .priority = pool != nullptr ? pool->desc.priority : desc.priority,
                              .device_address = request.kind != ResourceKind::optimal,
                              .dedicated_buffer = anonymous ? VK_NULL_HANDLE : request.buffer,
                              .dedicated_image = anonymous ? VK_NULL_HANDLE : request.image,
                              .next = desc.memory_next != nullptr ? desc.memory_next
                                      : pool != nullptr           ? pool->desc.memory_next
                                                                  : nullptr});
  if (!allocated) {
    if (pool != nullptr) pool->release(request.size);
    base::destroy_object(core_.host, block);
    return Unexpected(allocated.error().reason);
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

VkDeviceSize BlockSource::empty_bytes(std::uint32_t heap) const {
  VkDeviceSize bytes = 0;
  core_.for_each_arena([&](const Arena& arena) {
    if (arena.traits().heap == heap) bytes += arena.empty_bytes();
  });
  return bytes;
}

void BlockSource::limit_empty_bytes(std::uint32_t heap) {
  while (empty_bytes(heap) > core_.policy.retained_bytes) {
    if (release_longest_empty(heap, Arena::kNeverEmpty - 1) == 0) break;
  }
}

void BlockSource::release_empty_since(std::uint32_t heap, std::uint64_t until) {
  while (release_longest_empty(heap, until) != 0) {
  }
}

}  // namespace quarry::heap
