// SPDX-License-Identifier: MIT
#include "heap/pressure_watch.hpp"

namespace quarry::heap {

bool PressureWatch::is_valid(const BudgetPolicy& policy) {
  double before = 0.0;
  for (const double level : policy.pressure_levels) {
    if (!(level > before)) return false;
    before = level;
  }
  return policy.hysteresis >= 0.0 && policy.hysteresis < policy.pressure_levels.front();
}

void PressureWatch::look(const memory::Budget& budget, std::uint32_t heap_count) {
  if (on_pressure_ == nullptr) return;
  for (std::uint32_t heap = 0; heap < heap_count; ++heap) {
    Pressure pressure{.heap = heap, .budget = budget.report(heap)};
    {
      const base::MutexLock lock(mutex_);
      pressure.before = gauges_[heap].level();
      pressure.level = gauges_[heap].observe(pressure.budget.usage, pressure.budget.budget, levels_,
                                             hysteresis_);
    }
    if (pressure.level != pressure.before) on_pressure_(user_, pressure);
  }
}

}  // namespace quarry::heap
