// SPDX-License-Identifier: MIT
// Seeds of random tests: printed when the test starts, replaced by QUARRY_TEST_SEED from the
// environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace quarry::test {

/// `count` seeds that are the same in every run, or the one in QUARRY_TEST_SEED.
inline std::vector<std::uint64_t> seeds(std::uint64_t count) {
  std::vector<std::uint64_t> result;
  if (const char* given = std::getenv("QUARRY_TEST_SEED")) {
    result.push_back(std::strtoull(given, nullptr, 0));
  } else {
    for (std::uint64_t i = 1; i <= count; ++i) {
      result.push_back(i * 0x9E3779B97F4A7C15u);
    }
  }
  for (const std::uint64_t seed : result) {
    std::printf("QUARRY_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  }
  return result;
}

/// Random choices, the same for the same seed on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  /// In [low, high].
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }
  /// An index into `count` things; count > 0.
  std::size_t index(std::size_t count) { return static_cast<std::size_t>(below(count)); }
  bool one_in(std::uint64_t chance) { return below(chance) == 0; }
  /// In [1, 2^bits), all orders of magnitude alike.
  std::uint64_t any_magnitude(std::uint32_t bits) {
    const std::uint64_t order = below(bits);
    return (std::uint64_t{1} << order) + below(std::uint64_t{1} << order);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace quarry::test
