// SPDX-License-Identifier: MIT
// Which level of pressure a usage means, with hysteresis so that a usage around a threshold does
// not flicker. Pure arithmetic.
#pragma once

#include <cstdint>
#include <span>

namespace quarry::plan {

class PressureGauge {
 public:
  std::uint32_t level() const { return level_; }
  /// Takes a usage and a budget in bytes; `levels` are the shares of the budget where levels 1, 2,
  /// ... begin, rising. A level that was reached ends at `hysteresis` below its beginning. A budget
  /// of 0 is all pressure. Returns the level now.
  std::uint32_t observe(std::uint64_t usage, std::uint64_t budget, std::span<const double> levels,
                        double hysteresis);

 private:
  std::uint32_t level_ = 0;
};

}  // namespace quarry::plan
