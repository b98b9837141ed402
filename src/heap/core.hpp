// SPDX-License-Identifier: MIT
// The allocator's parts under one roof: what every operation of the heap folder works on. No
// behaviour of its own beyond making, ending and accounting.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <quarry/allocator.hpp>

#include "base/mutex.hpp"
#include "base/slot_map.hpp"
#include "device/create_info_copy.hpp"
#include "device/device.hpp"
#include "heap/arena_table.hpp"
#include "heap/dedicated_list.hpp"
#include "heap/pool_state.hpp"
#include "heap/record.hpp"
#include "heap/tags.hpp"
#include "heap/totals.hpp"
#include "memory/budget.hpp"
#include "memory/type_selection.hpp"

namespace quarry::heap {

/// What a few allocations have and most have not.
struct Extras {
  char* name = nullptr;
  device::CreateInfoCopy create_info;
};

class Core {
 public:
  Core(const AllocatorDesc& desc, std::uint8_t id) noexcept;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  /// Frees all device memory, whatever still lies in it.
  ~Core();

  static Result<Core*> make(const AllocatorDesc& desc);
  static void destroy(Core* core);

  std::uint64_t now() const { return clock_(clock_user_); }
  void say(Severity severity, const char* text) const {
    if (on_message_ != nullptr) on_message_(message_user_, severity, text);
  }

  // ---- Accounting: each change in every scope it belongs to
  void count_block(std::uint32_t memory_type, PoolState* pool, VkDeviceSize bytes, bool dedicated);
  void uncount_block(std::uint32_t memory_type, PoolState* pool, VkDeviceSize bytes,
                     bool dedicated);
  void count_allocation(const Record& record);
  void uncount_allocation(const Record& record);
  void reset_peaks();

  std::uint32_t heap_of(std::uint32_t memory_type) const {
    return device.facts().memory.memoryTypes[memory_type].heapIndex;
  }
  bool granular() const { return device.facts().properties.limits.bufferImageGranularity > 1; }

  /// Calls visitor(arena) for the default arenas and those of open pools. The visitor must not call
  /// the owner.
  template <class Visitor>
  void for_each_arena(Visitor&& visitor) const {
    arenas.for_each(visitor);
    for (PoolState* pool = newest_pool.load(std::memory_order_acquire); pool != nullptr;
         pool = pool->next) {
      if (!pool->begin_visit()) continue;
      visitor(*pool->arena);
      pool->end_visit();
    }
  }

  const VkAllocationCallbacks callbacks;  ///< the owner's, copied: `host` points here
  const HostMemory host;
  const std::uint8_t id;  ///< of this allocator among those alive, in every handle
  const BlockPolicy policy;
  device::Device device;
  std::optional<memory::TypeTable> types;  ///< made once the device is open
  memory::Budget budget;
  base::SlotMap<Record> records;
  base::SlotMap<PoolState*> pools;
  std::atomic<PoolState*> newest_pool{nullptr};
  base::Mutex pools_mutex;  ///< making and closing pools; taken before any arena's locks, by
                            ///< nothing that holds one
  base::Mutex names_mutex;  ///< Extras and their names; a leaf but for the host callbacks
  Tags tags;
  DedicatedList dedicated;

  // Figures
  TotalsCell totals;
  TotalsCell heap_totals[VK_MAX_MEMORY_HEAPS];
  TotalsCell type_totals[VK_MAX_MEMORY_TYPES];
  std::atomic<std::uint64_t> allocations{0};
  std::atomic<std::uint64_t> frees{0};
  std::atomic<std::uint64_t> failed_allocations{0};
  std::atomic<std::uint64_t> uploaded_bytes{0};

  bool (*const on_shortage)(void* user, std::uint32_t heap, VkDeviceSize bytes);
  void* const shortage_user;

  ArenaTable arenas;

 private:
  std::uint64_t (*const clock_)(void* user);
  void* const clock_user_;
  void (*const on_message_)(void* user, Severity severity, const char* text);
  void* const message_user_;
};

}  // namespace quarry::heap
