// SPDX-License-Identifier: MIT
// Throughput of many threads on one allocator, against what an empty loop gains from as many
// threads in the same run: processors may be halves of one core, and shared with others.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/workload.hpp"

namespace quarry::bench {

/// Million pairs a second in total, medians over the rounds in which the processors were free.
struct ThreadTimes {
  unsigned threads = 1;
  double empty = 0;     ///< million rounds of an empty loop
  double own = 0;       ///< each thread frees what it allocated, 1,000 live
  double exchange = 0;  ///< each thread hands what it allocates to the next one and frees what the
                        ///< one before allocated
  /// One half allocates, the other frees; with one thread as `exchange`. The slower half sets the
  /// pace, so that this is below the others even where nothing is shared.
  double one_way = 0;
  /// `exchange` of bare records (record_passing.hpp): what the processors let through.
  double records = 0;
};

struct ThreadPlan {
  std::vector<unsigned> threads;  ///< the figures for 1 are always taken
  Workload workload = Workload::mixed;
  std::uint64_t seed = 1;
  std::uint32_t rounds = 15;
  std::uint32_t milliseconds = 40;  ///< of each measurement
};

/// The first entry is for one thread, then as in the plan.
std::vector<ThreadTimes> time_quarry_threads(const ThreadPlan& plan);
std::vector<ThreadTimes> time_reference_threads(const ThreadPlan& plan);

/// Throughput over one thread's, over the empty loop's; the lower of own frees and exchange.
/// `records` tells how much of the loss in the exchange the processors leave to nobody.
double efficiency(const ThreadTimes& one, const ThreadTimes& many);

/// Whether the empty loop gained what as many free processors give it, at least three quarters of
/// it. Where not, threads took turns, hardly met, and the efficiency says little.
bool processors_were_free(const ThreadTimes& one, const ThreadTimes& many);

/// The processors, and 16 where there are more.
std::vector<unsigned> standard_thread_counts();

}  // namespace quarry::bench
