// SPDX-License-Identifier: MIT
#include "base/mutex.hpp"

namespace quarry::base {

constinit thread_local std::uint64_t LockCount::taken = 0;

void Mutex::wait() {
  // Locks are held for some hundred instructions, so a short look often spares the sleep.
  constexpr int kLooks = 200;
  for (int i = 0; i < kLooks; ++i) {
    std::uint32_t expected = kOpen;
    if (state_.load(std::memory_order_relaxed) == kOpen &&
        state_.compare_exchange_weak(expected, kTaken, std::memory_order_acquire,
                                     std::memory_order_relaxed))
      return LockCount::add();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kOpen)
    state_.wait(kAwaited, std::memory_order_relaxed);
  LockCount::add();
}

}  // namespace quarry::base
