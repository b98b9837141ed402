// SPDX-License-Identifier: MIT
// One thread's free slots, so that a steady allocate or free takes no lock and touches no line that
// others write. For each bin a loaded magazine and a spare one (Bonwick and Adams, "Magazines and
// Vmem", 2001). Its owner marks itself busy on its own line; another thread drains it by a claim, a
// fence on the claimer's side alone, and waiting until the owner is not busy.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/asymmetric_fence.hpp"
#include "base/relaxed.hpp"
#include "heap/ledger.hpp"
#include "heap/route.hpp"
#include "heap/slabs.hpp"

namespace quarry::heap {

/// The slots of one size class in one arena. What its owner handed out or took back since it last
/// told the totals is `told` less what is cached: counting costs the owner nothing.
struct CacheBin {
  Slot* slots = nullptr;              ///< of the loaded magazine; null before the first use
  base::Relaxed<std::uint32_t> held;  ///< bytes of the loaded magazine that hold slots
  std::uint32_t room = 0;             ///< `held` when it is full; 0 before the first use
  std::uint32_t slot_bytes = 0;
  base::Relaxed<std::uint16_t> told;         ///< modulo 2^16, as only the difference counts
  base::Relaxed<std::uint16_t> spare_count;  ///< in the spare magazine: none or all of its capacity
  Magazine* spare = nullptr;

  std::uint32_t count() const { return static_cast<std::uint32_t>(held.get() / sizeof(Slot)); }
  void set_count(std::uint32_t count) {
    held.set(count * static_cast<std::uint32_t>(sizeof(Slot)));
  }
  std::uint32_t capacity() const { return room / sizeof(Slot); }
  bool holds_any() const { return held.get() != 0 || spare_count.get() != 0; }
  std::uint32_t cached() const { return count() + spare_count.get(); }
  /// Allocations, less frees, that the totals do not know yet.
  std::int32_t untold() const {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(told.get() - cached()));
  }
  Magazine* loaded() const { return reinterpret_cast<Magazine*>(slots) - 1; }

  // With `held` as it is, which the caller knows already.
  Slot pop(std::uint32_t now) {
    held.set(now - static_cast<std::uint32_t>(sizeof(Slot)));
    return *(slot_at(now) - 1);
  }
  void push(std::uint32_t now, const Slot& slot) {
    *slot_at(now) = slot;
    held.set(now + static_cast<std::uint32_t>(sizeof(Slot)));
  }

 private:
  Slot* slot_at(std::uint32_t bytes) const {
    return reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(slots) + bytes);
  }
};

static_assert(sizeof(void*) != 8 || sizeof(CacheBin) == 32);

/// Vacant records of large allocations.
struct LargeRecords {
  static constexpr std::uint32_t kMost = 32;
  Slot slots[kMost];
  std::uint32_t count = 0;
};

/// What the owner changed by large allocations in one memory type, and did not tell yet.
struct LargeFigures {
  base::Relaxed<std::int32_t> count;
  base::Relaxed<std::int64_t> bytes;
};

/// The bins of one arena.
struct alignas(base::kApart) CacheSet {
  CacheBin bins[offset::kSizeClasses];
  SlabSet* slabs = nullptr;  ///< null in no_set
  std::uint32_t memory_type = 0;

  /// The bin that begins so many bytes behind the first.
  CacheBin& bin_at(std::uint32_t bytes) {
    return *reinterpret_cast<CacheBin*>(reinterpret_cast<std::byte*>(bins) + bytes);
  }
};

/// In the place of sets that a thread has not made: neither slots nor room for any. Never written.
// NOLINTNEXTLINE(*-avoid-non-const-global-variables)
inline constinit CacheSet no_set;

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): claims have a line of their own
class alignas(base::kApart) ThreadCache {
  // First: then a set is found without another addition.
  std::atomic<CacheSet*> sets_[Slabs::kMostSets];

 public:
  /// `number`: which depots are its own.
  ThreadCache(const HostMemory& host, Slabs& slabs, VkDeviceSize most_bytes,
              std::uint32_t number = 0) noexcept;
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;
  /// Does not give slots back.
  ~ThreadCache();

  // ---- The owner
  /// False while somebody else has the cache: then go without.
  bool enter() { return enter_at_once() || enter_claimed(); }
  /// False, and not entered, also where entering takes more than a look.
  bool enter_at_once() {
    busy_.store(1, std::memory_order_relaxed);
    base::light_fence();
    if (claims_.load(std::memory_order_acquire) == 0) [[likely]]
      return true;
    leave();
    return false;
  }
  void leave() { busy_.store(0, std::memory_order_release); }

