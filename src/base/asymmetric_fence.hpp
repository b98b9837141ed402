// SPDX-License-Identifier: MIT
// A store-load fence whose cost lies on one side alone: light_fence() on a path that runs all the
// time costs nothing, heavy_fence() on the rare other side interrupts every thread of the process.
// Linux: membarrier(2); Windows: FlushProcessWriteBuffers. Where neither is to be had, both sides
// fence.
#pragma once

#include <atomic>

namespace quarry::base {

/// Whether heavy_fence() makes a light_fence() enough. Asks the system at the first call.
bool has_asymmetric_fence();

/// A fence for both sides where there is no other: sequentially consistent, as a call.
void full_fence();

/// Orders nothing in the processor, everything in the compiler.
inline void light_fence() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// After it, each store that another thread made before its last light_fence() is seen, and each
/// load that it makes after its next one sees what was stored before the call. Some microseconds.
void heavy_fence();

}  // namespace quarry::base
