// SPDX-License-Identifier: MIT
#include "plan/pressure.hpp"

namespace quarry::plan {

std::uint32_t PressureGauge::observe(std::uint64_t usage, std::uint64_t budget,
                                     std::span<const double> levels, double hysteresis) {
  const auto used = static_cast<double>(usage);
  const auto whole = static_cast<double>(budget);
  std::uint32_t reached = 0;
  for (const double begin : levels) {
    const double end = reached < level_ ? begin - hysteresis : begin;
    if (budget != 0 && used < whole * end) break;
    ++reached;
  }
  level_ = reached;
  return level_;
}

}  // namespace quarry::plan
