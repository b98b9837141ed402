// SPDX-License-Identifier: MIT
// Carries out what plan/pending_frees keeps in order: claims what is freed, asks the semaphores,
// destroys and frees what is reached, hands memory over early.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include <quarry/ordered_free.hpp>
#include <quarry/result.hpp>

#include "base/mutex.hpp"
#include "heap/record.hpp"
#include "plan/pending_frees.hpp"

namespace quarry::heap {

class Arena;
class Core;
struct Live;

/// Thread-safe. `mutex_` is held for no driver call and no owner's callback but host memory's;
/// records are claimed, and moves dropped, with it held. `asking_` is taken before it, and held
/// while semaphores are asked, so that whoever was answered may destroy them.
class OrderedFrees {
 public:
  OrderedFrees(Core& core, const OrderedFreePolicy& policy);

  /// All of them or none: allocations, buffers or images.
  template <class Thing>
  Status defer(std::span<const Thing> things, const GpuPoint& point);

  bool any() const { return pending_.load(std::memory_order_relaxed) != 0; }
  /// Asks each semaphore once, destroys and frees what is reached; the bytes freed.
  Result<VkDeviceSize> collect();
  /// The same for those who can do nothing about an error: it is said once.
  VkDeviceSize collect_quietly();
  /// Destroys and frees everything, reached or not.
  void release_all();

  // ---- Early owners
  struct Wanted {
    plan::ReuseRequest where;
    GpuUse use;
  };
  struct TakenOver {
    std::uint64_t handle = 0;  ///< the earlier one; its record is claimed
    Record* record = nullptr;  ///< null: there is nothing to take over
    bool owes = false;
  };
  TakenOver take_over(const Wanted& wanted, ReuseOrder& order);
  /// The owner of a claimed record that took its memory over early frees it. True: it waits for the
  /// earlier uses, false: they are over.
  bool keep_debt(Allocation allocation, Record& record);
  /// Before the host may write there; Reason::still_in_use.
  Status settle(Allocation allocation);

  // ---- Figures
  PendingFrees figures() const;
  /// The point on one of the heaps after which a retry makes most sense.
  GpuPoint earliest(std::uint32_t heaps) const;

  /// Where memory lies that is alike; 0: nobody may follow early.
  static std::uint64_t place_of(const Live& live);
  static std::uint64_t place_of(const Arena& arena);

 private:
  struct Part;
  template <class Thing>
  Status try_defer(std::span<const Thing> things, const GpuPoint& point);
  Status stage(const Part& part, const GpuPoint& point) QUARRY_REQUIRES(mutex_);
  void unstage_all() QUARRY_REQUIRES(mutex_);
  Status ask_all();
  bool ask(std::span<const std::uint64_t> timelines, Error& error);
  VkDeviceSize free_ready();
  VkDeviceSize release(std::span<const plan::PendingFree> frees);
  void tell_stalls(std::uint64_t now);
  void note_count() QUARRY_REQUIRES(mutex_) {
    pending_.store(table_.figures().count, std::memory_order_relaxed);
  }

  Core& core_;
  const OrderedFreePolicy policy_;
  std::atomic<std::uint32_t> pending_{0};
  std::atomic<bool> failure_told_{false};
  base::Mutex asking_;
  mutable base::Mutex mutex_;
  plan::PendingFrees table_ QUARRY_GUARDED_BY(mutex_);
};

}  // namespace quarry::heap
