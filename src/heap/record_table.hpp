// SPDX-License-Identifier: MIT
// All records behind their handles: stale, doubly freed and foreign handles are found out. Host
// memory of records is kept for reuse and never given back while the table lives, so that a handle
// may be looked up beside everything else. A record whose generation would wrap is retired.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/chunked_array.hpp"
#include "base/handle.hpp"
#include "base/mutex.hpp"
#include "base/paged_array.hpp"
#include "base/slot_map.hpp"
#include "heap/record.hpp"
#include "heap/slab.hpp"

namespace quarry::heap {

/// Any thread may call any member beside any other. Looking up, claiming and vacating take no lock.
class RecordTable {
 public:
  using Status = base::HandleStatus;
  struct Lookup {
    Record* record = nullptr;  ///< null unless live
    Status status = Status::stale;
    explicit operator bool() const { return record != nullptr; }
  };

  RecordTable(const HostMemory& host, std::uint8_t owner,
              std::uint32_t last_generation = base::kHandleMaxGeneration)
      : large_(host),
        pages_(host),
        first_state_(state_of(base::encode_handle({0, 0, owner}))),
        last_generation_(last_generation),
        owner_(owner) {}
  RecordTable(const RecordTable&) = delete;
  RecordTable& operator=(const RecordTable&) = delete;
  ~RecordTable();

  // ---- Handles
  Lookup lookup(std::uint64_t handle);
  /// Ends the handle's validity; of several concurrent claims exactly one succeeds.
  Lookup claim(std::uint64_t handle);
  /// Undoes a claim.
  static void unclaim(std::uint64_t handle, Record& record) {
    record.state.store(Record::live_state(handle), std::memory_order_release);
  }
  /// Gives a vacant record's handle out: it is valid from here on.
  static void publish(std::uint64_t handle, Record& record) {
    record.state.store(Record::live_state(handle), std::memory_order_release);
  }
  /// The same for a record that was found for this handle; false when it is not live under it.
  static bool claim(std::uint64_t handle, Record& record);
  /// Whether a slot has or had this handle; false, too, for one that has no successor.
  bool has_slot(std::uint64_t handle) const {
    return has_successor(handle) && index_of(handle) / kRow < row_count();
  }
  /// Precondition: has_slot().
  Record& slot_record(std::uint64_t handle) const { return record_at(index_of(handle)); }
  /// The record that any other allocation with this handle has or had; null for other handles, and
  /// for one that has no successor.
  LargeRecord* find_large(std::uint64_t handle);
  /// Whether it is a handle of this table after which its record can have another.
  bool has_successor(std::uint64_t handle) const {
    return state_of(handle) - first_state_ < last_generation_;
  }
  static std::uint64_t successor(std::uint64_t handle) {
    return handle + (std::uint64_t{1} << base::kHandleIndexBits);
  }
  /// Of a claimed record that has a successor: vacant, waiting for that handle.
  static void vacate(std::uint64_t handle, Record& record) {
    record.state.store((Record::live_state(handle) + 1) ^ Record::kVacant,
                       std::memory_order_release);
  }
  static bool is_slot(std::uint64_t handle) { return (handle & kLargeBit) == 0; }
  /// Precondition: live or claimed by the caller.
  Location location(std::uint64_t handle, const Record& record);
  /// Where an allocation that is moved lies, and the resource there.
  struct Place {
    Block* block = nullptr;
    OffsetHandle range;
    VkDeviceSize offset = 0;
    std::uint64_t resource = 0;
  };
  /// Precondition: moving; one call at a time.
  void relocate(LargeRecord& record, const Place& place);
  /// Two records lie where the other did, with its size and resource. Precondition: one is moving,
  /// the other claimed by the caller; one call at a time.
  void exchange_places(LargeRecord& first, LargeRecord& second);
  /// Precondition: of a slot that was made.
  Slab& slab_of(std::uint64_t handle) const { return slab_of_row(index_of(handle) / kRow); }

  // ---- Large records
  /// A vacant record and its handle to be; a null record without host memory, or beyond 2^27.
  Slot take_large(base::InsertError& error);
  /// Up to `most` at once; how many there were.
  std::uint32_t take_large(Slot* slots, std::uint32_t most, base::InsertError& error);
  /// Gives vacant records back, with the handles that they would get next.
  void put_large(std::span<const Slot> slots);
  /// Of a claimed one: gives it back, or retires it.
  void release_large(std::uint64_t handle, Record& record);

  // ---- Slabs
  /// A slab without a place, whose slots are free but for retired ones; null without host memory.
  Slab* take_slab(std::uint32_t slots);
  /// Precondition: unused.
  void put_slab(Slab& slab);
  /// What stands as the owner's value of a slab's range in its block. Never that of an allocation,
  /// which is its handle.
  static std::uint64_t range_user(const Slab& slab) { return std::uint64_t{slab.first_index} + 1; }
  /// The slab of such a value; null for any other.
  Slab* slab_of_range(std::uint64_t user) {
    const std::uint32_t row = static_cast<std::uint32_t>(user - 1) / kRow;
    return user == 0 || user > kLargeBit || row >= row_count() ? nullptr : &slab_of_row(row);
  }
  Slot slot(const Slab& slab, Record& record) const {
    const auto index = slab.first_index + static_cast<std::uint32_t>(&record - slab.records());
    return {&record, handle_of(index, record.state.load(std::memory_order_relaxed))};
  }
  /// The handle of a slot that is live now; 0: it is not.
  std::uint64_t live_handle(const Slab& slab, std::uint32_t slot) const {
    const std::uint32_t state = slab.records()[slot].state.load(std::memory_order_acquire);
    const std::uint64_t handle = handle_of(slab.first_index + slot, state);
    return state == Record::live_state(handle) ? handle : 0;
  }
  /// Marks a claimed record whose handle has no successor: neither live nor vacant under any
  /// handle.
  static void retire(Record& record) {
    record.state.fetch_xor(Record::kVacant, std::memory_order_release);
  }

