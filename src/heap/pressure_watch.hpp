// SPDX-License-Identifier: MIT
// Tells the owner when a heap's level of pressure changed, once for each change.
#pragma once

#include <array>

#include <quarry/budget.hpp>

#include "base/mutex.hpp"
#include "memory/budget.hpp"
#include "plan/pressure.hpp"

namespace quarry::heap {

/// Thread-safe.
class PressureWatch {
 public:
  explicit PressureWatch(const BudgetPolicy& policy)
      : levels_(policy.pressure_levels),
        hysteresis_(policy.hysteresis),
        on_pressure_(policy.on_pressure),
        user_(policy.pressure_user) {}

  static bool is_valid(const BudgetPolicy& policy);
  /// Looks at each heap. The owner is told with no lock held, and may look again.
  void look(const memory::Budget& budget, std::uint32_t heap_count);

 private:
  const std::array<double, kPressureLevels> levels_;
  const double hysteresis_;
  void (*const on_pressure_)(void* user, const Pressure& pressure);
  void* const user_;
  base::Mutex mutex_;
  std::array<plan::PressureGauge, VK_MAX_MEMORY_HEAPS> gauges_ QUARRY_GUARDED_BY(mutex_);
};

}  // namespace quarry::heap
