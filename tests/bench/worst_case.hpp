// SPDX-License-Identifier: MIT
// The slowest single operation. A run is repeated nine times from a fresh allocator with the same
// seed; each operation counts with its fastest time, so that what the operating system took away
// does not count, and operations during which the driver was called are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/effort.hpp"
#include "bench/workload.hpp"

namespace quarry::bench {

/// Fastest times of each operation that is left, ascending, nanoseconds. The clock itself costs
/// about 20 of them.
struct OperationTimes {
  std::string name;
  std::vector<std::uint32_t> nanoseconds;

  std::uint32_t percentile(double share) const;
  /// How many took less than 2^i ns but not less than 2^(i-1), for each i up to that of the worst.
  std::vector<std::size_t> histogram() const;
  std::uint32_t worst() const { return nanoseconds.empty() ? 0 : nanoseconds.back(); }
};

struct WorstCasePlan {
  Workload workload = Workload::fixed_4k;
  std::size_t live = 10'000;   ///< the filling counts too: it holds what growth costs
  std::size_t pairs = 20'000;  ///< a free and an allocation each, timed apart
  std::uint64_t seed = 1;
};

constexpr int kIdenticalRuns = 9;

OperationTimes time_quarry_operations(const WorstCasePlan& plan);
OperationTimes time_reference_operations(const WorstCasePlan& plan);

/// Cases F18 and F19 in a pool of one block of 256 MiB, and in the default pools: 262,143 free
/// holes of 480 B at offset 16 modulo 256, of which 256 B aligned to 256 fits none though each is
/// large enough, and 1 MiB fits none though there is enough in all.
std::vector<OperationTimes> time_shattered_block(Effort effort = {});

}  // namespace quarry::bench
