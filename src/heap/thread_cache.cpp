// SPDX-License-Identifier: MIT
#include "heap/thread_cache.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/host_object.hpp"
#include "base/prefetch.hpp"

namespace quarry::heap {

namespace {

/// So that a magazine holds about 64 KiB, at least 8 slots and at most 64. The half of it, which is
/// what is taken from slabs at once, is of whole fours: the records of four lie apart from others.
std::uint32_t magazine_capacity(std::uint32_t size_class) {
  constexpr std::uint64_t kMagazineBytes = 64 << 10;
  const std::uint64_t slots = kMagazineBytes / offset::size_of_class(size_class);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(slots, 8, 64)) & ~7u;
}

/// The records were another thread's, perhaps: fetched all at once they cost one wait, not one
/// each.
void fetch_records(std::span<const Slot> slots) {
  for (const Slot& slot : slots)
    base::prefetch_for_write(slot.record);
}

}  // namespace

ThreadCache::ThreadCache(const HostMemory& host, Slabs& slabs, VkDeviceSize most_bytes,
                         std::uint32_t number) noexcept
    : number_(number), allowed_(most_bytes), host_(host), slabs_(slabs) {
  for (std::atomic<CacheSet*>& set : sets_)
    set.store(&no_set, std::memory_order_relaxed);
  if (!base::has_asymmetric_fence()) claims_.store(kBothFence, std::memory_order_relaxed);
}

ThreadCache::~ThreadCache() {
  for_each_bin([this](std::uint32_t, const CacheBin& bin) {
    if (bin.slots != nullptr) base::release_storage(host_, bin.loaded());
    base::release_storage(host_, bin.spare);
  });
  for (const std::atomic<CacheSet*>& each : sets_) {
    CacheSet* set = each.load(std::memory_order_relaxed);
    if (set != &no_set) base::destroy_object(host_, set);
  }
}

bool ThreadCache::enter_claimed() {
  busy_.store(1, std::memory_order_relaxed);
  base::full_fence();
  if ((claims_.load(std::memory_order_acquire) & kClaimed) == 0) return true;
  leave();
  return false;
}

void ThreadCache::claim() {
  claims_.fetch_or(kClaimed, std::memory_order_acq_rel);
  base::heavy_fence();
  while (busy_.load(std::memory_order_acquire) != 0)
    std::this_thread::yield();
}

CacheSet* ThreadCache::make_set(SlabSet& set) {
  CacheSet* made = base::create_object<CacheSet>(host_);
  if (made == nullptr) return nullptr;
  made->slabs = &set;
  made->memory_type = set.arena.traits().memory_type;
  for (std::uint32_t i = 0; i < offset::kSizeClasses; ++i)
    made->bins[i].slot_bytes = static_cast<std::uint32_t>(offset::size_of_class(i));
  sets_[set.number].store(made, std::memory_order_release);
  return made;
}

/// The bin's first use: a magazine, if what two of them hold is still allowed. Where it is not, the
/// bins that took it first make way now and then.
bool ThreadCache::prepare(CacheBin& bin, std::uint32_t size_class, std::uint64_t now,
                          Emptied& emptied) {
  if (bin.slots != nullptr) return true;
  const std::uint32_t capacity = magazine_capacity(size_class);
  const VkDeviceSize bytes = VkDeviceSize{2} * capacity * bin.slot_bytes;
  if (bytes > allowed_ - promised_) {
    if (bytes > allowed_ || slow_.get() < next_drain_) return false;
    (void)drain(now, emptied);
    next_drain_ = slow_.get() + kSlowBetweenDrains;
  }
  Magazine* magazine = Magazine::make(host_, capacity);
  if (magazine == nullptr) return false;
  promised_ += bytes;
  bin.room = capacity * static_cast<std::uint32_t>(sizeof(Slot));
  bin.slots = magazine->slots();
  return true;
}

ThreadCache::Refill ThreadCache::refill(SlabSet& set, std::uint32_t size_class, std::uint64_t now,
                                        Emptied& emptied) {
  slow_.add(1);
  CacheBin& bin = bin_of(set, size_class);
  if (!prepare(bin, size_class, now, emptied)) return Refill::no_magazine;
  if (bin.spare_count.get() != 0) {
    Magazine* full = std::exchange(bin.spare, bin.loaded());
    bin.slots = full->slots();
    bin.set_count(bin.spare_count.get());
    bin.spare_count.set(0);
    return Refill::filled;
  }
  if (Magazine* full = slabs_.take_full(set, size_class, *bin.loaded(), number_)) {
    load(bin, *full);
    return Refill::filled;
  }
  const std::uint32_t taken = slabs_.take(set, size_class, bin.slots, batch(bin));
  bin.told.add(static_cast<std::uint16_t>(taken));
  bin.set_count(taken);
  return taken != 0 ? Refill::filled : Refill::no_slots;
}

