// SPDX-License-Identifier: MIT
#include "heap/arena_table.hpp"

#include <new>

namespace quarry::heap {

ArenaTable::~ArenaTable() {
  Arena* arena = newest_.load(std::memory_order_relaxed);
  while (arena != nullptr) {
    Arena* older = arena->older();
    arena->~Arena();
    host_.release(host_.user, arena);
    arena = older;
  }
}

Arena* ArenaTable::find_or_make(const ArenaTraits& traits) {
  std::atomic<Arena*>& wanted = slots_[slot(traits)];
  if (Arena* found = wanted.load(std::memory_order_acquire)) return found;
  const base::MutexLock lock(mutex_);
  if (Arena* found = wanted.load(std::memory_order_relaxed)) return found;
  void* memory = host_.allocate(host_.user, sizeof(Arena), alignof(Arena));
  if (memory == nullptr) return nullptr;
  auto* made =
      ::new (memory) Arena(traits, host_, newest_.load(std::memory_order_relaxed), most_shards_);
  newest_.store(made, std::memory_order_release);
  wanted.store(made, std::memory_order_release);
  return made;
}

}  // namespace quarry::heap
