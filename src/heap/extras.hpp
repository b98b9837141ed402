// SPDX-License-Identifier: MIT
// The side table of what a few allocations have and most have not. A record names its entry by
// number; making, changing and dropping entries takes the table's lock.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/chunked_array.hpp"
#include "base/mutex.hpp"
#include "device/create_info_copy.hpp"
#include "heap/origins.hpp"
#include "heap/record.hpp"

namespace quarry::heap {

/// Of a resource that can be evicted: what it takes to make it again elsewhere, and to choose.
struct Residence {
  /// Whose it is; 0: of none. What it says holds while the record is live and has this entry.
  std::atomic<std::uint64_t> handle{0};
  std::atomic<std::uint64_t> last_use{0};  ///< milliseconds
  std::atomic<float> priority{0.5f};
  Lifetime lifetime = Lifetime::unspecified;
  Dedicated dedicated = Dedicated::automatic;
  bool discardable = false;
  // Changed with the table's lock.
  enum class Wish : std::uint8_t { none, in, out };
  Wish wish = Wish::none;
  bool discarded = false;                            ///< evicted without a copy
  std::uint64_t changed = 0;                         ///< milliseconds: evicted or back since
  VkDeviceSize device_bytes = 0;                     ///< reserved there, before it was evicted
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;  ///< then

  void begin(const AllocationDesc& desc, std::uint64_t of, std::uint64_t now) {
    last_use.store(now, std::memory_order_relaxed);
    priority.store(desc.priority, std::memory_order_relaxed);
    lifetime = desc.lifetime;
    dedicated = desc.dedicated;
    discardable = desc.discardable;
    handle.store(of, std::memory_order_relaxed);
  }
  void reset() {
    handle.store(0, std::memory_order_relaxed);
    wish = Wish::none;
    discarded = false;
    changed = 0;
  }
};

struct Extras {
  char* name = nullptr;
  device::CreateInfoCopy create_info;
  std::uint32_t pins = 0;
  Residence residence;
  Origin origin;           ///< of an allocation whose origin found no place in its table
  std::uint32_t next = 0;  ///< of an unused entry
};

/// Thread-safe. Its lock is a leaf but for the host callbacks.
class ExtrasTable {
 public:
  explicit ExtrasTable(const HostMemory& host) : entries_(host) {}
  ExtrasTable(const ExtrasTable&) = delete;
  ExtrasTable& operator=(const ExtrasTable&) = delete;
  ~ExtrasTable();

  /// A number for an entry with a copy of the name, when there is one; 0 without host memory. The
  /// entry is the caller's until it stands in a record.
  std::uint32_t make(const char* name);
  /// Precondition: the caller's own entry.
  Extras& own(std::uint32_t number) { return entries_[number - 1]; }
  void drop(std::uint32_t number);
  /// Takes the entry off a claimed record and drops it.
  void drop_from(Record& record);

  /// Renames a record with that handle; false without host memory. Null removes the name.
  bool rename(std::uint64_t handle, Record& record, const char* name);

  /// Counts a pin more or less, in the record's bits, too. An allocation without an entry has none.
  void pin(std::uint64_t handle, Record& record);
  /// False for one less than none.
  bool unpin(std::uint64_t handle, Record& record);

  /// The entry of a live record, whose atomics any thread may use; null when it has none. Another
  /// allocation's, once this one is freed.
  Residence* residence(const Record& record) {
    const std::uint32_t number = record.extras.load(std::memory_order_acquire);
    return number == 0 ? nullptr : &entries_[number - 1].residence;
  }
  /// Calls visit(number, residence) for up to `most` entries from a number on that belong to
  /// something, with the lock held; the number to go on with, 0 at the end.
  template <class Visit>
  std::uint32_t visit_residences(std::uint32_t from, std::uint32_t most, Visit&& visit) {
    const base::MutexLock lock(mutex_);
    const std::uint32_t end = entries_.size();
    std::uint32_t number = from;
    for (; number <= end && number - from < most; ++number) {
      Residence& residence = entries_[number - 1].residence;
      if (residence.handle.load(std::memory_order_relaxed) != 0) visit(number, residence);
    }
    return number > end ? 0 : number;
  }
  /// Calls change(extras) as look() does.
  template <class Change>
  void change(std::uint64_t handle, const Record& record, Change&& change) {
    if (record.extras.load(std::memory_order_acquire) == 0) return;
    const base::MutexLock lock(mutex_);
    const std::uint32_t number = record.extras.load(std::memory_order_relaxed);
    if (number != 0 && record.is_live(handle)) change(entries_[number - 1]);
  }
  /// Calls look(extras) with the lock held if the record has an entry and is live under this
  /// handle.
  template <class Look>
  void look(std::uint64_t handle, const Record& record, Look&& look) const {
    if (record.extras.load(std::memory_order_acquire) == 0) return;
    const base::MutexLock lock(mutex_);
    const std::uint32_t number = record.extras.load(std::memory_order_relaxed);
    // Whoever claims the record drops its entry under this lock.
    if (number != 0 && record.is_live(handle)) look(entries_[number - 1]);
  }

 private:
  std::uint32_t take() QUARRY_REQUIRES(mutex_);
  void give_back(std::uint32_t number) QUARRY_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  base::ChunkedArray<Extras> entries_;
  std::uint32_t unused_ QUARRY_GUARDED_BY(mutex_) = 0;  ///< first of the unused entries; 0: none
};

}  // namespace quarry::heap
