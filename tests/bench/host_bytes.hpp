// SPDX-License-Identifier: MIT
// Host memory that bookkeeping takes, through counting callbacks.
#pragma once

#include <cstdint>

#include "bench/workload.hpp"

namespace quarry::bench {

/// Bytes for each live allocation, of everything the allocator holds: its own state and what the
/// fake driver takes for its objects included.
struct HostBytes {
  double quarry = 0;
  double reference = 0;
};

/// Plain tagged allocations, `live` of them, after as many pairs.
HostBytes count_host_bytes(Workload workload, std::uint64_t seed, std::size_t live = 100'000);

}  // namespace quarry::bench
