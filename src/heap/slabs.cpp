// SPDX-License-Identifier: MIT
#include "heap/slabs.hpp"

#include <new>

#include "base/assert.hpp"
#include "base/bits.hpp"
#include "base/host_object.hpp"

namespace quarry::heap {

Magazine* Magazine::make(const HostMemory& host, std::uint32_t capacity) {
  static_assert(sizeof(Magazine) % alignof(Slot) == 0);
  void* memory =
      host.allocate(host.user, sizeof(Magazine) + capacity * sizeof(Slot), alignof(Magazine));
  if (memory == nullptr) return nullptr;
  auto* magazine = ::new (memory) Magazine;
  magazine->capacity = capacity;
  return magazine;
}

Slabs::~Slabs() {
  for_each_bin([this](SlabSet&, SlabBin& bin) {
    const base::MutexLock lock(bin.mutex);
    release(bin.depot);
    release(bin.empties);
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

template <class Visitor>
void Slabs::for_each_bin(Visitor&& visitor) {
  const std::uint32_t count = set_count_.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count; ++i) {
    SlabSet& each = set(i);
    for (SlabBin& bin : each.bins)
      visitor(each, bin);
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
  for (std::uint32_t i = 0; i < slab->slots; ++i)
    slab->records()[i].bin.set(slab->bin);
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

std::uint32_t Slabs::take_from(Slab& slab, Slot* slots, std::uint32_t most) const {
  std::uint32_t taken = 0;
  for (; taken < most && slab.free != 0; slab.free &= slab.free - 1)
    slots[taken++] = records_.slot(slab, slab.records()[base::lowest_bit(slab.free)]);
  return taken;
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
  SlabBin& bin = set.bins[size_class];
  const base::MutexLock lock(bin.mutex);
  return bin.open != nullptr || bin.depot != nullptr;
}

void Slabs::put(std::span<const Slot> slots, std::uint64_t now, Emptied& emptied) {
  if (slots.empty()) return;
  SlabSet& home = set(slots[0].record->bin.get() / offset::kSizeClasses);
  Slab* unused = nullptr;
  {
    SlabBin& bin = home.bins[slots[0].record->bin.get() % offset::kSizeClasses];
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

Magazine* Slabs::take_full(SlabSet& home, std::uint32_t size_class, Magazine& empty) {
  SlabBin& bin = home.bins[size_class];
  const base::MutexLock lock(bin.mutex);
  Magazine* full = bin.depot;
  if (full == nullptr) return nullptr;
  bin.depot = full->next;
  --bin.depot_size;
  ++bin.exchanges;
  empty.next = bin.empties;
  bin.empties = &empty;
  return full;
}

Magazine* Slabs::put_full(SlabSet& home, std::uint32_t size_class, Magazine& full) {
  SlabBin& bin = home.bins[size_class];
  const base::MutexLock lock(bin.mutex);
  if (bin.depot_size == kMostInDepot) return nullptr;
  Magazine* empty = bin.empties;
  if (empty != nullptr) {
    bin.empties = empty->next;
  } else {
    empty = Magazine::make(host_, full.capacity);
    if (empty == nullptr) return nullptr;
  }
  full.next = bin.depot;
  bin.depot = &full;
  ++bin.depot_size;
  ++bin.exchanges;
  return empty;
}

VkDeviceSize Slabs::drain_depots(bool all, std::uint64_t now, Emptied& emptied) {
  VkDeviceSize drained = 0;
  for_each_bin([&](SlabSet& home, SlabBin& bin) {
    Magazine* magazines = nullptr;
    Magazine* empties = nullptr;
    {
      const base::MutexLock lock(bin.mutex);
      if (all || bin.exchanges == 0) {
        magazines = std::exchange(bin.depot, nullptr);
        empties = std::exchange(bin.empties, nullptr);
        bin.depot_size = 0;
      }
      bin.exchanges = 0;
    }
    release(empties);
    const auto size_class = static_cast<std::uint32_t>(&bin - home.bins);
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

VkDeviceSize Slabs::depot_bytes() {
  VkDeviceSize bytes = 0;
  for_each_bin([&](SlabSet& home, SlabBin& bin) {
    const base::MutexLock lock(bin.mutex);
    for (const Magazine* magazine = bin.depot; magazine != nullptr; magazine = magazine->next)
      bytes +=
          magazine->count * offset::size_of_class(static_cast<std::uint32_t>(&bin - home.bins));
  });
  return bytes;
}

}  // namespace quarry::heap
