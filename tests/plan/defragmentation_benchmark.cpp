// SPDX-License-Identifier: MIT
// What planning costs and what plans reach:  defragmentation_benchmark [--plans N]
// Prints, for heaps in 64 MiB blocks of which random halves were freed, milliseconds of processor
// time a plan, blocks before and after, bytes reserved over live bytes, and bytes moved over the
// live bytes of the emptiest blocks that must go to leave ceil(1.05 live / 64 MiB).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/seed.hpp"
#include "plan/defragmentation_heaps.hpp"
#include "plan/defragmentation_planner.hpp"
#include "plan/defragmentation_world.hpp"

namespace quarry::test {
namespace {

double processor_milliseconds() {
  return 1e3 * static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

void measure(const char* name, DefragmentationWorld& world, int plans) {
  plan::DefragmentationPlanner planner(HostMemory::standard());
  const auto snapshot = world.snapshot();
  std::vector<double> times;
  plan::DefragmentationPlan plan;
  for (int i = 0; i < plans; ++i) {
    const double start = processor_milliseconds();
    auto made = planner.plan(snapshot, {}, {});
    times.push_back(processor_milliseconds() - start);
    if (!made) std::abort();
    plan = *made;
  }
  const double first = times[0];
  std::sort(times.begin(), times.end());
  std::size_t live = world.pieces.size();
  for (const auto& slab : world.slabs)
    live += static_cast<std::size_t>(std::popcount(slab.live));
  const double bytes = static_cast<double>(world.live_bytes());
  const std::uint64_t after = world.reserved_bytes() - plan.forecast.bytes_freed;
  std::printf(
      "%-14s %6zu live  least %.2f ms, median %.2f ms, first %.2f ms  %zu -> %zu blocks  "
      "reserved/live %.3f -> "
      "%.3f  moved/bound %.3f  %zu moves\n",
      name, live, times[0], times[times.size() / 2], first, world.blocks.size(),
      world.blocks.size() - plan.forecast.blocks_freed,
      static_cast<double>(world.reserved_bytes()) / bytes, static_cast<double>(after) / bytes,
      static_cast<double>(plan.forecast.bytes_moved) /
          static_cast<double>(least_bytes_to_move(world)),
      plan.moves.size());
}

}  // namespace
}  // namespace quarry::test

int main(int argc, char** argv) {
  using namespace quarry::test;
  int plans = 21;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--plans") == 0) plans = std::atoi(argv[i + 1]);
  }
  for (const std::uint64_t seed : seeds(5)) {
    Random random(seed);
    DefragmentationWorld world = half_freed_heap(random, 64, 4 << 10, 8 << 20);
    measure("log-uniform", world, plans);
  }
  Random random(1);
  DefragmentationWorld pieces = half_freed_pieces(random, 100'000);
  measure("100k pieces", pieces, plans);
  DefragmentationWorld slots = half_freed_slots(random, 100'000);
  measure("100k slots", slots, plans);
  return 0;
}
