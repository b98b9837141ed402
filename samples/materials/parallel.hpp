// SPDX-License-Identifier: MIT
// A loop shared out among threads that live as long as the loop.
#pragma once

#include <cstddef>
#include <functional>

namespace quarry::materials {

/// `wanted`, or one for each core when that is 0; at least 1.
unsigned thread_count(unsigned wanted);

/// Calls body(i) once for each i below `count`, in no particular order, on up to `threads` threads
/// of which the caller is one. Returns when all calls are done. The first exception of a body is
/// rethrown then; what was not begun by that time is skipped.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& body);

}  // namespace quarry::materials
