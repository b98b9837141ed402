// SPDX-License-Identifier: MIT
// A bounded queue from one thread to one other. What is pushed is seen once it is published, and
// each side keeps a copy of the other's position, so that the shared lines move once a batch and
// not with every value. After Lamport: "Specifying Concurrent Program Modules", 1983.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace quarry::bench {

class SpscRing {
 public:
  static constexpr std::size_t kCapacity = 1024;

  /// By the sending thread. False: full.
  bool push(std::uint64_t value) {
    if (pushed_ - tail_seen_ == kCapacity) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (pushed_ - tail_seen_ == kCapacity) return false;
    }
    values_[pushed_++ % kCapacity] = value;
    return true;
  }
  /// By the sending thread: what was pushed may be popped.
  void publish() { head_.store(pushed_, std::memory_order_release); }
  /// By the receiving thread. False: empty.
  bool pop(std::uint64_t& value) {
    const std::size_t at = tail_.load(std::memory_order_relaxed);
    if (at == head_seen_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (at == head_seen_) return false;
    }
    value = values_[at % kCapacity];
    tail_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  alignas(128) std::size_t pushed_ = 0;  // the sender's
  std::size_t tail_seen_ = 0;
  alignas(128) std::atomic<std::size_t> head_{0};
  alignas(128) std::size_t head_seen_ = 0;  // the receiver's
  std::atomic<std::size_t> tail_{0};
  alignas(128) std::array<std::uint64_t, kCapacity> values_{};
};

}  // namespace quarry::bench
