// SPDX-License-Identifier: MIT
#include "heap/slabs.hpp"

#include <new>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "base/host_object.hpp"

namespace quarry::heap {

Magazine* Magazine::make(const HostMemory& host, std::uint32_t capacity) {
  static_assert(sizeof(Magazine) % alignof(Slot) == 0);
  const std::size_t bytes = sizeof(Magazine) + capacity * sizeof(Slot);
  void* memory = host.allocate(
      host.user, static_cast<std::size_t>(base::align_up(bytes, base::kApart)), base::kApart);
  if (memory == nullptr) return nullptr;
  auto* magazine = ::new (memory) Magazine;
  magazine->capacity = capacity;
  return magazine;
}

Slabs::~Slabs() {
  for_each_depot([this](SlabSet& home, std::uint32_t size_class, std::uint32_t number) {
    Depot& depot = home.depots[number][size_class];
    const base::MutexLock lock(depot.mutex);
    release(depot.full);
    release(depot.empties);
  });
  for (std::uint32_t i = 0; i < set_count_.load(std::memory_order_relaxed); ++i)
    base::destroy_object(host_, sets_[i].load(std::memory_order_relaxed));
}

void Slabs::release(Magazine* magazines) {
  while (magazines != nullptr) {
    Magazine* next = magazines->next;
    base::release_storage(host_, magazines);
    magazines = next;
  }
}

/// Calls visitor(set, size class, number of the depot).
template <class Visitor>
void Slabs::for_each_depot(Visitor&& visitor) {
  const std::uint32_t count = set_count_.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t number = 0; number < SlabSet::kDepots; ++number) {
      for (std::uint32_t size_class = 0; size_class < offset::kSizeClasses; ++size_class)
        visitor(set(i), size_class, number);
    }
  }
}

SlabSet* Slabs::find_or_make(Arena& arena) {
  if (SlabSet* found = arena.slabs()) return found;
  const base::MutexLock lock(sets_mutex_);
  if (SlabSet* found = arena.slabs()) return found;
  const std::uint32_t number = set_count_.load(std::memory_order_relaxed);
  if (number == kMostSets) return nullptr;
  auto* made = base::create_object<SlabSet>(host_, arena, number);
  if (made == nullptr) return nullptr;
  sets_[number].store(made, std::memory_order_release);
  set_count_.store(number + 1, std::memory_order_release);
  arena.set_slabs(made);
  return made;
}

Slab* Slabs::make_slab(const SlabSet& home, std::uint32_t size_class) {
  Slab* slab = records_.take_slab(offset::slots_of_class(size_class));
  if (slab == nullptr) return nullptr;
  slab->bin = static_cast<std::uint16_t>(home.number * offset::kSizeClasses + size_class);
  for (std::uint32_t i = 0; i < slab->slots; ++i) {
    slab->records()[i].home.set.set(static_cast<std::uint8_t>(home.number));
    slab->records()[i].home.size_class.set(static_cast<std::uint8_t>(size_class));
  }
  return slab;
}

OffsetRequest Slabs::place_for(std::uint32_t size_class) {
  return {.size = offset::slots_of_class(size_class) * offset::size_of_class(size_class),
          .alignment = offset::alignment_of_class(size_class)};
}

OffsetRequest Slabs::place_for(const Slab& slab) {
  OffsetRequest request = place_for(slab.size_class());
  request.user = RecordTable::range_user(slab);
  return request;
}

std::uint32_t Slabs::open(Slab& slab, const Arena::Placed& range, Slot* slots, std::uint32_t most) {
  slab.block = range.block;
  slab.range = range.where.handle;
  slab.offset = range.where.offset;
  const std::uint32_t taken = take_from(slab, slots, most);
  SlabBin& bin = set(slab.set()).bins[slab.size_class()];
  const base::MutexLock lock(bin.mutex);
  if (slab.free != 0) link(bin, slab);
  return taken;
}

void Slabs::link(SlabBin& bin, Slab& slab) {
  slab.previous = nullptr;
  slab.next = bin.open;
  if (bin.open != nullptr) bin.open->previous = &slab;
  bin.open = &slab;
}

