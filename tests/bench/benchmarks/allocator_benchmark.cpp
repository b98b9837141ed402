// SPDX-License-Identifier: MIT
// Allocate and free pairs on the fake GPU: workloads, live counts, granularities, block counts.
#include <cstdint>
#include <initializer_list>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/pair_loop.hpp"
#include "bench/subjects.hpp"

namespace quarry::bench {
namespace {

template <class Subject>
void run(benchmark::State& state, const SubjectDesc& subject_desc, const PairDesc& pair) {
  Subject subject(subject_desc);
  PairRig<Subject> rig(subject, pair);
  rig.run(pair.live);
  const std::uint64_t calls = subject.driver_calls();
  constexpr std::uint64_t kBatch = 100;
  while (state.KeepRunningBatch(kBatch))
    rig.run(kBatch);
  state.SetItemsProcessed(state.iterations());
  state.counters["driver calls"] = static_cast<double>(subject.driver_calls() - calls);
}

std::string name_of(const char* what, const char* who, Workload workload) {
  return std::string(what) + "/" + who + "/" + to_string(workload);
}

template <class Subject>
void register_all() {
  constexpr auto kPairs = [](benchmark::State& state, Workload workload) {
    run<Subject>(state, {}, {workload, static_cast<std::size_t>(state.range(0)), 0, 1});
  };
  constexpr auto kGranularity = [](benchmark::State& state, Workload workload) {
    SubjectDesc desc;
    desc.granularity = static_cast<VkDeviceSize>(state.range(0));
    run<Subject>(state, desc, {workload, 10'000, 0, 1});
  };
  constexpr auto kBlocks = [](benchmark::State& state, Workload workload) {
    const auto count = static_cast<std::uint64_t>(state.range(0));
    SubjectDesc desc;
    desc.first_block = desc.largest_block = kFilledBytes / count;
    run<Subject>(state, desc, {workload, 2000, count, 1});
  };
  const auto add = [](const char* what, auto body, std::initializer_list<Workload> workloads,
                      std::initializer_list<std::int64_t> arguments) {
    for (const Workload workload : workloads) {
      auto* made = benchmark::RegisterBenchmark(
          name_of(what, Subject::kName, workload).c_str(),
          [body, workload](benchmark::State& state) { body(state, workload); });
      for (const std::int64_t argument : arguments)
        made->Arg(argument);
    }
  };
  add("live", kPairs, {Workload::fixed_4k, Workload::mixed}, {1000, 10'000, 100'000});
  add("live", kPairs, {Workload::large, Workload::game, Workload::textures}, {1000, 10'000});
  add("granularity", kGranularity, {Workload::mixed, Workload::game}, {1, 1024, 65'536});
  add("blocks", kBlocks, {Workload::fixed_4k, Workload::large}, {1, 64, 1024, 4096});
}

[[maybe_unused]] const bool kRegistered = [] {
  register_all<QuarrySubject>();
  register_all<ReferenceSubject>();
  return true;
}();

}  // namespace
}  // namespace quarry::bench
