// SPDX-License-Identifier: MIT
// `quarry-bench --summary`: every figure briefly, as text and as one flat JSON object.
#pragma once

#include <cstdint>
#include <string>

#include "bench/effort.hpp"
#include "bench/worst_case.hpp"

namespace quarry::bench {

struct SummaryPlan {
  std::uint64_t seed = 1;
  Effort effort{};
};

/// Under a minute. False: the file could not be written.
bool write_summary(const std::string& path, const SummaryPlan& plan);

void print_operation_times(const OperationTimes& times);

}  // namespace quarry::bench
