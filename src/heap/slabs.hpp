// SPDX-License-Identifier: MIT
// All slabs of an allocator, behind the threads' caches: for each arena and size class a bin with
// the slabs that have free slots, and depots of full magazines that threads exchange (Bonwick and
// Adams, "Magazines and Vmem", 2001). Carves slabs out of ranges that its caller placed; asks no
// driver for anything.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/mutex.hpp"
#include "heap/arena.hpp"
#include "heap/record_table.hpp"
#include "heap/slab.hpp"

namespace quarry::heap {

/// Slots on their way between threads, all of one bin. Nothing else is on its lines.
struct Magazine {
  Magazine* next = nullptr;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;

  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  std::span<Slot> content() { return {slots(), count}; }
  static Magazine* make(const HostMemory& host, std::uint32_t capacity);
};

struct alignas(64) SlabBin {
  /// Bit i: depot i of the size class has nearly as many magazines as it may.
  std::atomic<std::uint32_t> stocked{0};
  base::Mutex mutex;  ///< held for a batch of slots; no other lock inside
  Slab* open QUARRY_GUARDED_BY(mutex) = nullptr;  ///< slabs with free slots, most recent first
};

/// Magazines of one bin that some threads exchange.
struct alignas(64) Depot {
  base::Mutex mutex;  ///< a leaf but for the host callbacks
  Magazine* full QUARRY_GUARDED_BY(mutex) = nullptr;
  Magazine* empties QUARRY_GUARDED_BY(mutex) = nullptr;  ///< that full ones were exchanged for
  std::uint32_t exchanges QUARRY_GUARDED_BY(mutex) = 0;  ///< of magazines, since the last look
  std::atomic<std::uint32_t> size{0};                    ///< full ones
};

/// The bins of one arena.
struct SlabSet {
  static constexpr std::uint32_t kDepots = 16;
  SlabSet(Arena& of, std::uint32_t set_number) noexcept : arena(of), number(set_number) {}

  Arena& arena;
  /// That of large requests of the same kind; null until one was resolved.
  std::atomic<Arena*> large{nullptr};
  const std::uint32_t number;
  SlabBin bins[offset::kSizeClasses];
  /// A thread uses the depots of its number: so what it puts away comes back to it, with the lines
  /// that are in its processor's cache. Others' only where those are well stocked, which is where
  /// slots go from thread to thread anyway, or for want of room: slots of two threads side by side
  /// would cost each of them its lines at every use.
  Depot depots[kDepots][offset::kSizeClasses];
};

/// Blocks that became empty by slabs that were given back: their heaps, for the retention rule.
struct Emptied {
  std::uint32_t heaps = 0;
};

/// Thread-safe.
class Slabs {
 public:
  static constexpr std::uint32_t kMostSets = 256;

  Slabs(const HostMemory& host, RecordTable& records) : host_(host), records_(records) {}
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;
  ~Slabs();

  /// Null without host memory, or when that many arenas have sets already.
  SlabSet* find_or_make(Arena& arena);
  SlabSet& set(std::uint32_t number) const {
    return *sets_[number].load(std::memory_order_acquire);
  }

  /// A slab without a place; null without host memory.
  Slab* make_slab(const SlabSet& set, std::uint32_t size_class);
  /// What a slab needs of a block.
  static OffsetRequest place_for(std::uint32_t size_class);
  static OffsetRequest place_for(const Slab& slab);
  /// Opens a slab in the range that was placed for it. The caller gets up to `most` > 0 of its
  /// slots, so that nobody takes the last, and no slab is open without a slot out; how many.
  std::uint32_t open(Slab& slab, const Arena::Placed& range, Slot* slots, std::uint32_t most);
  /// Drops one that found no place.
  void abandon(Slab& slab) { records_.put_slab(slab); }
  /// Up to `most` free slots of existing slabs; how many there were.
  std::uint32_t take(SlabSet& set, std::uint32_t size_class, Slot* slots, std::uint32_t most);
  /// Whether take() would give any.
  bool has_free(SlabSet& set, std::uint32_t size_class);
  /// Gives slots back, all of one bin. Slabs that nobody uses give their ranges back.
  void put(std::span<const Slot> slots, std::uint64_t now, Emptied& emptied);
  /// The same for one whose handle has no successor: it is never used again.
  void retire(std::uint64_t handle, Record& record, std::uint64_t now, Emptied& emptied);

  /// Exchanges an empty magazine for a full one of the thread's depot, or a well-stocked one; null,
  /// with nothing done, when there is none.
  Magazine* take_full(SlabSet& set, std::uint32_t size_class, Magazine& empty,
                      std::uint32_t thread);
  /// The same of any depot.
  Magazine* take_any_full(SlabSet& set, std::uint32_t size_class, Magazine& empty);
  /// Exchanges a full magazine for an empty one; null, with nothing done, when the depot has enough
  /// or there is no host memory.
  Magazine* put_full(SlabSet& set, std::uint32_t size_class, Magazine& full, std::uint32_t thread);
  /// Dissolves the magazines of depots, all or those that saw no exchange since the last call. The
  /// bytes of the slots given back.
  VkDeviceSize drain_depots(bool all, std::uint64_t now, Emptied& emptied);

 private:
  static constexpr std::uint32_t kMostInDepot = 4;
  static constexpr std::uint32_t kWellStocked = 3;

  static void link(SlabBin& bin, Slab& slab) QUARRY_REQUIRES(bin.mutex);
  static void unlink(SlabBin& bin, Slab& slab) QUARRY_REQUIRES(bin.mutex);
  std::uint32_t take_from(Slab& slab, Slot* slots, std::uint32_t most) const;
  std::uint32_t take_bits(Slab& slab, std::uint64_t wanted, Slot* slots, std::uint32_t most) const;
  void close_all(SlabSet& set, Slab* unused, std::uint64_t now, Emptied& emptied);
  static Magazine* take_from_depot(SlabSet& set, std::uint32_t size_class, std::uint32_t number,
                                   Magazine& empty);
  template <class Visitor>
  void for_each_depot(Visitor&& visitor);
  void release(Magazine* magazines);

  HostMemory host_;
  RecordTable& records_;
  base::Mutex sets_mutex_;  ///< a leaf: only the host callbacks are called with it held
  std::atomic<std::uint32_t> set_count_{0};
  std::atomic<SlabSet*> sets_[kMostSets]{};
};

}  // namespace quarry::heap
