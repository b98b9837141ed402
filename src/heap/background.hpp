// SPDX-License-Identifier: MIT
// What need not happen while somebody waits: blocks made before they are needed, by how fast blocks
// were taken into use lately, and retention. On a thread of the library's own, or on one that the
// owner has for it.
#pragma once

#include <quarry/allocator.hpp>
#include <quarry/result.hpp>

#include "base/mutex.hpp"
#include "base/periodic_thread.hpp"

namespace quarry::heap {

class Arena;
class Core;

/// Thread-safe but for start() and stop().
class Background {
 public:
  Background(Core& core, const BackgroundPolicy& policy) : core_(core), policy_(policy) {}

  static bool is_valid(const AllocatorDesc& desc);

  /// Has the thread run if there is to be one; out_of_host_memory when the system has none to give.
  Status start();
  /// Returns when the thread has ended. Comes before the end of anything that it works on.
  void stop() { thread_.stop(); }
  /// Retention is left to work().
  bool retains() const { return policy_.work != BackgroundWork::none; }
  void work();

 private:
  void grow_ahead(Arena& arena, std::uint64_t now);

  Core& core_;
  const BackgroundPolicy policy_;
  base::Mutex working_;  ///< over driver calls; never waited for
  base::PeriodicThread thread_;
};

}  // namespace quarry::heap
