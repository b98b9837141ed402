// SPDX-License-Identifier: MIT
// Running totals of one scope (heap, memory type, pool, tag, all): atomics that every operation
// keeps up to date, but for what a thread's ledger still holds (ledger.hpp). Currents together with
// the ledgers are exact when no operation is under way; a peak of allocation bytes may miss what
// ledgers hold, and an overlap of two concurrent operations by one of them.
#pragma once

#include <atomic>
#include <cstdint>

#include <quarry/statistics.hpp>

namespace quarry::heap {

class alignas(64) TotalsCell {
 public:
  /// Changes of live allocations; either may be negative. What threads have not told yet may make
  /// the sums pass below zero for a while.
  void add_allocations(std::int64_t count, std::int64_t bytes) {
    allocation_count_.fetch_add(static_cast<std::uint64_t>(count), std::memory_order_relaxed);
    const std::uint64_t before =
        allocation_bytes_.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed);
    const std::uint64_t now = before + static_cast<std::uint64_t>(bytes);
    if (bytes > 0 && static_cast<std::int64_t>(now) > 0) raise(peak_allocation_bytes_, now);
  }
  /// Whether so much more stays within `most`.
  bool has_room(VkDeviceSize bytes, VkDeviceSize most) const {
    return fits(allocation_bytes_.load(std::memory_order_relaxed), bytes, most);
  }
  /// The same unless the bytes would then exceed `most`.
  bool add_allocations_within(std::uint32_t count, VkDeviceSize bytes, VkDeviceSize most) {
    std::uint64_t seen = allocation_bytes_.load(std::memory_order_relaxed);
    do {
      if (!fits(seen, bytes, most)) return false;
    } while (
        !allocation_bytes_.compare_exchange_weak(seen, seen + bytes, std::memory_order_relaxed));
    allocation_count_.fetch_add(count, std::memory_order_relaxed);
    if (static_cast<std::int64_t>(seen + bytes) > 0) raise(peak_allocation_bytes_, seen + bytes);
    return true;
  }
  void add_block(VkDeviceSize bytes, bool dedicated) {
    block_count_.fetch_add(1, std::memory_order_relaxed);
    if (dedicated) dedicated_count_.fetch_add(1, std::memory_order_relaxed);
    raise(peak_block_bytes_, block_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
  }
  void remove_block(VkDeviceSize bytes, bool dedicated) {
    block_count_.fetch_sub(1, std::memory_order_relaxed);
    if (dedicated) dedicated_count_.fetch_sub(1, std::memory_order_relaxed);
    block_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  void reset_peaks() {
    const std::uint64_t bytes = allocation_bytes_.load(std::memory_order_relaxed);
    peak_allocation_bytes_.store(static_cast<std::int64_t>(bytes) > 0 ? bytes : 0,
                                 std::memory_order_relaxed);
    peak_block_bytes_.store(block_bytes_.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
  }
  VkDeviceSize allocation_bytes() const {
    return allocation_bytes_.load(std::memory_order_relaxed);
  }
  VkDeviceSize block_bytes() const { return block_bytes_.load(std::memory_order_relaxed); }
  Totals read() const {
    Totals totals;
    totals.block_count = block_count_.load(std::memory_order_relaxed);
    totals.block_bytes = block_bytes();
    totals.allocation_count = allocation_count_.load(std::memory_order_relaxed);
    totals.allocation_bytes = allocation_bytes_.load(std::memory_order_relaxed);
    totals.peak_block_bytes = peak_block_bytes_.load(std::memory_order_relaxed);
    totals.peak_allocation_bytes = peak_allocation_bytes_.load(std::memory_order_relaxed);
    totals.dedicated_count = dedicated_count_.load(std::memory_order_relaxed);
    return totals;
  }

 private:
  static bool fits(std::uint64_t now, VkDeviceSize bytes, VkDeviceSize most) {
    const VkDeviceSize used = static_cast<std::int64_t>(now) > 0 ? now : 0;
    return used <= most && bytes <= most - used;
  }
  static void raise(std::atomic<std::uint64_t>& peak, std::uint64_t value) {
    std::uint64_t seen = peak.load(std::memory_order_relaxed);
    while (seen < value && !peak.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }

  std::atomic<std::uint64_t> allocation_count_{0};
  std::atomic<std::uint64_t> allocation_bytes_{0};
  std::atomic<std::uint64_t> peak_allocation_bytes_{0};
  std::atomic<std::uint64_t> block_count_{0};
  std::atomic<std::uint64_t> block_bytes_{0};
  std::atomic<std::uint64_t> peak_block_bytes_{0};
  std::atomic<std::uint64_t> dedicated_count_{0};
};

}  // namespace quarry::heap