void Slabs::unlink(SlabBin& bin, Slab& slab) {
  (slab.previous == nullptr ? bin.open : slab.previous->next) = slab.next;
  if (slab.next != nullptr) slab.next->previous = slab.previous;
}

std::uint32_t Slabs::take_bits(Slab& slab, std::uint64_t wanted, Slot* slots,
                               std::uint32_t most) const {
  std::uint32_t taken = 0;
  for (; taken < most && wanted != 0; wanted &= wanted - 1) {
    const std::uint32_t slot = base::lowest_bit(wanted);
    slots[taken++] = records_.slot(slab, slab.records()[slot]);
    slab.free ^= std::uint64_t{1} << slot;
  }
  return taken;
}

/// First those whose records fill the bytes of base::kApart together, so that no other thread has a
/// record among those that the taker writes; then those that fill half of them.
std::uint32_t Slabs::take_from(Slab& slab, Slot* slots, std::uint32_t most) const {
  constexpr std::uint64_t kFirstOfFour = 0x1111'1111'1111'1111;
  constexpr std::uint64_t kFirstOfTwo = 0x5555'5555'5555'5555;
  static_assert(sizeof(void*) != 8 || base::kApart == 4 * sizeof(Record));
  const std::uint64_t pairs = slab.free & slab.free >> 1 & kFirstOfTwo;
  const std::uint64_t fours = pairs & pairs >> 2 & kFirstOfFour;
  std::uint32_t taken = take_bits(slab, fours * 15, slots, most);
  taken += take_bits(slab, slab.free & pairs * 3, slots + taken, most - taken);
  return taken + take_bits(slab, slab.free, slots + taken, most - taken);
}

std::uint32_t Slabs::take(SlabSet& set, std::uint32_t size_class, Slot* slots, std::uint32_t most) {
  SlabBin& bin = set.bins[size_class];
  const base::MutexLock lock(bin.mutex);
  std::uint32_t taken = 0;
  while (taken < most && bin.open != nullptr) {
    Slab& slab = *bin.open;
    taken += take_from(slab, slots + taken, most - taken);
    if (slab.free == 0) unlink(bin, slab);
  }
  return taken;
}

bool Slabs::has_free(SlabSet& set, std::uint32_t size_class) {
  for (auto& depots : set.depots) {
    if (depots[size_class].size.load(std::memory_order_relaxed) != 0) return true;
  }
  SlabBin& bin = set.bins[size_class];
  const base::MutexLock lock(bin.mutex);
  return bin.open != nullptr;
}

void Slabs::put(std::span<const Slot> slots, std::uint64_t now, Emptied& emptied) {
  if (slots.empty()) return;
  const Record::Home& bin_of_all = slots[0].record->home;
  SlabSet& home = set(bin_of_all.set.get());
  Slab* unused = nullptr;
  {
    SlabBin& bin = home.bins[bin_of_all.size_class.get()];
    const base::MutexLock lock(bin.mutex);
    for (const Slot& slot : slots) {
      Slab& slab = records_.slab_of(slot.handle);
      QUARRY_ASSERT(&home.bins[slab.size_class()] == &bin);
      if (slab.free == 0) link(bin, slab);
      slab.free |= std::uint64_t{1} << slab.slot_of(slot.handle);
      if (!slab.unused()) continue;
      unlink(bin, slab);
      slab.next = unused;
      unused = &slab;
    }
  }
  close_all(home, unused, now, emptied);
}

void Slabs::retire(std::uint64_t handle, Record& record, std::uint64_t now, Emptied& emptied) {
  Slab& slab = records_.slab_of(handle);
  SlabSet& home = set(slab.set());
  RecordTable::retire(record);
  {
    SlabBin& bin = home.bins[slab.size_class()];
    const base::MutexLock lock(bin.mutex);
    ++slab.retired;
    if (!slab.unused()) return;
    if (slab.free != 0) unlink(bin, slab);
    slab.next = nullptr;
  }
  close_all(home, &slab, now, emptied);
}

