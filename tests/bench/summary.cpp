// SPDX-License-Identifier: MIT
#include "bench/summary.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "bench/host_bytes.hpp"
#include "bench/pair_figures.hpp"
#include "bench/replay.hpp"
#include "bench/report.hpp"
#include "bench/subjects.hpp"
#include "bench/thread_figures.hpp"
#include "bench/traces/generators.hpp"

namespace quarry::bench {

namespace {

void add_pairs(Figures& figures, std::uint64_t seed) {
  std::printf("pairs, 10,000 live\n");
  for (const Workload workload : {Workload::fixed_4k, Workload::mixed, Workload::game}) {
    PairPlan plan;
    plan.pair = {workload, 10'000, 0, seed};
    const PairTimes times = time_pairs(plan);
    std::printf("  %-8s quarry %8.1f ns, reference %8.1f ns\n", to_string(workload), times.quarry,
                times.reference);
    const std::string key = std::string("pair_") + to_string(workload) + "_ns";
    figures.emplace_back(key, times.quarry);
    figures.emplace_back(key + "_ratio", times.reference / times.quarry);
  }
}

void add_block_counts(Figures& figures, std::uint64_t seed) {
  std::printf("blocks\n");
  const BlockCountRatios ratios = time_block_counts(seed);
  std::printf("  4,096 over 1: quarry %.2f, reference %.2f\n", ratios.quarry, ratios.reference);
  figures.emplace_back("blocks_4096_over_1", ratios.quarry);
}

void add_many_live(Figures& figures, std::uint64_t seed) {
  const ManyLive times = time_many_live(seed);
  std::printf("1,000,000 live, mixed\n  quarry %.1f ns, reference %.1f ns\n", times.pair.quarry,
              times.pair.reference);
  std::printf("  quarry at 10,000 live, touching a cache line for each free: %.1f ns\n",
              times.touch);
  std::printf("  touching lines alone: %.1f ns overlapping, %.1f ns one after the other\n",
              times.touch_alone, times.touch_chained);
  figures.emplace_back("live_1m_over_touch", times.pair.quarry / times.touch);
}

void add_granularity(Figures& figures, std::uint64_t seed) {
  std::printf("bufferImageGranularity\n");
  double worst = 0;
  for (const Workload workload : {Workload::mixed, Workload::game}) {
    PairTimes times[2];
    for (const int i : {0, 1}) {
      PairPlan plan;
      plan.pair = {workload, 10'000, 0, seed};
      plan.subject.granularity = i == 0 ? 1 : 65'536;
      plan.turns = 15;
      times[i] = time_pairs(plan);
      std::printf("  %-8s %5u: quarry %8.1f ns, reference %8.1f ns\n", to_string(workload),
                  static_cast<unsigned>(plan.subject.granularity), times[i].quarry,
                  times[i].reference);
    }
    worst = std::max(worst, times[1].quarry / times[0].quarry);
  }
  figures.emplace_back("granularity_65536_over_1", worst);
}

void add_worst(Figures& figures, std::uint64_t seed) {
  std::printf("single operations\n");
  std::uint32_t worst = 0;
  const auto add = [&](const OperationTimes& times) {
    print_operation_times(times);
    worst = std::max(worst, times.worst());
  };
  for (const WorstCasePlan& plan : {WorstCasePlan{Workload::fixed_4k, 200'000, 20'000, seed},
                                    WorstCasePlan{Workload::mixed, 10'000, 20'000, seed},
                                    WorstCasePlan{Workload::game, 10'000, 20'000, seed}}) {
    add(time_quarry_operations(plan));
    print_operation_times(time_reference_operations(plan));
  }
  for (const OperationTimes& times : time_shattered_block())
    add(times);
  figures.emplace_back("worst_ns", worst);
}

void add_host_bytes(Figures& figures, std::uint64_t seed) {
  std::printf("host bytes for each of 100,000 live, tagged\n");
  for (const Workload workload : {Workload::fixed_4k, Workload::game, Workload::mixed}) {
    const HostBytes bytes = count_host_bytes(workload, seed);
    std::printf("  %-8s quarry %.1f, reference %.1f\n", to_string(workload), bytes.quarry,
                bytes.reference);
    if (workload == Workload::mixed)
      figures.emplace_back("host_bytes_per_allocation", bytes.quarry);
  }
}

void add_threads(Figures& figures, std::uint64_t seed) {
  ThreadPlan plan;
  plan.threads = standard_thread_counts();
  plan.seed = seed;
  const std::vector<ThreadTimes> quarry = time_quarry_threads(plan);
  const std::vector<ThreadTimes> reference = time_reference_threads(plan);
  std::printf("threads, mixed, million pairs a second\n");
  double lowest = 1e9;
  for (std::size_t i = 1; i < quarry.size(); ++i) {
    const double value = efficiency(quarry[0], quarry[i]);
    std::printf(
        "  %3u: quarry own %.2f (one %.2f), exchange %.2f (one %.2f), empty loop x%.2f, "
        "efficiency %.2f; reference own %.2f (one %.2f), efficiency %.2f\n",
        quarry[i].threads, quarry[i].own, quarry[0].own, quarry[i].exchange, quarry[0].exchange,
        quarry[i].empty / quarry[0].empty, value, reference[i].own, reference[0].own,
        efficiency(reference[0], reference[i]));
    lowest = std::min(lowest, value);
  }
  figures.emplace_back("threads_efficiency", lowest);
}

ReplayResult replay_on_fake(const Trace& trace, bool reference) {
  const ReplayOptions options{.keep_type_bits = false, .fragmentation = false};
  const fakes::FakeGpu gpu(roomy_profile(1));
  if (reference) {
    ReferenceTarget target(reference_desc(gpu));
    return replay(trace, target, options);
  }
  QuarryTarget target(gpu.allocator_desc());
  return replay(trace, target, options);
}

void add_traces(Figures& figures, std::uint64_t seed) {
  std::printf("traces\n");
  for (const char* name : {"streaming", "churn", "levels"}) {
    const Trace trace = find_generator(name)->make(seed);
    const ReplayResult quarry = replay_on_fake(trace, false);
    const ReplayResult reference = replay_on_fake(trace, true);
    for (const auto& [who, result] : {std::pair{"quarry", &quarry}, {"reference", &reference}})
      std::printf(
          "  %-10s %-9s reserved over live, mean %.3f, peaks %.3f, driver allocations "
          "%llu, refused %llu\n",
          name, who, result->mean_reserved_over_live,
          static_cast<double>(result->peak_reserved) / static_cast<double>(result->peak_live),
          static_cast<unsigned long long>(result->driver_allocations),
          static_cast<unsigned long long>(result->refused));
    figures.emplace_back(std::string(name) + "_reserved_over_live", quarry.mean_reserved_over_live);
    if (trace.name == "streaming")
      figures.emplace_back("streaming_driver_allocations",
                           static_cast<double>(quarry.driver_allocations));
  }
}

}  // namespace

void print_operation_times(const OperationTimes& times) {
  std::printf("  %-40s p50 %5u, p99 %5u, p99.9 %5u, worst %7u ns of %zu\n", times.name.c_str(),
              times.percentile(0.5), times.percentile(0.99), times.percentile(0.999), times.worst(),
              times.nanoseconds.size());
}

bool write_summary(const std::string& path, std::uint64_t seed) {
  Figures figures;
  add_pairs(figures, seed);
  add_block_counts(figures, seed);
  add_many_live(figures, seed);
  add_granularity(figures, seed);
  add_worst(figures, seed);
  add_host_bytes(figures, seed);
  add_traces(figures, seed);
  add_threads(figures, seed);
  return write_json(path, figures);
}

}  // namespace quarry::bench
