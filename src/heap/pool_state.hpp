// SPDX-License-Identifier: MIT
// One custom pool: its arena, limits and figures. Never freed before the allocator, so that a call
// that lost a race with destroy_pool finds a closed pool and not a dead one; closed pools are used
// again for new ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include <quarry/allocation.hpp>
#include <quarry/pool.hpp>

#include "heap/arena.hpp"
#include "heap/totals.hpp"

namespace quarry::heap {

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): its arena has cache lines of its own
class PoolState {
 public:
  PoolState() = default;
  PoolState(const PoolState&) = delete;
  PoolState& operator=(const PoolState&) = delete;

  /// Counts a live allocation, or a request under way; false when the pool is closed.
  bool enter() { return add(kUser); }
  void leave() { users_.fetch_sub(kUser, std::memory_order_release); }
  /// Counts a look at the pool, by a caller that lets go of it without calling its owner.
  bool begin_visit() { return add(kVisit); }
  void end_visit() { users_.fetch_sub(kVisit, std::memory_order_release); }
  /// False while anything is in the pool, or comes in. Waits for visits to end.
  bool close() {
    for (;;) {
      std::int64_t users = users_.load(std::memory_order_relaxed);
      if (users < 0 || users >= kUser) return false;
      if (users > 0) {
        std::this_thread::yield();
        continue;
      }
      if (users_.compare_exchange_weak(users, kClosed, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return true;
    }
  }
  void open() { users_.store(0, std::memory_order_release); }

  /// Takes bytes of the pool's hard limit; false when they would exceed it.
  bool try_reserve(VkDeviceSize bytes) {
    VkDeviceSize held = reserved_.load(std::memory_order_relaxed);
    do {
      if (desc.maximum_bytes != 0 &&
          (bytes > desc.maximum_bytes || held > desc.maximum_bytes - bytes))
        return false;
    } while (!reserved_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
    return true;
  }
  void release(VkDeviceSize bytes) { reserved_.fetch_sub(bytes, std::memory_order_relaxed); }
  VkDeviceSize bytes_left() const {
    return desc.maximum_bytes == 0 ? VK_WHOLE_SIZE
                                   : desc.maximum_bytes - reserved_.load(std::memory_order_relaxed);
  }

  // Constant while open.
  PoolDesc desc;  ///< `name` is null here
  std::optional<Arena> arena;
  Pool handle;
  char* name = nullptr;
  TotalsCell totals;
  PoolState* next = nullptr;  ///< every pool ever made

 private:
  static constexpr std::int64_t kClosed = INT64_MIN / 2;
  static constexpr std::int64_t kVisit = 1;
  static constexpr std::int64_t kUser = std::int64_t{1} << 20;  // more visits than threads

  bool add(std::int64_t what) {
    std::int64_t users = users_.load(std::memory_order_relaxed);
    while (users >= 0) {
      if (users_.compare_exchange_weak(users, users + what, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  std::atomic<std::int64_t> users_{kClosed};
  std::atomic<VkDeviceSize> reserved_{0};
};

}  // namespace quarry::heap
