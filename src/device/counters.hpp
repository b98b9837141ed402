// SPDX-License-Identifier: MIT
// Counts of the driver calls that cost: the driver_* members of quarry::Counters.
#pragma once

#include <atomic>
#include <cstdint>

#include <quarry/statistics.hpp>

namespace quarry::device {

/// Each call is counted, whether it succeeds or not. Any thread; relaxed, so figures of one moment
/// need not agree.
struct DriverCounters {
  std::atomic<std::uint64_t> allocations{0};
  std::atomic<std::uint64_t> frees{0};
  std::atomic<std::uint64_t> maps{0};
  std::atomic<std::uint64_t> budget_queries{0};

  static void count(std::atomic<std::uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
  }
  /// Fills the driver_* members, leaves the rest.
  void read_into(Counters& counters) const {
    counters.driver_allocations = allocations.load(std::memory_order_relaxed);
    counters.driver_frees = frees.load(std::memory_order_relaxed);
    counters.driver_maps = maps.load(std::memory_order_relaxed);
    counters.driver_budget_queries = budget_queries.load(std::memory_order_relaxed);
  }
};

}  // namespace quarry::device