  /// Calls visit(handle, record) for each live one. Callers see to it that nobody frees meanwhile.
  template <class Visit>
  void for_each(Visit&& visit) {
    const std::uint32_t count = row_count() * kRow;
    for (std::uint32_t i = 0; i < count; ++i)
      visit_live(i, record_at(i), visit);
    for (std::uint32_t i = 0; i < large_.size(); ++i)
      visit_live(i | kLargeBit, large_[i], visit);
  }

 private:
  static constexpr std::uint32_t kLargeBit = 1u << (base::kHandleIndexBits - 1);
  static constexpr std::uint32_t kRow = 8;    ///< records; slabs have whole rows
  static constexpr std::uint32_t kKinds = 4;  ///< 8, 16, 32 and 64 slots
  static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

  /// Where the records of 64 rows are. The address of a record is that of its row plus its size
  /// times its whole index, so that the index need not be taken apart again.
  struct RowPage {
    static constexpr std::uint32_t kRows = 64;
    std::uintptr_t records[kRows];
    Slab* slabs[kRows];
  };

  /// Generation and owner.
  static std::uint64_t state_of(std::uint64_t handle) { return handle >> base::kHandleIndexBits; }
  std::uint32_t row_count() const { return row_count_.load(std::memory_order_acquire); }
  Slab& slab_of_row(std::uint32_t row) const {
    return *pages_[row / RowPage::kRows].slabs[row % RowPage::kRows];
  }
  /// Precondition: in a row that is there.
  Record& record_at(std::uint32_t index) const {
    const std::uint32_t row = index / kRow;
    const std::uintptr_t records = pages_[row / RowPage::kRows].records[row % RowPage::kRows];
    // NOLINTNEXTLINE(performance-no-int-to-ptr): see RowPage
    return *reinterpret_cast<Record*>(records + std::uintptr_t{index} * sizeof(Record));
  }
  bool add_rows(Slab& slab) QUARRY_REQUIRES(mutex_);

  static std::uint32_t index_of(std::uint64_t handle) {
    return static_cast<std::uint32_t>(handle) & base::kHandleMaxIndex;
  }
  /// With the generation of a state.
  std::uint64_t handle_of(std::uint32_t index, std::uint32_t state) const {
    return base::encode_handle({index, state & base::kHandleMaxGeneration, owner_});
  }
  /// Whether a record can be given out: neither live, claimed nor retired.
  bool is_vacant(const Record& record) const {
    const std::uint32_t state = record.state.load(std::memory_order_relaxed);
    return state == (Record::live_state(handle_of(0, state)) ^ Record::kVacant);
  }
  template <class Visit>
  void visit_live(std::uint32_t index, Record& record, Visit& visit) {
    const std::uint32_t state = record.state.load(std::memory_order_acquire);
    const std::uint64_t handle = handle_of(index, state);
    if (((state ^ Record::live_state(handle)) & ~Record::kMoving) == 0) visit(handle, record);
  }
  Record* find(std::uint64_t handle) {
    const std::uint32_t index = index_of(handle);
    if ((index & kLargeBit) == 0) {
      return index / kRow < row_count() ? &record_at(index) : nullptr;
    }
    const std::uint32_t large = index & ~kLargeBit;
    return large < large_.size() ? &large_[large] : nullptr;
  }
  Slot take_large_locked(base::InsertError& error) QUARRY_REQUIRES(mutex_);
  Slab* make_slab(std::uint32_t slots) QUARRY_REQUIRES(mutex_);

  std::atomic<std::uint32_t> moves_{0};  ///< twice the moves so far
  base::ChunkedArray<LargeRecord> large_;
  base::PagedArray<RowPage, 1> pages_;
  std::atomic<std::uint32_t> row_count_{0};
  const std::uint64_t first_state_;  ///< state_of() generation 0
  const std::uint64_t last_generation_;
  const std::uint8_t owner_;
  /// A leaf: only the host callbacks are called with it held. On a line that lookups do not read.
  alignas(64) base::Mutex mutex_;
  std::uint32_t vacant_large_ QUARRY_GUARDED_BY(mutex_) = kNone;
  Slab* unused_[kKinds] QUARRY_GUARDED_BY(mutex_) = {};
};

inline RecordTable::Lookup RecordTable::lookup(std::uint64_t handle) {
  if (handle >> (base::kHandleIndexBits + base::kHandleGenerationBits) != owner_)
    return {nullptr, handle == 0 ? Status::stale : Status::foreign};
  Record* record = find(handle);
  if (record == nullptr || !record->is_live(handle)) return {};
  return {record, Status::live};
}

inline LargeRecord* RecordTable::find_large(std::uint64_t handle) {
  const std::uint32_t large = index_of(handle) ^ kLargeBit;
  return has_successor(handle) && large < large_.size() ? &large_[large] : nullptr;
}

inline bool RecordTable::claim(std::uint64_t handle, Record& record) {
  std::uint32_t expected = Record::live_state(handle);
  return record.state.compare_exchange_strong(expected, expected ^ Record::kClaimed);
}

inline RecordTable::Lookup RecordTable::claim(std::uint64_t handle) {
  const Lookup found = lookup(handle);
  return found && claim(handle, *found.record)
             ? found
             : Lookup{nullptr, found ? Status::stale : found.status};
}

}  // namespace quarry::heap
