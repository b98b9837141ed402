// SPDX-License-Identifier: MIT
#include "observe/live_ids.hpp"

#include <utility>

namespace quarry::observe {

bool SlotNumbers::take(std::uint32_t& slot) {
  if (!free_.empty()) {
    slot = free_.back();
    free_.pop_back();
    is_live_[slot] = 1;
    return true;
  }
  constexpr std::size_t kMostSlots = 0xFFFF'FFFEu;
  if (is_live_.size() >= kMostSlots) return false;
  slot = static_cast<std::uint32_t>(is_live_.size());
  if (!is_live_.push_back(1)) return false;
  if (free_.reserve(is_live_.capacity())) return true;
  is_live_.pop_back();
  return false;
}

bool SlotNumbers::give_back(std::uint64_t slot) {
  if (slot >= is_live_.size()) return false;
  std::uint8_t& live = is_live_[static_cast<std::size_t>(slot)];
  if (live == 0) return false;
  live = 0;
  return free_.push_back(static_cast<std::uint32_t>(slot));
}

std::size_t LiveIds::home(std::uint64_t id) const {
  const std::uint64_t mixed = (id ^ (id >> 32)) * 0x9E37'79B9'7F4A'7C15u;
  return static_cast<std::size_t>(mixed >> 32) & (entries_.size() - 1);
}

std::size_t LiveIds::find(std::uint64_t id) const {
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = home(id);
  while (entries_[at].slot != kEmpty && entries_[at].id != id)
    at = (at + 1) & mask;
  return at;
}

bool LiveIds::contains(std::uint64_t id) const {
  return !entries_.empty() && entries_[find(id)].slot != kEmpty;
}

bool LiveIds::make_room() {
  if (count_ * 2 < entries_.size()) return true;
  constexpr std::size_t kFirst = 64;
  base::HostArray<Entry> old(entries_.host());
  if (!old.resize(entries_.empty() ? kFirst : entries_.size() * 2)) return false;
  std::swap(old, entries_);
  for (const Entry& entry : old) {
    if (entry.slot != kEmpty) entries_[find(entry.id)] = entry;
  }
  return true;
}

bool LiveIds::add(std::uint64_t id) {
  std::uint32_t slot = 0;
  if (!make_room() || !numbers_.take(slot)) return false;
  entries_[find(id)] = {id, slot};
  ++count_;
  return true;
}

std::uint32_t LiveIds::remove(std::uint64_t id) {
  std::size_t gap = find(id);
  const std::uint32_t slot = entries_[gap].slot;
  (void)numbers_.give_back(slot);
  --count_;
  // Entries behind the gap move up unless that would take them before their home.
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t at = (gap + 1) & mask; entries_[at].slot != kEmpty; at = (at + 1) & mask) {
    const std::size_t from_home = (at - home(entries_[at].id)) & mask;
    const std::size_t from_gap = (at - gap) & mask;
    if (from_home < from_gap) continue;
    entries_[gap] = entries_[at];
    gap = at;
  }
  entries_[gap].slot = kEmpty;
  return slot;
}

}  // namespace quarry::observe
