// SPDX-License-Identifier: MIT
#include "bench/summary.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/host_bytes.hpp"
#include "bench/pair_figures.hpp"
#include "bench/replay.hpp"
#include "bench/report.hpp"
#include "bench/subjects.hpp"
#include "bench/thread_figures.hpp"
#include "bench/traces/generators.hpp"

namespace quarry::bench {

namespace {

void add_pairs(Figures& figures, const SummaryPlan& plan) {
  std::printf("pairs, %u live\n", plan.effort.count(10'000));
  for (const Workload workload : {Workload::fixed_4k, Workload::mixed, Workload::game}) {
    PairPlan pairs;
    pairs.pair = {workload, plan.effort.count(10'000), 0, plan.seed};
    pairs.turns = plan.effort.turns(61);
    pairs.turn_ns = plan.effort.nanoseconds(pairs.turn_ns);
    const PairTimes times = time_pairs({&pairs, 1}).front();
    std::printf("  %-8s quarry %8.1f ns, reference %8.1f ns\n", to_string(workload), times.quarry,
                times.reference);
    const std::string key = std::string("pair_") + to_string(workload) + "_ns";
    figures.emplace_back(key, times.quarry);
    figures.emplace_back(key + "_ratio", times.reference / times.quarry);
  }
}

void add_block_counts(Figures& figures, const SummaryPlan& plan) {
  std::printf("blocks\n");
  const BlockCountRatios ratios = time_block_counts(plan.seed, plan.effort);
  std::printf("  4,096 over 1: quarry %.2f, reference %.2f\n", ratios.quarry, ratios.reference);
  figures.emplace_back("blocks_4096_over_1", ratios.quarry);
}

void add_many_live(Figures& figures, const SummaryPlan& plan) {
  const ManyLive times = time_many_live(plan.seed, plan.effort);
  std::printf("%u live, mixed\n  quarry %.1f ns, reference %.1f ns\n", plan.effort.count(1'000'000),
              times.pair.quarry, times.pair.reference);
  std::printf("  quarry at 10,000 live, touching a cache line for each free: %.1f ns\n",
              times.touch);
  std::printf("  touching lines alone: %.1f ns overlapping, %.1f ns one after the other\n",
              times.touch_alone, times.touch_chained);
  figures.emplace_back("live_1m_over_touch", times.pair.quarry / times.touch);
}

void add_granularity(Figures& figures, const SummaryPlan& plan) {
  std::printf("bufferImageGranularity\n");
  constexpr std::array<VkDeviceSize, 2> kGranularities = {1, 65'536};
  double worst = 0;
  for (const Workload workload : {Workload::mixed, Workload::game}) {
    std::array<PairPlan, kGranularities.size()> plans;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      plans[i].pair = {workload, plan.effort.count(10'000), 0, plan.seed};
      plans[i].subject.granularity = kGranularities[i];
      plans[i].turns = plan.effort.turns(21);
      plans[i].turn_ns = plan.effort.nanoseconds(plans[i].turn_ns);
    }
    const std::vector<PairTimes> times = time_pairs(plans);
    for (std::size_t i = 0; i < plans.size(); ++i)
      std::printf("  %-8s %5u: quarry %8.1f ns, reference %8.1f ns\n", to_string(workload),
                  static_cast<unsigned>(kGranularities[i]), times[i].quarry, times[i].reference);
    worst = std::max(worst, times[1].quarry / times[0].quarry);
  }
  figures.emplace_back("granularity_65536_over_1", worst);
}

void add_worst(Figures& figures, const SummaryPlan& plan) {
  std::printf("single operations\n");
  std::uint32_t worst = 0;
  const auto add = [&](const OperationTimes& times) {
    print_operation_times(times);
    worst = std::max(worst, times.worst());
  };
  const std::uint32_t pairs = plan.effort.count(20'000);
  const std::uint32_t live = plan.effort.count(10'000);
  for (const WorstCasePlan& each :
       {WorstCasePlan{Workload::fixed_4k, plan.effort.count(200'000), pairs, plan.seed},
        WorstCasePlan{Workload::mixed, live, pairs, plan.seed},
        WorstCasePlan{Workload::game, live, pairs, plan.seed}}) {
    add(time_quarry_operations(each));
    print_operation_times(time_reference_operations(each));
  }
  for (const OperationTimes& times : time_shattered_block(plan.effort))
    add(times);
  figures.emplace_back("worst_ns", worst);
}

void add_host_bytes(Figures& figures, const SummaryPlan& plan) {
  const std::uint32_t live = plan.effort.count(100'000);
  std::printf("host bytes for each of %u live, tagged\n", live);
  for (const Workload workload : {Workload::fixed_4k, Workload::game, Workload::mixed}) {
    const HostBytes bytes = count_host_bytes(workload, plan.seed, live);
    std::printf("  %-8s quarry %.1f, reference %.1f\n", to_string(workload), bytes.quarry,
                bytes.reference);
    if (workload == Workload::mixed)
      figures.emplace_back("host_bytes_per_allocation", bytes.quarry);
  }
}

constexpr std::uint32_t kLeastMilliseconds = 40;

void add_threads(Figures& figures, const SummaryPlan& plan) {
  ThreadPlan threads;
  threads.threads = standard_thread_counts();
  threads.seed = plan.seed;
  threads.rounds = plan.effort.turns(threads.rounds);
  // Shorter, and on a busy machine a thread may not have its turn at all.
  threads.milliseconds = std::max(plan.effort.turns(threads.milliseconds), kLeastMilliseconds);
  const std::vector<ThreadTimes> quarry = time_quarry_threads(threads);
  const std::vector<ThreadTimes> reference = time_reference_threads(threads);
  std::printf("threads, mixed, million pairs a second\n");
  double lowest = std::numeric_limits<double>::max();
  for (std::size_t i = 1; i < quarry.size(); ++i) {
    const double value = efficiency(quarry[0], quarry[i]);
    std::printf(
        "  %3u: quarry own %.2f (one %.2f), exchange %.2f (one %.2f), empty loop x%.2f, "
        "efficiency %.2f\n",
        quarry[i].threads, quarry[i].own, quarry[0].own, quarry[i].exchange, quarry[0].exchange,
        quarry[i].empty / quarry[0].empty, value);
    std::printf("       reference own %.2f (one %.2f), exchange %.2f (one %.2f), efficiency %.2f\n",
                reference[i].own, reference[0].own, reference[i].exchange, reference[0].exchange,
                efficiency(reference[0], reference[i]));
    if (!processors_were_free(quarry[0], quarry[i]))
      std::printf("       the processors were busy: this efficiency says little\n");
    lowest = std::min(lowest, value);
  }
  figures.emplace_back("threads_efficiency", lowest);
}

/// Blocks of 512 MiB, since a third of the textures' bytes is in such of 341 MiB; half of one is
/// moved in a frame.
ReplayResult replay_with_moves(const Trace& trace) {
  const fakes::FakeGpu gpu(roomy_profile(1));
  AllocatorDesc desc = gpu.allocator_desc();
  desc.blocks.largest_block = VkDeviceSize{512} << 20;
  QuarryTarget target(desc, {.bytes_per_frame = desc.blocks.largest_block / 2});
  return replay(trace, target, {.keep_type_bits = false, .fragmentation = false});
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

void print_replay(const char* trace, const char* who, const ReplayResult& result) {
  std::printf(
      "  %-10s %-10s reserved over live, mean %.3f, peaks %.3f, driver allocations %llu, refused "
      "%llu\n",
      trace, who, result.mean_reserved_over_live,
      static_cast<double>(result.peak_reserved) / static_cast<double>(result.peak_live),
      static_cast<unsigned long long>(result.driver_allocations),
      static_cast<unsigned long long>(result.refused));
}

void add_traces(Figures& figures, const SummaryPlan& plan) {
  std::printf("traces\n");
  for (const char* name : {"streaming", "churn", "levels"}) {
    const Trace trace = find_generator(name)->make(plan.seed);
    const ReplayResult quarry = replay_on_fake(trace, false);
    const ReplayResult reference = replay_on_fake(trace, true);
    print_replay(name, "quarry", quarry);
    print_replay(name, "reference", reference);
    figures.emplace_back(std::string(name) + "_reserved_over_live", quarry.mean_reserved_over_live);
    if (trace.name != "streaming") continue;
    figures.emplace_back("streaming_driver_allocations",
                         static_cast<double>(quarry.driver_allocations));
    const ReplayResult moving = replay_with_moves(trace);
    print_replay(name, "with moves", moving);
    figures.emplace_back("streaming_with_moves_reserved_over_live", moving.mean_reserved_over_live);
    figures.emplace_back("streaming_with_moves_driver_allocations",
                         static_cast<double>(moving.driver_allocations));
  }
}

}  // namespace

void print_operation_times(const OperationTimes& times) {
  std::printf("  %-40s p50 %5u, p99 %5u, p99.9 %5u, worst %7u ns of %zu\n", times.name.c_str(),
              times.percentile(0.5), times.percentile(0.99), times.percentile(0.999), times.worst(),
              times.nanoseconds.size());
}

bool write_summary(const std::string& path, const SummaryPlan& plan) {
  // Known before the minute has passed.
  if (!std::ofstream(path, std::ios::app)) return false;
  Figures figures;
  add_pairs(figures, plan);
  add_block_counts(figures, plan);
  add_many_live(figures, plan);
  add_granularity(figures, plan);
  add_worst(figures, plan);
  add_host_bytes(figures, plan);
  add_traces(figures, plan);
  add_threads(figures, plan);
  return write_json(path, figures);
}

}  // namespace quarry::bench
