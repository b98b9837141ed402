// SPDX-License-Identifier: MIT
// How much of everything a run does: all of it to measure, a fraction to see that it works.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace quarry::bench {

struct Effort {
  std::uint32_t divisor = 1;

  std::uint32_t turns(std::uint32_t whole) const { return std::max(1u, whole / divisor); }
  /// Allocations, pairs and the like.
  std::uint32_t count(std::uint32_t whole) const { return std::max(64u, whole / divisor); }
  std::uint64_t nanoseconds(std::uint64_t whole) const { return whole / divisor; }
};

}  // namespace quarry::bench
