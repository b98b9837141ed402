// SPDX-License-Identifier: MIT
// Random numbers of a test: the seed is printed, and taken from QUARRY_TEST_SEED when that is set.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>

namespace quarry::materials::testing {

inline std::mt19937 seeded_random() {
  const char* given = std::getenv("QUARRY_TEST_SEED");
  const auto seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                                     : std::random_device()();
  std::printf("QUARRY_TEST_SEED=%u\n", seed);
  return std::mt19937(seed);
}

}  // namespace quarry::materials::testing
