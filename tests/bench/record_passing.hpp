// SPDX-License-Identifier: MIT
// What no allocator can do without where one thread frees what another allocated and a stale handle
// has to be found out: the record's line comes over, is claimed by one atomic exchange, and is
// given out again. No sizes, no memory. What Quarry gets done beside it says how much is its own
// doing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "bench/workload.hpp"

namespace quarry::bench {

/// A subject for the loops that hand over; threads must not outlive it, and must be new ones for
/// each.
class RecordPassing {
 public:
  static constexpr const char* kName = "records alone";

  std::uint64_t allocate(const Request&) {
    std::vector<Record*>& vacant = vacant_records();
    if (vacant.empty()) refill(vacant);
    Record* record = vacant.back();
    vacant.pop_back();
    record->live.store(1, std::memory_order_release);
    return reinterpret_cast<std::uintptr_t>(record);
  }
  bool free(std::uint64_t handle) {
    auto* record = reinterpret_cast<Record*>(static_cast<std::uintptr_t>(handle));
    std::uint32_t expected = 1;
    if (!record->live.compare_exchange_strong(expected, 0)) return false;
    vacant_records().push_back(record);
    return true;
  }
  void trim() {}

 private:
  /// As large as one of Quarry's.
  struct alignas(32) Record {
    std::atomic<std::uint32_t> live{0};
  };
  /// Records that lie together, as one thread gets them.
  struct alignas(128) Group {
    static constexpr std::size_t kRecords = 32;
    Record records[kRecords];
  };

  static std::vector<Record*>& vacant_records() {
    static thread_local std::vector<Record*> vacant;
    return vacant;
  }
  void refill(std::vector<Record*>& vacant) {
    const std::lock_guard lock(mutex_);
    for (Record& record : groups_.emplace_back().records)
      vacant.push_back(&record);
  }

  std::mutex mutex_;
  std::deque<Group> groups_;
};

}  // namespace quarry::bench
