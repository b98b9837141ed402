// SPDX-License-Identifier: MIT
// How far apart data must lie so that processors do not take it from each other.
#pragma once

#include <cstddef>

namespace quarry::base {

/// Bytes that threads should not share where each writes its own: two cache lines, since processors
/// fetch the neighbour of a line along with it (Intel 64 and IA-32 Architectures Optimization
/// Reference Manual, "Data Prefetching": the spatial prefetcher).
inline constexpr std::size_t kApart = 128;

}  // namespace quarry::base
