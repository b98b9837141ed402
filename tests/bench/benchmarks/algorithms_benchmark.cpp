// SPDX-License-Identifier: MIT
// The offset algorithms alone, in a space of 64 GiB.
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include <quarry/buddy.hpp>
#include <quarry/linear.hpp>
#include <quarry/tlsf.hpp>

#include "bench/random.hpp"
#include "bench/workload.hpp"

namespace quarry::bench {
namespace {

constexpr std::uint64_t kSpace = std::uint64_t{64} << 30;
constexpr std::size_t kRequests = 16'384;

std::vector<OffsetRequest> offset_requests(Workload workload) {
  std::vector<OffsetRequest> requests;
  for (const Request& request : make_requests(workload, kRequests, 1)) {
    OffsetRequest& made = requests.emplace_back();
    made.size = request.requirements.size;
    made.alignment = request.requirements.alignment;
  }
  return requests;
}

/// One at random is freed, one allocated, with 10,000 live.
template <class Algorithm, class Desc>
void random_pairs(benchmark::State& state, Workload workload) {
  Desc desc;
  desc.size = kSpace;
  Algorithm space(desc);
  const std::vector<OffsetRequest> requests = offset_requests(workload);
  std::vector<OffsetHandle> live;
  std::size_t next = 0;
  while (live.size() < 10'000)
    live.push_back(space.allocate(requests[next++ % kRequests]).value().handle);
  Random random(1);
  for ([[maybe_unused]] auto round : state) {
    OffsetHandle& slot = live[random.below(10'000)];
    benchmark::DoNotOptimize(space.free(slot));
    slot = space.allocate(requests[next++ % kRequests]).value().handle;
  }
  state.SetItemsProcessed(state.iterations());
}

/// The oldest of 1,000 is freed, one allocated.
void ring_pairs(benchmark::State& state, Workload workload) {
  LinearDesc desc;
  desc.size = kSpace;
  Linear space(desc);
  const std::vector<OffsetRequest> requests = offset_requests(workload);
  std::vector<OffsetHandle> live;
  std::size_t next = 0;
  while (live.size() < 1000)
    live.push_back(space.allocate(requests[next++ % kRequests]).value().handle);
  std::size_t oldest = 0;
  for ([[maybe_unused]] auto round : state) {
    OffsetHandle& slot = live[oldest++ % live.size()];
    benchmark::DoNotOptimize(space.free(slot));
    slot = space.allocate(requests[next++ % kRequests]).value().handle;
  }
  state.SetItemsProcessed(state.iterations());
}

void tlsf(benchmark::State& state, Workload workload) {
  random_pairs<Tlsf, TlsfDesc>(state, workload);
}
void buddy(benchmark::State& state, Workload workload) {
  random_pairs<Buddy, BuddyDesc>(state, workload);
}

BENCHMARK_CAPTURE(tlsf, fixed_4k, Workload::fixed_4k);
BENCHMARK_CAPTURE(tlsf, mixed, Workload::mixed);
BENCHMARK_CAPTURE(tlsf, game, Workload::game);
BENCHMARK_CAPTURE(buddy, fixed_4k, Workload::fixed_4k);
BENCHMARK_CAPTURE(buddy, mixed, Workload::mixed);
BENCHMARK_CAPTURE(buddy, game, Workload::game);
BENCHMARK_CAPTURE(ring_pairs, fixed_4k, Workload::fixed_4k);
BENCHMARK_CAPTURE(ring_pairs, mixed, Workload::mixed);

}  // namespace
}  // namespace quarry::bench
