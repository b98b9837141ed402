// SPDX-License-Identifier: MIT
// Readers: who looks at a block that it found through a record, so that a mover may wait until
// nobody looks at the place where something lay before. Two counters by turns, so that readers who
// come later are not waited for (McKenney and Walpole, "What is RCU, Fundamentally?", 2007, the
// counting kind).
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "base/mutex.hpp"

namespace quarry::heap {

class Readers {
 public:
  /// Holds off whoever waits, while it lives.
  class Section {
   public:
    Section() = default;
    explicit Section(Readers& readers) : count_(readers.enter()) {}
    Section(Section&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
    Section& operator=(Section&& other) noexcept {
      std::swap(count_, other.count_);
      return *this;
    }
    ~Section() {
      if (count_ != nullptr) count_->fetch_sub(1);
    }

   private:
    std::atomic<std::uint32_t>* count_ = nullptr;
  };

  /// Returns once every section that had begun has ended. Never from within a section.
  void wait() {
    const base::MutexLock lock(waiting_);
    const std::uint32_t turn = turn_.fetch_add(1);
    while (inside_[turn % 2].load() != 0)
      std::this_thread::yield();
  }

 private:
  std::atomic<std::uint32_t>* enter() {
    for (;;) {
      const std::uint32_t turn = turn_.load();
      std::atomic<std::uint32_t>& count = inside_[turn % 2];
      count.fetch_add(1);
      if (turn_.load() == turn) return &count;
      count.fetch_sub(1);
    }
  }

  base::Mutex waiting_;  ///< over a wait; taken with no other lock held
  std::atomic<std::uint32_t> turn_{0};
  std::atomic<std::uint32_t> inside_[2]{};
};

}  // namespace quarry::heap
