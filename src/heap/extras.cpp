// SPDX-License-Identifier: MIT
#include "heap/extras.hpp"

#include <utility>

#include "base/host_string.hpp"

namespace quarry::heap {

ExtrasTable::~ExtrasTable() {
  for (std::uint32_t i = 0; i < entries_.size(); ++i)
    base::release_string(entries_.host(), entries_[i].name);
}

std::uint32_t ExtrasTable::take() {
  if (unused_ == 0) return entries_.emplace_back() == nullptr ? 0 : entries_.size();
  const std::uint32_t number = unused_;
  unused_ = std::exchange(entries_[number - 1].next, 0);
  return number;
}

void ExtrasTable::give_back(std::uint32_t number) {
  Extras& extras = entries_[number - 1];
  base::release_string(entries_.host(), std::exchange(extras.name, nullptr));
  extras.create_info = {};
  extras.pins = 0;
  extras.residence.reset();
  extras.next = std::exchange(unused_, number);
}

std::uint32_t ExtrasTable::make(const char* name) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t number = take();
  if (number == 0 || name == nullptr) return number;
  char* copy = base::copy_string(entries_.host(), name);
  if (copy == nullptr) {
    give_back(number);
    return 0;
  }
  entries_[number - 1].name = copy;
  return number;
}

void ExtrasTable::drop(std::uint32_t number) {
  if (number == 0) return;
  const base::MutexLock lock(mutex_);
  give_back(number);
}

void ExtrasTable::drop_from(Record& record) {
  if (record.extras.load() == 0) return;
  const base::MutexLock lock(mutex_);
  // rename() may have been here first.
  if (const std::uint32_t number = record.extras.exchange(0, std::memory_order_relaxed))
    give_back(number);
}

bool ExtrasTable::rename(std::uint64_t handle, Record& record, const char* name) {
  const base::MutexLock lock(mutex_);
  // Freed meanwhile: then there is nothing left to name.
  if (!record.is_live(handle)) return true;
  std::uint32_t number = record.extras.load(std::memory_order_relaxed);
  if (number == 0 && name == nullptr) return true;
  char* copy = nullptr;
  if (name != nullptr) {
    copy = base::copy_string(entries_.host(), name);
    if (copy == nullptr) return false;
  }
  if (number == 0) {
    number = take();
    if (number == 0) {
      base::release_string(entries_.host(), copy);
      return false;
    }
    entries_[number - 1].name = copy;
    std::uint32_t none = 0;
    const bool attached = record.extras.compare_exchange_strong(none, number);
    // Whoever frees it claims the record and then looks for an entry. Either that look saw this
    // one, or this one sees the claim.
    std::uint32_t ours = number;
    if (!attached || (!record.is_live(handle) && record.extras.compare_exchange_strong(ours, 0)))
      give_back(number);
    return true;
  }
  base::release_string(entries_.host(), std::exchange(entries_[number - 1].name, copy));
  return true;
}

void ExtrasTable::pin(std::uint64_t handle, Record& record) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t number = record.extras.load(std::memory_order_relaxed);
  if (number == 0 || !record.is_live(handle)) return;
  ++entries_[number - 1].pins;
  record.marks.fetch_or(Record::kPinned);
}

bool ExtrasTable::unpin(std::uint64_t handle, Record& record) {
  const base::MutexLock lock(mutex_);
  const std::uint32_t number = record.extras.load(std::memory_order_relaxed);
  if (number == 0 || !record.is_live(handle)) return true;
  std::uint32_t& pins = entries_[number - 1].pins;
  if (pins == 0) return false;
  if (--pins == 0) record.marks.fetch_and(~Record::kPinned);
  return true;
}

}  // namespace quarry::heap
