// SPDX-License-Identifier: MIT
// The copy engine of an allocator, made when something is moved for the first time: it costs a few
// pipelines.
#pragma once

#include <optional>

#include "base/mutex.hpp"
#include "copy/engine.hpp"

namespace quarry::heap {

/// Thread-safe.
class MoveEngine {
 public:
  explicit MoveEngine(const device::Device& device) : device_(device) {}

  /// Null where there is none to be had: VulkanFunctions lacks what it needs, or the driver
  /// refused.
  const copy::Engine* get() {
    const base::MutexLock lock(mutex_);
    if (!tried_) {
      tried_ = true;
      engine_.emplace(device_);
      if (!engine_->open()) engine_.reset();
    }
    return engine_ ? &*engine_ : nullptr;
  }

 private:
  const device::Device& device_;
  base::Mutex mutex_;  ///< over driver calls of the first get()
  bool tried_ QUARRY_GUARDED_BY(mutex_) = false;
  std::optional<copy::Engine> engine_ QUARRY_GUARDED_BY(mutex_);
};

}  // namespace quarry::heap
