// SPDX-License-Identifier: MIT
// Measures steps that move buffers' contents between blocks of 256 MiB.
#pragma once

#include <cstdint>

#include "bench/copying/timing.hpp"

namespace quarry::bench {

struct BufferPlan {
  VkDeviceSize bytes = VkDeviceSize{2} << 30;  ///< moved in each step
  std::uint32_t repetitions = 5;
  std::uint64_t seed = 1;
  bool sweep = false;  ///< try lanes, rows and chunks, too
};

/// Scattered moves of 4, 16 and 64 KiB: every second slot of the source blocks, in random order, to
/// packed places; by address, windows and commands, on each family.
void measure_scattered(copy::CopyDevice& device, const BufferPlan& plan, Report& report);
/// One move of `plan.bytes`.
void measure_large(copy::CopyDevice& device, const BufferPlan& plan, Report& report);

}  // namespace quarry::bench
