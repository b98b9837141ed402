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
#include "device/device.hpp"
#include "heap/arena_table.hpp"
#include "heap/background.hpp"
#include "heap/dedicated_list.hpp"
#include "heap/extras.hpp"
#include "heap/ledger.hpp"
#include "heap/move_engine.hpp"
#include "heap/moves.hpp"
#include "heap/ordered_frees.hpp"
#include "heap/origins.hpp"
#include "heap/pool_state.hpp"
#include "heap/pressure_watch.hpp"
#include "heap/readers.hpp"
#include "heap/record_table.hpp"
#include "heap/slabs.hpp"
#include "heap/tags.hpp"
#include "heap/thread_caches.hpp"
#include "heap/totals.hpp"
#include "memory/budget.hpp"
#include "memory/type_selection.hpp"

namespace quarry::heap {

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order in which parts begin
class Core {
 public:
  Core(const AllocatorDesc& desc, std::uint8_t id) noexcept;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  /// Frees all device memory, whatever still lies in it.
  ~Core();

  static Result<Core*> make(const AllocatorDesc& desc);
  static void destroy(Core* core);

  std::uint64_t now() {
    const std::uint64_t time = clock_(clock_user_);
    coarse_now_.store(time, std::memory_order_relaxed);
    return time;
  }
  /// The time when somebody asked last: at the last tick() at the latest. For paths that should not
  /// ask the clock.
  std::uint64_t coarse_now() const { return coarse_now_.load(std::memory_order_relaxed); }
  void say(Severity severity, const char* text) const {
    if (on_message_ != nullptr) on_message_(message_user_, severity, text);
  }

  // ---- The driver's figures
  /// Asks the driver, and tells the owner of pressure that changed.
  void refresh_budget();
  /// Asks the driver where its figures are old. With locks held: the owner is told later.
  void refresh_old_budget();

  // ---- Accounting: each change in every scope it belongs to
  void count_block(std::uint32_t memory_type, PoolState* pool, VkDeviceSize bytes, bool dedicated);
  void uncount_block(std::uint32_t memory_type, PoolState* pool, VkDeviceSize bytes,
                     bool dedicated);
  /// One allocation more (sign 1) or less (-1).
  void count_allocation(std::uint32_t memory_type, PoolState* pool, Tag tag, VkDeviceSize bytes,
                        std::int64_t sign);
  /// One more, unless a hard quota is in the way: the tag that has it, or 0.
  std::uint32_t try_count_allocation(std::uint32_t memory_type, PoolState* pool, Tag tag,
                                     VkDeviceSize bytes);
  /// Tells ahead that a tag under a hard quota will have so much; false, with nothing told, when a
  /// quota is in the way.
  bool prepay(Tag tag, VkDeviceSize bytes);
  /// Tells the totals what a claimed or entered cache has not told them yet.
  void fold(ThreadCache& cache);
  /// Tells them what a ledger noted for a tag, which they know as untagged.
  void count(const Ledger::Entry& entry);
  /// The same for one bin and the whole ledger.
  void fold(ThreadCache& cache, std::uint32_t memory_type, CacheBin& bin);
  /// The same for large allocations in a memory type and the whole ledger; sets the cache's slack.
  void fold(ThreadCache& cache, std::uint32_t memory_type);
  void reset_peaks();

  // ---- Thread caches
  /// Gives back every slot in a cache or depot; the bytes. Blocks may be empty now.
  VkDeviceSize drain_caches();
  /// Of threads and depots without work for a second.
  void drain_idle_caches();

  // ---- Figures with what the threads have not told yet
  Totals total() const;
  Totals total_of_heap(std::uint32_t heap) const;
  Totals total_of_type(std::uint32_t memory_type) const;
  Totals total_of_tag(Tag tag) const;  ///< with those below it
  Totals total_of_tag_alone(Tag tag) const;
  std::uint64_t allocation_calls() const;

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
  PressureWatch pressure;
  const HotPathPolicy hot_path;
  RecordTable records;
  Moves moves;
  MoveEngine move_engine;
  bool may_move = true;  ///< constant once made
  Readers readers;       ///< of what may be moved
  std::atomic<bool> has_residency{false};
  ExtrasTable extras;
  Origins origins;
  base::SlotMap<PoolState*> pools;
  std::atomic<PoolState*> newest_pool{nullptr};
  base::Mutex pools_mutex;  ///< making and closing pools; taken before any arena's locks, by
                            ///< nothing that holds one
  Tags tags;
  DedicatedList dedicated;

  // Figures
  TotalsCell totals;
  TotalsCell heap_totals[VK_MAX_MEMORY_HEAPS];
  TotalsCell type_totals[VK_MAX_MEMORY_TYPES];
  std::atomic<std::uint64_t> allocations{0};
  std::atomic<std::uint64_t> failed_allocations{0};
  std::atomic<std::uint64_t> uploaded_bytes{0};
  std::atomic<std::uint64_t> moves_made{0};
  std::atomic<std::uint64_t> moved_bytes{0};

  const std::uint32_t ladder;  ///< LadderRung bits that are allowed
  bool (*const on_shortage)(void* user, std::uint32_t heap, VkDeviceSize bytes);
  void* const shortage_user;

  ArenaTable arenas;
  Slabs slabs;
  ThreadCaches caches;
  OrderedFrees ordered_frees;
  Background background;

 private:
  void count(std::uint32_t memory_type, std::int64_t count, std::int64_t bytes);
  void fold(Ledger& ledger);
  /// `sign_of` a tag that is not 0: 1, -1 or 0.
  template <class Sign>
  void add_ledgers(Totals& totals, Sign&& sign_of) const;
  void set_slack(ThreadCache& cache) const;
  void tell(std::uint32_t memory_type, CacheBin& bin);
  void tell(LargeFigures& figures, std::uint32_t memory_type);
  template <class Belongs>
  void add_untold(Totals& totals, Belongs&& belongs) const;

  std::atomic<std::uint64_t> coarse_now_{0};
  std::atomic<std::uint64_t> last_idle_look_{0};
  std::atomic<std::uint64_t> last_refresh_{0};
  const std::uint32_t refresh_milliseconds_;
  const QuotaPolicy quota_policy_;
  std::uint64_t (*const clock_)(void* user);
  void* const clock_user_;
  void (*const on_message_)(void* user, Severity severity, const char* text);
  void* const message_user_;
};

}  // namespace quarry::heap
