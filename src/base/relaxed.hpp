// SPDX-License-Identifier: MIT
// Relaxed: a figure that one thread at a time writes, without a read-modify-write instruction, and
// any thread reads.
#pragma once

#include <atomic>

namespace quarry::base {

template <class T>
class Relaxed {
 public:
  Relaxed() = default;
  explicit Relaxed(T value) : value_(value) {}

  T get() const { return value_.load(std::memory_order_relaxed); }
  void set(T value) { value_.store(value, std::memory_order_relaxed); }
  /// The writer's alone.
  void add(T amount) { set(static_cast<T>(get() + amount)); }

 private:
  std::atomic<T> value_{};
};

}  // namespace quarry::base