bool ThreadCache::refill_from_any_depot(SlabSet& set, std::uint32_t size_class) {
  CacheBin& bin = bin_of(set, size_class);
  Magazine* full = slabs_.take_any_full(set, size_class, *bin.loaded());
  if (full != nullptr) load(bin, *full);
  return full != nullptr;
}

/// The loaded magazine, an empty one, is the depot's.
void ThreadCache::load(CacheBin& bin, Magazine& full) {
  fetch_records(full.content());
  bin.slots = full.slots();
  bin.set_count(full.count);
  bin.told.add(static_cast<std::uint16_t>(full.count));
}

/// All that both magazines hold, which is the whole slab mostly: a thread's records then lie
/// together, where fetching ahead takes no line from another thread.
void ThreadCache::refill_from(Slab& slab, const Arena::Placed& range) {
  CacheBin& bin = bin_of(slabs_.set(slab.set()), slab.size_class());
  if (bin.spare == nullptr) bin.spare = Magazine::make(host_, bin.capacity());
  Slot slots[Slab::kMostSlots];
  const std::uint32_t capacity = bin.capacity();
  const std::uint32_t most = bin.spare == nullptr ? capacity : 2 * capacity;
  const std::uint32_t taken = slabs_.open(slab, range, slots, std::min(most, Slab::kMostSlots));
  // A spare magazine is full or empty.
  const std::uint32_t spare = taken > capacity ? capacity : 0;
  if (spare != 0) std::copy_n(slots, spare, bin.spare->slots());
  std::copy_n(slots + spare, taken - spare, bin.slots);
  bin.spare_count.set(static_cast<std::uint16_t>(spare));
  bin.set_count(taken - spare);
  bin.told.add(static_cast<std::uint16_t>(taken));
}

bool ThreadCache::make_room(SlabSet& set, std::uint32_t size_class, std::uint64_t now,
                            Emptied& emptied) {
  slow_.add(1);
  CacheBin& bin = bin_of(set, size_class);
  if (bin.slots == nullptr) return prepare(bin, size_class, now, emptied);
  if (bin.spare == nullptr) bin.spare = Magazine::make(host_, bin.capacity());
  if (bin.spare == nullptr) return false;
  if (const std::uint32_t full = bin.spare_count.get(); full != 0) {
    // Both are full. The spare one goes to the depot, or what it holds to the slabs.
    bin.spare->count = full;
    if (Magazine* empty = slabs_.put_full(set, size_class, *bin.spare, number_)) {
      bin.spare = empty;
    } else {
      slabs_.put(bin.spare->content(), now, emptied);
    }
    bin.told.add(static_cast<std::uint16_t>(0u - full));
    bin.spare_count.set(0);
  }
  Magazine* full = bin.loaded();
  bin.slots = std::exchange(bin.spare, full)->slots();
  bin.spare_count.set(static_cast<std::uint16_t>(bin.count()));
  bin.set_count(0);
  return true;
}

VkDeviceSize ThreadCache::drain(std::uint64_t now, Emptied& emptied) {
  VkDeviceSize bytes = 0;
  for_each_bin([&](std::uint32_t, CacheBin& bin) { bytes += drain(bin, now, emptied); });
  promised_ = 0;
  return bytes;
}

VkDeviceSize ThreadCache::drain(CacheBin& bin, std::uint64_t now, Emptied& emptied) {
  if (bin.slots == nullptr) return 0;
  const std::uint32_t cached = bin.cached();
  Magazine* loaded = bin.loaded();
  loaded->count = bin.count();
  slabs_.put(loaded->content(), now, emptied);
  base::release_storage(host_, loaded);
  if (Magazine* spare = std::exchange(bin.spare, nullptr)) {
    spare->count = bin.spare_count.get();
    slabs_.put(spare->content(), now, emptied);
    base::release_storage(host_, spare);
  }
  bin.slots = nullptr;
  bin.room = 0;
  bin.told.add(static_cast<std::uint16_t>(0u - cached));
  bin.set_count(0);
  bin.spare_count.set(0);
  return VkDeviceSize{cached} * bin.slot_bytes;
}

bool ThreadCache::fill_large(RecordTable& records) {
  base::InsertError error = base::InsertError::none;
  vacant_.count = records.take_large(vacant_.slots, LargeRecords::kMost / 2, error);
  return vacant_.count != 0;
}

void ThreadCache::halve_large(RecordTable& records) {
  vacant_.count /= 2;
  records.put_large({vacant_.slots + vacant_.count, LargeRecords::kMost - vacant_.count});
}

void ThreadCache::drain_large(RecordTable& records) {
  records.put_large({vacant_.slots, vacant_.count});
  vacant_.count = 0;
}

}  // namespace quarry::heap