  // All below: entered, or claimed.
  /// Null before make_set().
  CacheSet* set(std::uint32_t number) const {
    CacheSet& found = set_or_none(number);
    return &found == &no_set ? nullptr : &found;
  }
  /// The same, but no_set for null.
  CacheSet& set_or_none(std::uint32_t number) const {
    return *sets_[number].load(std::memory_order_relaxed);
  }
  /// Null without host memory.
  CacheSet* make_set(SlabSet& set);

  enum class Refill : std::uint8_t {
    filled,
    no_slots,    ///< neither depots that share nor a slab has any
    no_magazine  ///< no host memory, or the bytes allowed are used up
  };
  /// Fills an empty loaded magazine from the depot or the slabs.
  Refill refill(SlabSet& set, std::uint32_t size_class, std::uint64_t now, Emptied& emptied);
  /// The same from a slab that is opened in the range placed for it. Precondition: refill() has
  /// just answered no_slots.
  void refill_from(Slab& slab, const Arena::Placed& range);
  /// The same from any depot; false: none has any.
  bool refill_from_any_depot(SlabSet& set, std::uint32_t size_class);
  /// Makes room in a full loaded magazine; false when there is none to be had: give the slot back.
  bool make_room(SlabSet& set, std::uint32_t size_class, std::uint64_t now, Emptied& emptied);

  void count_allocation() { allocations_.add(1); }
  std::uint64_t allocations() const { return allocations_.get(); }

  /// A vacant record; null without host memory.
  Slot take_large(RecordTable& records) {
    if (vacant_.count == 0 && !fill_large(records)) [[unlikely]]
      return {};
    return vacant_.slots[--vacant_.count];
  }
  void put_large(RecordTable& records, const Slot& slot) {
    if (vacant_.count == LargeRecords::kMost) [[unlikely]]
      halve_large(records);
    vacant_.slots[vacant_.count++] = slot;
  }

  RouteMemo routes;
  Ledger ledger;
  LargeFigures large[VK_MAX_MEMORY_TYPES];
  std::int64_t slack = 0;  ///< bytes that the totals need not know at once

  // ---- Others
  /// Takes the cache from its owner, who goes without until release(). Claimers are serialised.
  void claim();
  void release() { claims_.fetch_and(~kClaimed, std::memory_order_release); }
  /// Gives every slot and magazine back. The bytes.
  VkDeviceSize drain(std::uint64_t now, Emptied& emptied);
  /// Gives vacant large records back.
  void drain_large(RecordTable& records);
  /// Calls visitor(memory type, const CacheBin&), or of a claimed or entered cache
  /// (memory type, CacheBin&), for each bin of each arena that was used.
  template <class Visitor>
  void for_each_bin(Visitor&& visitor) const {
    for (const std::atomic<CacheSet*>& each : sets_) {
      CacheSet* set = each.load(std::memory_order_acquire);
      if (set == &no_set) continue;
      for (CacheBin& bin : set->bins)
        visitor(set->memory_type, bin);
    }
  }

  // Of the list of all caches of an allocator, guarded by its locks.
  ThreadCache* next = nullptr;
  const void* owner = nullptr;  ///< the thread; null: waits for one
  std::uint64_t seen_work = 0;  ///< work() at the last look
  std::uint64_t idle_since = 0;
  bool drained_idle = false;
  /// Changes whenever the owner did something.
  std::uint64_t work() const { return allocations_.get() + slow_.get(); }

 private:
  static constexpr std::uint32_t kClaimed = 1;
  static constexpr std::uint32_t kBothFence = 2;  ///< there is no asymmetric fence
  static constexpr std::uint64_t kSlowBetweenDrains = 4096;

  bool enter_claimed();
  bool fill_large(RecordTable& records);
  void halve_large(RecordTable& records);
  CacheBin& bin_of(const SlabSet& set, std::uint32_t size_class) const {
    return sets_[set.number].load(std::memory_order_relaxed)->bins[size_class];
  }
  static std::uint32_t batch(const CacheBin& bin) { return std::max(1u, bin.capacity() / 2); }
  bool prepare(CacheBin& bin, std::uint32_t size_class, std::uint64_t now, Emptied& emptied);
  VkDeviceSize drain(CacheBin& bin, std::uint64_t now, Emptied& emptied);
  static void load(CacheBin& bin, Magazine& full);

  std::atomic<std::uint32_t> busy_{0};
  base::Relaxed<std::uint64_t> allocations_;
  base::Relaxed<std::uint64_t> slow_;
  const std::uint32_t number_;
  VkDeviceSize allowed_ = 0;      ///< bytes that magazines of bins in use can hold together
  VkDeviceSize promised_ = 0;     ///< of them, those that some bin's magazines may fill
  std::uint64_t next_drain_ = 0;  ///< by slow_: when bins may make way for others again
  HostMemory host_;
  Slabs& slabs_;
  LargeRecords vacant_;

  alignas(64) std::atomic<std::uint32_t> claims_{0};
};

}  // namespace quarry::heap
