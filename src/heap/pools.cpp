// SPDX-License-Identifier: MIT
#include "heap/pools.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "base/host_string.hpp"
#include "device/error.hpp"
#include "heap/block_source.hpp"
#include "heap/lookup.hpp"

namespace quarry::heap {

namespace {

/// Memory of some types cannot be had without a feature.
Reason check_type(const DeviceFacts& facts, VkMemoryPropertyFlags flags) {
  constexpr VkMemoryPropertyFlags kDeviceCoherent =
      VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
  const bool allowed =
      ((flags & kDeviceCoherent) == 0 || facts.features.device_coherent_memory) &&
      ((flags & VK_MEMORY_PROPERTY_PROTECTED_BIT) == 0 || facts.features.protected_memory);
  return allowed ? Reason::none : Reason::feature_not_enabled;
}

Reason check(const Core& core, const PoolDesc& desc) {
  const DeviceFacts& facts = core.device.facts();
  if (desc.memory_type >= facts.memory.memoryTypeCount) return Reason::bad_argument;
  if (desc.algorithm > PoolAlgorithm::buddy) return Reason::bad_argument;
  if (!base::is_power_of_two(desc.minimum_alignment)) return Reason::bad_alignment;
  if (desc.maximum_blocks != 0 && desc.minimum_blocks > desc.maximum_blocks)
    return Reason::bad_argument;
  if (desc.maximum_bytes != 0 && desc.block_bytes > desc.maximum_bytes) return Reason::bad_argument;
  const VkDeviceSize heap = facts.memory.memoryHeaps[core.heap_of(desc.memory_type)].size;
  if (desc.block_bytes > std::min(heap, facts.maximum_allocation_size))
    return Reason::larger_than_heap;
  return check_type(facts, facts.memory.memoryTypes[desc.memory_type].propertyFlags);
}

/// A closed pool to use again, or a new one in the list of all.
PoolState* take_state(Core& core) QUARRY_REQUIRES(core.pools_mutex) {
  for (PoolState* pool = core.newest_pool.load(std::memory_order_relaxed); pool != nullptr;
       pool = pool->next) {
    if (!pool->handle) return pool;
  }
  auto* made = base::create_object<PoolState>(core.host);
  if (made == nullptr) return nullptr;
  made->next = core.newest_pool.load(std::memory_order_relaxed);
  core.newest_pool.store(made, std::memory_order_release);
  return made;
}

/// Gives everything of a closed pool back but the state itself.
void empty_out(Core& core, PoolState& pool) {
  BlockSource(core).release_all(*pool.arena);
  pool.arena.reset();
  base::release_string(core.host, pool.name);
  pool.name = nullptr;
  pool.desc = {};
  pool.handle = {};
}

/// The pool's block size: where none was asked for, the cap of the growth rule for the algorithms
/// that want one block, as far as the pool's limit goes.
VkDeviceSize block_bytes(Core& core, const PoolDesc& desc) {
  if (desc.block_bytes != 0 || desc.algorithm == PoolAlgorithm::tlsf) return desc.block_bytes;
  const VkDeviceSize cap = BlockSource(core).block_cap(desc.memory_type);
  return desc.maximum_bytes == 0 ? cap : std::min(cap, desc.maximum_bytes);
}

}  // namespace

Result<Pool> create_pool(Core& core, const PoolDesc& desc) {
  if (const Reason reason = check(core, desc); reason != Reason::none)
    return device::refuse(reason);
  const base::MutexLock lock(core.pools_mutex);
  PoolState* pool = take_state(core);
  if (pool == nullptr) return device::refuse(Reason::out_of_host_memory);
  if (desc.name != nullptr) {
    pool->name = base::copy_string(core.host, desc.name);
    if (pool->name == nullptr) return device::refuse(Reason::out_of_host_memory);
  }
  const auto inserted = core.pools.insert(pool);
  if (!inserted) {
    base::release_string(core.host, pool->name);
    pool->name = nullptr;
    return device::refuse(Reason::out_of_host_memory);
  }
  pool->desc = desc;
  pool->desc.name = nullptr;
  pool->desc.block_bytes = block_bytes(core, desc);
  pool->handle = Pool{inserted.handle};
  pool->totals.reset_peaks();
  pool->arena.emplace(ArenaTraits{.memory_type = desc.memory_type,
                                  .heap = core.heap_of(desc.memory_type),
                                  .priority_class = memory::priority_class(desc.priority),
                                  .algorithm = desc.algorithm,
                                  .pool = pool},
                      core.host, nullptr);
  for (std::uint32_t i = 0; i < desc.minimum_blocks; ++i) {
    const Status added = BlockSource(core).add_empty_block(*pool->arena);
    if (added) continue;
    (void)core.pools.erase(inserted.handle);
    empty_out(core, *pool);
    return Unexpected(added.error());
  }
  pool->open();
  return Pool{inserted.handle};
}

Status destroy_pool(Core& core, Pool pool) {
  const base::MutexLock lock(core.pools_mutex);
  const auto found = core.pools.lookup(pool.value);
  if (!found) return bad_handle(found.status);
  PoolState& state = **found.value;
  if (!state.close()) return device::refuse(Reason::still_in_use);
  (void)core.pools.erase(pool.value);
  empty_out(core, state);
  return {};
}

Result<Totals> pool_totals(Core& core, Pool pool) {
  const auto visited = visit(core, pool);
  if (!visited) return Unexpected(visited.error());
  return visited->get()->totals.read();
}

}  // namespace quarry::heap
