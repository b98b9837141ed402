// SPDX-License-Identifier: MIT
#include "heap/record_table.hpp"

#include <new>
#include <utility>

#include "base/assert.hpp"
#include "base/bits.hpp"

namespace quarry::heap {

namespace {

std::uint32_t kind_of(std::uint32_t slots) {
  return base::floor_log2(slots / 8);
}

}  // namespace

RecordTable::~RecordTable() {
  for (std::uint32_t row = 0; row < row_count(); ++row) {
    Slab& slab = slab_of_row(row);
    // The last row of a slab ends it, so that no row is read after its slab.
    if ((row + 1) * kRow == slab.first_index + slab.slots)
      base::release_storage(pages_.host(), &slab);
  }
}

Location RecordTable::location(std::uint64_t handle, const Record& record) {
  if (is_slot(handle)) {
    const Slab& slab = slab_of(handle);
    return slab.location(slab.slot_of(handle));
  }
  const auto& large = static_cast<const LargeRecord&>(record);
  for (;;) {
    // Odd while some record's place changes, which takes a few instructions.
    const std::uint32_t before = moves_.load(std::memory_order_acquire);
    const Location where{large.block.load(std::memory_order_acquire),
                         large.offset.load(std::memory_order_acquire),
                         large.size.load(std::memory_order_acquire)};
    if (moves_.load(std::memory_order_relaxed) == before && before % 2 == 0) return where;
  }
}

void RecordTable::relocate(LargeRecord& record, const Place& place) {
  // A sequence lock (Boehm, "Can Seqlocks Get Along with Programming Language Memory Models?",
  // 2012) for all records together: moves are rare.
  moves_.fetch_add(1, std::memory_order_relaxed);
  record.block.store(place.block, std::memory_order_release);
  record.offset.store(place.offset, std::memory_order_release);
  record.range = place.range;
  record.resource = place.resource;
  moves_.fetch_add(1, std::memory_order_release);
}

void RecordTable::exchange_places(LargeRecord& first, LargeRecord& second) {
  moves_.fetch_add(1, std::memory_order_relaxed);
  const auto exchange = [](auto& one, auto& other) {
    const auto held = one.load(std::memory_order_relaxed);
    one.store(other.load(std::memory_order_relaxed), std::memory_order_release);
    other.store(held, std::memory_order_release);
  };
  exchange(first.block, second.block);
  exchange(first.offset, second.offset);
  exchange(first.size, second.size);
  std::swap(first.range, second.range);
  std::swap(first.resource, second.resource);
  moves_.fetch_add(1, std::memory_order_release);
}

Slot RecordTable::take_large(base::InsertError& error) {
  const base::MutexLock lock(mutex_);
  return take_large_locked(error);
}

std::uint32_t RecordTable::take_large(Slot* slots, std::uint32_t most, base::InsertError& error) {
  const base::MutexLock lock(mutex_);
  std::uint32_t taken = 0;
  while (taken < most) {
    slots[taken] = take_large_locked(error);
    if (slots[taken].record == nullptr) break;
    ++taken;
  }
  return taken;
}

Slot RecordTable::take_large_locked(base::InsertError& error) {
  std::uint32_t index = vacant_large_;
  if (index != kNone) {
    LargeRecord& record = large_[index];
    vacant_large_ = static_cast<std::uint32_t>(record.resource);
    return {&record, handle_of(index | kLargeBit, record.state.load(std::memory_order_relaxed))};
  }
  index = large_.size();
  error = base::InsertError::full;
  if (index >= kLargeBit) return {};
  error = base::InsertError::out_of_host_memory;
  const std::uint64_t handle = handle_of(index | kLargeBit, 1);
  LargeRecord* record = large_.emplace_back(handle);
  if (record == nullptr) return {};
  error = base::InsertError::none;
  return {record, handle};
}

void RecordTable::put_large(std::span<const Slot> slots) {
  const base::MutexLock lock(mutex_);
  for (const Slot& slot : slots) {
    slot.record->resource = vacant_large_;
    vacant_large_ = index_of(slot.handle) & ~kLargeBit;
  }
}

void RecordTable::release_large(std::uint64_t handle, Record& record) {
  if (!has_successor(handle)) {
    retire(record);
    return;
  }
  vacate(handle, record);
  const Slot slot{&record, successor(handle)};
  put_large({&slot, 1});
}

Slab* RecordTable::make_slab(std::uint32_t slots) {
  const HostMemory& host = pages_.host();
  const std::uint32_t first = row_count() * kRow;
  if (first + slots > kLargeBit) return nullptr;
  void* memory = host.allocate(host.user, sizeof(Slab) + slots * sizeof(Record), alignof(Slab));
  if (memory == nullptr) return nullptr;
  auto* slab = ::new (memory) Slab;
  slab->first_index = first;
  slab->slots = static_cast<std::uint8_t>(slots);
  Record* records = slab->records();
  for (std::uint32_t i = 0; i < slots; ++i)
    ::new (static_cast<void*>(records + i)) Record(handle_of(first + i, 1));
  if (!add_rows(*slab)) {
    host.release(host.user, memory);
    return nullptr;
  }
  return slab;
}

/// False, with nothing changed that counts, without host memory.
bool RecordTable::add_rows(Slab& slab) {
  const std::uint32_t first = row_count();
  const std::uint32_t end = first + slab.slots / kRow;
  while (pages_.size() * RowPage::kRows < end) {
    if (!pages_.append(1, [](std::uint32_t) { return RowPage{}; })) return false;
  }
  const std::uintptr_t records = reinterpret_cast<std::uintptr_t>(slab.records()) -
                                 std::uintptr_t{slab.first_index} * sizeof(Record);
  for (std::uint32_t row = first; row < end; ++row) {
    RowPage& page = pages_[row / RowPage::kRows];
    page.records[row % RowPage::kRows] = records;
    page.slabs[row % RowPage::kRows] = &slab;
  }
  row_count_.store(end, std::memory_order_release);
  return true;
}

Slab* RecordTable::take_slab(std::uint32_t slots) {
  const base::MutexLock lock(mutex_);
  Slab*& unused = unused_[kind_of(slots)];
  Slab* slab = unused;
  if (slab == nullptr) {
    slab = make_slab(slots);
    if (slab == nullptr) return nullptr;
  } else {
    unused = slab->next;
  }
  slab->free = 0;
  slab->retired = 0;
  slab->previous = slab->next = nullptr;
  for (std::uint32_t i = 0; i < slots; ++i) {
    if (is_vacant(slab->records()[i])) {
      slab->free |= std::uint64_t{1} << i;
    } else {
      ++slab->retired;
    }
  }
  return slab;
}

void RecordTable::put_slab(Slab& slab) {
  QUARRY_ASSERT(slab.unused());
  // One that is worn out by half is not worth its range.
  if (slab.retired * 2u > slab.slots) return;
  const base::MutexLock lock(mutex_);
  Slab*& unused = unused_[kind_of(slab.slots)];
  slab.next = unused;
  unused = &slab;
}

}  // namespace quarry::heap
