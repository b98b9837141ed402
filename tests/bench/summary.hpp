// SPDX-License-Identifier: MIT
// `quarry-bench --summary`: every figure briefly, as text and as one flat JSON object.
#pragma once

#include <cstdint>
#include <string>

#include "bench/worst_case.hpp"

namespace quarry::bench {

/// Under a minute. False: the file could not be written.
bool write_summary(const std::string& path, std::uint64_t seed);

void print_operation_times(const OperationTimes& times);

}  // namespace quarry::bench
