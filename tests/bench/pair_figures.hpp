// SPDX-License-Identifier: MIT
// Times of an allocate and free pair, Quarry and reference in turns, so that both see the same
// machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/effort.hpp"
#include "bench/pair_loop.hpp"
#include "bench/subjects.hpp"

namespace quarry::bench {

/// Nanoseconds of processor time, medians over short turns.
struct PairTimes {
  double quarry = 0;
  double reference = 0;
};

struct PairPlan {
  PairDesc pair{};
  SubjectDesc subject{};
  std::uint32_t turns = 31;
  std::uint64_t turn_ns = 2'000'000;  ///< length of a turn, about
};

/// One entry a plan, all in turns with each other.
std::vector<PairTimes> time_pairs(std::span<const PairPlan> plans);

/// Time with blocks of 16 GiB / 4,096 over time with one block of 16 GiB; of "4k", "mixed" and
/// "large" the worst.
struct BlockCountRatios {
  double quarry = 0;
  double reference = 0;
};
BlockCountRatios time_block_counts(std::uint64_t seed, Effort effort);

/// Nanoseconds a pair with 1,000,000 live allocations of "mixed", and what to hold against it:
/// memory of that size cannot be in the cache, so that each free costs at least one miss.
struct ManyLive {
  PairTimes pair{};
  double touch = 0;  ///< Quarry's pair with 10,000 live, which with each free also changes one
                     ///< random cache line of a table of 64 MB
  double touch_alone = 0;    ///< changing random lines and nothing else, misses overlapping
  double touch_chained = 0;  ///< the same, each place known only when the line before was read
};
ManyLive time_many_live(std::uint64_t seed, Effort effort);

}  // namespace quarry::bench
