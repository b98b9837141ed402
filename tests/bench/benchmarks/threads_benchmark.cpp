// SPDX-License-Identifier: MIT
// One allocator shared by many threads, each with 1,000 live; beside it what an empty loop gains.
#include <cstdint>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/pair_loop.hpp"
#include "bench/subjects.hpp"

namespace quarry::bench {
namespace {

constexpr std::uint64_t kBatch = 100;

template <class Subject>
void shared(benchmark::State& state, Workload workload) {
  // The library lets all threads wait for each other at the start and at the end of the loop.
  static std::unique_ptr<Subject> subject;
  if (state.thread_index() == 0) subject = std::make_unique<Subject>(SubjectDesc{});
  std::unique_ptr<PairRig<Subject>> rig;
  while (state.KeepRunningBatch(kBatch)) {
    if (rig == nullptr) {
      const auto seed = static_cast<std::uint64_t>(state.thread_index()) + 1;
      rig = std::make_unique<PairRig<Subject>>(*subject, PairDesc{workload, 1000, 0, seed});
    }
    rig->run(kBatch);
  }
  state.SetItemsProcessed(state.iterations());
}

void empty_loop(benchmark::State& state) {
  Random random(1);
  while (state.KeepRunningBatch(kBatch)) {
    for (std::uint64_t i = 0; i < kBatch; ++i)
      benchmark::DoNotOptimize(random.next());
  }
  state.SetItemsProcessed(state.iterations());
}

template <class Subject>
void register_all() {
  for (const Workload workload : {Workload::fixed_4k, Workload::mixed}) {
    benchmark::RegisterBenchmark(
        (std::string("shared/") + Subject::kName + "/" + to_string(workload)).c_str(),
        [workload](benchmark::State& state) { shared<Subject>(state, workload); })
        ->ThreadRange(1, 16)
        ->UseRealTime();
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  benchmark::RegisterBenchmark("empty_loop", empty_loop)->ThreadRange(1, 16)->UseRealTime();
  register_all<QuarrySubject>();
  register_all<ReferenceSubject>();
  return true;
}();

}  // namespace
}  // namespace quarry::bench
