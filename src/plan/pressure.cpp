// SPDX-License-Identifier: MIT
#include "plan/pressure.hpp"

#include <algorithm>
#include <limits>

namespace quarry::plan {

namespace {

/// In whole bytes, so that it is the same with whatever precision the processor multiplies; at
/// least one.
std::uint64_t share_of(std::uint64_t budget, double share) {
  constexpr double kBeyond = 18'446'744'073'709'551'616.0;  // 2^64
  const double bytes = static_cast<double>(budget) * share;
  return bytes < kBeyond ? std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes))
                         : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::uint32_t PressureGauge::observe(std::uint64_t usage, std::uint64_t budget,
                                     std::span<const double> levels, double hysteresis) {
  std::uint32_t reached = 0;
  for (const double begin : levels) {
    const double end = reached < level_ ? begin - hysteresis : begin;
    if (budget != 0 && usage < share_of(budget, end)) break;
    ++reached;
  }
  level_ = reached;
  return level_;
}

}  // namespace quarry::plan
