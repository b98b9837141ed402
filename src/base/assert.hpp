// SPDX-License-Identifier: MIT
// Three tiers of checks of promises that the library makes to itself. Never for a caller's
// argument: that gets an error.
#pragma once

namespace quarry::base {

/// Writes the broken promise to standard error and aborts.
[[noreturn]] void promise_broken(const char* condition, const char* file, int line);

}  // namespace quarry::base

/// In every build: going on would damage memory.
#define QUARRY_CHECK(condition) \
  ((condition) ? (void)0 : ::quarry::base::promise_broken(#condition, __FILE__, __LINE__))

/// In debug builds: O(1) conditions. The condition is always compiled, so that it cannot rot.
#ifdef NDEBUG
#define QUARRY_ASSERT(condition) ((void)sizeof(!(condition)))
#else
#define QUARRY_ASSERT(condition) QUARRY_CHECK(condition)
#endif

/// With QUARRY_HEAVY_ASSERTS: walks whole structures, makes operations linear.
#ifdef QUARRY_HEAVY_ASSERTS
#define QUARRY_ASSERT_HEAVY(condition) QUARRY_CHECK(condition)
#else
#define QUARRY_ASSERT_HEAVY(condition) ((void)sizeof(!(condition)))
#endif