void Slabs::close_all(SlabSet& home, Slab* unused, std::uint64_t now, Emptied& emptied) {
  while (unused != nullptr) {
    Slab& slab = *unused;
    unused = slab.next;
    bool empty = false;
    const OffsetError error = home.arena.remove(*slab.block, slab.range, now, empty);
    QUARRY_CHECK(error == OffsetError::none);
    if (empty) emptied.heaps |= 1u << home.arena.traits().heap;
    records_.put_slab(slab);
  }
}

Magazine* Slabs::take_from_depot(SlabSet& home, std::uint32_t size_class, std::uint32_t number,
                                 Magazine& empty) {
  Depot& depot = home.depots[number][size_class];
  if (depot.size.load(std::memory_order_relaxed) == 0) return nullptr;
  const base::MutexLock lock(depot.mutex);
  Magazine* full = depot.full;
  if (full == nullptr) return nullptr;
  depot.full = full->next;
  if (depot.size.fetch_sub(1, std::memory_order_relaxed) == kWellStocked)
    home.bins[size_class].stocked.fetch_and(~(1u << number), std::memory_order_relaxed);
  ++depot.exchanges;
  empty.next = depot.empties;
  depot.empties = &empty;
  return full;
}

Magazine* Slabs::take_full(SlabSet& home, std::uint32_t size_class, Magazine& empty,
                           std::uint32_t thread) {
  const std::uint32_t own = thread % SlabSet::kDepots;
  if (Magazine* full = take_from_depot(home, size_class, own, empty)) return full;
  const std::uint32_t stocked = home.bins[size_class].stocked.load(std::memory_order_relaxed);
  // From the next one on, so that not all take from the same.
  const std::uint32_t behind = stocked & ~0u << own;
  if (stocked == 0) return nullptr;
  return take_from_depot(home, size_class, base::lowest_bit(behind != 0 ? behind : stocked), empty);
}

Magazine* Slabs::take_any_full(SlabSet& home, std::uint32_t size_class, Magazine& empty) {
  for (std::uint32_t i = 0; i < SlabSet::kDepots; ++i) {
    if (Magazine* full = take_from_depot(home, size_class, i, empty)) return full;
  }
  return nullptr;
}

Magazine* Slabs::put_full(SlabSet& home, std::uint32_t size_class, Magazine& full,
                          std::uint32_t thread) {
  const std::uint32_t own = thread % SlabSet::kDepots;
  Depot& depot = home.depots[own][size_class];
  const base::MutexLock lock(depot.mutex);
  if (depot.size.load(std::memory_order_relaxed) == kMostInDepot) return nullptr;
  Magazine* empty = depot.empties;
  if (empty != nullptr) {
    depot.empties = empty->next;
  } else {
    empty = Magazine::make(host_, full.capacity);
    if (empty == nullptr) return nullptr;
  }
  full.next = depot.full;
  depot.full = &full;
  if (depot.size.fetch_add(1, std::memory_order_relaxed) + 1 == kWellStocked)
    home.bins[size_class].stocked.fetch_or(1u << own, std::memory_order_relaxed);
  ++depot.exchanges;
  return empty;
}

VkDeviceSize Slabs::drain_depots(bool all, std::uint64_t now, Emptied& emptied) {
  VkDeviceSize drained = 0;
  for_each_depot([&](SlabSet& home, std::uint32_t size_class, std::uint32_t number) {
    Depot& depot = home.depots[number][size_class];
    Magazine* magazines = nullptr;
    Magazine* empties = nullptr;
    {
      const base::MutexLock lock(depot.mutex);
      if (all || depot.exchanges == 0) {
        magazines = std::exchange(depot.full, nullptr);
        empties = std::exchange(depot.empties, nullptr);
        depot.size.store(0, std::memory_order_relaxed);
        home.bins[size_class].stocked.fetch_and(~(1u << number), std::memory_order_relaxed);
      }
      depot.exchanges = 0;
    }
    release(empties);
    while (magazines != nullptr) {
      Magazine* next = magazines->next;
      drained += magazines->count * offset::size_of_class(size_class);
      put(magazines->content(), now, emptied);
      base::release_storage(host_, magazines);
      magazines = next;
    }
  });
  return drained;
}

}  // namespace quarry::heap
