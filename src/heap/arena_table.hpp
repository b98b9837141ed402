// SPDX-License-Identifier: MIT
// The default pools' arenas, one for each combination of memory type, tiling, mobility, lifetime
// and priority class that was asked for. Looking one up takes no lock; making one does, once.
#pragma once

#include <atomic>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/host_memory.hpp>

#include "base/mutex.hpp"
#include "heap/arena.hpp"
#include "memory/device_memory.hpp"

namespace quarry::heap {

class ArenaTable {
 public:
  ArenaTable(HostMemory host, std::uint32_t most_shards) : host_(host), most_shards_(most_shards) {}
  ArenaTable(const ArenaTable&) = delete;
  ArenaTable& operator=(const ArenaTable&) = delete;
  ~ArenaTable();

  /// Null when it was not asked for yet.
  Arena* find(const ArenaTraits& traits) const {
    return slots_[slot(traits)].load(std::memory_order_acquire);
  }
  /// Null when there is no host memory.
  Arena* find_or_make(const ArenaTraits& traits);

  template <class Visitor>
  void for_each(Visitor&& visitor) const {
    for (Arena* arena = newest_.load(std::memory_order_acquire); arena != nullptr;
         arena = arena->older())
      visitor(*arena);
  }

 private:
  static constexpr std::uint32_t kTilings = 2;
  static constexpr std::uint32_t kMobilities = 2;
  static constexpr std::uint32_t kSizes = 2;
  static constexpr std::uint32_t kLifetimes = 3;
  static constexpr std::uint32_t kSlots =
      VK_MAX_MEMORY_TYPES * kTilings * kMobilities * kSizes * kLifetimes * memory::kPriorityClasses;

  static std::uint32_t slot(const ArenaTraits& traits) {
    std::uint32_t index = traits.memory_type * kTilings + (traits.optimal ? 1u : 0u);
    index = index * kMobilities + (traits.movable ? 1u : 0u);
    index = index * kSizes + (traits.large ? 1u : 0u);
    index = index * kLifetimes + static_cast<std::uint32_t>(traits.lifetime);
    return index * memory::kPriorityClasses + traits.priority_class;
  }

  HostMemory host_;
  const std::uint32_t most_shards_;  ///< of each arena
  base::Mutex mutex_;                ///< a leaf: only the host callbacks are called with it held
  std::atomic<Arena*> slots_[kSlots]{};
  std::atomic<Arena*> newest_{nullptr};  ///< the list of all, through Arena::older
};

}  // namespace quarry::heap
