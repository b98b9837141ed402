// SPDX-License-Identifier: MIT
// The dedicated allocations, so that displays and the leak report find them. Intrusive; constant
// time.
#pragma once

#include "base/mutex.hpp"
#include "heap/block.hpp"

namespace quarry::heap {

/// Thread-safe. Its lock is a leaf.
class DedicatedList {
 public:
  void insert(Block& block) {
    const base::MutexLock lock(mutex_);
    block.previous = nullptr;
    block.next = first_;
    if (first_ != nullptr) first_->previous = &block;
    first_ = &block;
  }
  void remove(Block& block) {
    const base::MutexLock lock(mutex_);
    (block.previous == nullptr ? first_ : block.previous->next) = block.next;
    if (block.next != nullptr) block.next->previous = block.previous;
  }
  /// Another allocation of so many bytes is what lies there.
  void set_allocation(Block& block, Allocation allocation, VkDeviceSize bytes) {
    const base::MutexLock lock(mutex_);
    block.allocation = allocation;
    block.used_bytes = bytes;
  }
  /// Takes out any; null when there is none.
  Block* take_any() {
    const base::MutexLock lock(mutex_);
    Block* block = first_;
    if (block != nullptr) {
      first_ = block->next;
      if (first_ != nullptr) first_->previous = nullptr;
    }
    return block;
  }
  /// Calls visitor(block) for each, lock held.
  template <class Visitor>
  void for_each(Visitor&& visitor) const {
    const base::MutexLock lock(mutex_);
    for (Block* block = first_; block != nullptr; block = block->next)
      visitor(*block);
  }

 private:
  mutable base::Mutex mutex_;
  Block* first_ QUARRY_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace quarry::heap
