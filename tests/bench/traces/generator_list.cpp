// SPDX-License-Identifier: MIT
#include <array>

#include "bench/traces/generators.hpp"

namespace quarry::bench {

std::span<const TraceGenerator> trace_generators() {
  static constexpr std::array<TraceGenerator, 7> kGenerators = {{{"churn", random_churn},
                                                                 {"levels", level_loads},
                                                                 {"streaming", texture_streaming},
                                                                 {"particles", ui_and_particles},
                                                                 {"resize", render_target_resizes},
                                                                 {"training", training_steps},
                                                                 {"flow", flow_solver}}};
  return kGenerators;
}

const TraceGenerator* find_generator(std::string_view name) {
  for (const TraceGenerator& each : trace_generators()) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

}  // namespace quarry::bench
