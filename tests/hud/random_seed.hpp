// SPDX-License-Identifier: MIT
// The seed of a random test: printed, and taken back from QUARRY_TEST_SEED.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace quarry::hud {

inline std::uint64_t random_seed() {
  const char* given = std::getenv("QUARRY_TEST_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  std::cout << "QUARRY_TEST_SEED=" << seed << '\n';
  return seed;
}

}  // namespace quarry::hud
