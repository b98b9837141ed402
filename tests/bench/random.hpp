// SPDX-License-Identifier: MIT
// Random numbers that cost a few instructions, the same for the same seed everywhere. After Vigna:
// "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016.
#pragma once

#include <cmath>
#include <cstdint>

namespace quarry::bench {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u | 1u) {
    for (int i = 0; i < 8; ++i)
      (void)next();
  }

  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  /// In [0, bound); bound > 0.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double share) { return unit() < share; }
  /// In [low, high], every order of magnitude alike.
  std::uint64_t log_uniform(std::uint64_t low, std::uint64_t high) {
    const double from = std::log2(static_cast<double>(low));
    const double to = std::log2(static_cast<double>(high));
    return static_cast<std::uint64_t>(std::exp2(from + (to - from) * unit()));
  }

 private:
  std::uint64_t state_;
};

}  // namespace quarry::bench
