// SPDX-License-Identifier: MIT
// One custom pool: its arena, limits and figures. Never freed before the allocator, so that a call
// that lost a race with destroy_pool finds a closed pool and not a dead one; closed pools are used
// again for new ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <quarry/allocation.hpp>
#include <quarry/pool.hpp>

#include "heap/arena.hpp"
#include "heap/totals.hpp"

namespace quarry::heap {

class PoolState {
 public:
  PoolState() = default;
  PoolState(const PoolState&) = delete;
  PoolState& operator=(const PoolState&) = delete;

  /// Counts a live allocation, or a call under way; false when the pool is closed.
  bool enter() {
    std::int64_t users = users_.load(std::memory_order_relaxed);
    while (users >= 0) {
      if (users_.compare_exchange_weak(users, users + 1, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  void leave() { users_.fetch_sub(1, std::memory_order_release); }
  /// Only while nothing is in the pool and no call uses it.
  bool close() {
    std::int64_t none = 0;
    return users_.compare_exchange_strong(none, kClosed, std::memory_order_acquire,
                                          std::memory_order_relaxed);
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
  std::atomic<std::int64_t> users_{kClosed};
  std::atomic<VkDeviceSize> reserved_{0};
};

}  // namespace quarry::heap
