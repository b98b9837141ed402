// SPDX-License-Identifier: MIT
// quarry-bench: measures the allocator on the fake GPU beside the reference allocator. Exit status:
// 0 done, 1 failed, 2 wrong usage.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/clock.hpp"
#include "bench/host_bytes.hpp"
#include "bench/pair_figures.hpp"
#include "bench/report.hpp"
#include "bench/summary.hpp"
#include "bench/thread_figures.hpp"
#include "bench/worst_case.hpp"

namespace quarry::bench {
namespace {

struct Options {
  std::string pair;
  std::string allocator = "quarry";
  std::string summary;
  std::vector<unsigned> threads;
  std::uint64_t operations = 1'000'000;
  std::size_t live = 10'000;
  std::uint64_t blocks = 0;
  VkDeviceSize granularity = 1;
  std::uint64_t seed = 1;
  bool worst = false;
  bool host_bytes = false;
  bool smoke = false;
};

template <class Subject>
void run_pairs(const Options& options, Workload workload) {
  SubjectDesc desc;
  desc.granularity = options.granularity;
  if (options.blocks != 0) {
    desc.first_block = kFilledBytes / options.blocks;
    desc.largest_block = desc.first_block;
  }
  Subject subject(desc);
  PairRig<Subject> rig(subject, {workload, options.live, options.blocks, options.seed});
  const std::uint64_t calls = subject.driver_calls();
  const std::uint64_t start = thread_ns();
  rig.run(options.operations);
  const double ns = static_cast<double>(thread_ns() - start);
  std::printf("%s %s: %llu pairs, %.1f ns a pair, %llu driver calls, %llu device memories\n",
              Subject::kName, to_string(workload),
              static_cast<unsigned long long>(options.operations),
              ns / static_cast<double>(options.operations),
              static_cast<unsigned long long>(subject.driver_calls() - calls),
              static_cast<unsigned long long>(subject.memory_count()));
}

int run_pairs(const Options& options) {
  const auto workload = workload_named(options.pair);
  if (!workload) return 2;
  if (options.allocator == "quarry") {
    run_pairs<QuarrySubject>(options, *workload);
  } else {
    run_pairs<ReferenceSubject>(options, *workload);
  }
  return 0;
}

void print_threads(const char* name, const std::vector<ThreadTimes>& times) {
  std::printf("%s, million pairs a second in total\n", name);
  std::printf("  threads   empty loop        own   exchange    one way    records   efficiency\n");
  for (const ThreadTimes& each : times)
    std::printf("  %7u %12.1f %10.2f %10.2f %10.2f %10.2f %12.2f%s\n", each.threads, each.empty,
                each.own, each.exchange, each.one_way, each.records,
                efficiency(times.front(), each),
                processors_were_free(times.front(), each) ? "" : "  (processors were busy)");
}

void run_threads(const Options& options, Workload workload) {
  ThreadPlan plan;
  plan.threads = options.threads;
  plan.workload = workload;
  plan.seed = options.seed;
  print_threads("quarry", time_quarry_threads(plan));
  print_threads("reference", time_reference_threads(plan));
}

void print_histogram(const OperationTimes& times) {
  print_operation_times(times);
  const std::vector<std::size_t> counts = times.histogram();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) std::printf("    below %8llu ns %9zu\n", 1ull << i, counts[i]);
  }
}

void run_worst(const Options& options) {
  for (const Workload workload : {Workload::fixed_4k, Workload::mixed, Workload::game}) {
    WorstCasePlan plan;
    plan.workload = workload;
    plan.live = options.live;
    plan.seed = options.seed;
    print_histogram(time_quarry_operations(plan));
    print_histogram(time_reference_operations(plan));
  }
  for (const OperationTimes& times : time_shattered_block())
    print_histogram(times);
}

void run_host_bytes(const Options& options) {
  for (const Workload workload : {Workload::fixed_4k, Workload::mixed, Workload::game}) {
    const HostBytes bytes = count_host_bytes(workload, options.seed);
    std::printf("%-8s host bytes for each of 100,000 live: quarry %.1f, reference %.1f\n",
                to_string(workload), bytes.quarry, bytes.reference);
  }
}

int run(const Options& options, const std::vector<std::string>& command) {
  print_heading(command, options.seed);
  if (!options.summary.empty()) {
    SummaryPlan plan;
    plan.seed = options.seed;
    if (options.smoke) plan.effort.divisor = 100;
    if (write_summary(options.summary, plan)) return 0;
    std::fprintf(stderr, "quarry-bench: %s: cannot be written\n", options.summary.c_str());
    return 1;
  }
  if (!options.threads.empty())
    run_threads(options, workload_named(options.pair).value_or(Workload::mixed));
  if (options.worst) run_worst(options);
  if (options.host_bytes) run_host_bytes(options);
  if (options.pair.empty() || !options.threads.empty()) return 0;
  return run_pairs(options);
}

int parse_and_run(int argc, char** argv) {
  Options options;
  CLI::App app("Measures Quarry's allocator on a fake GPU, beside a plain reference allocator.");
  app.add_option("--pair", options.pair, "Allocate and free pairs of this kind")
      ->check(CLI::IsMember({"4k", "mixed", "large", "game", "textures"}));
  app.add_option("--operations", options.operations, "Pairs in the loop")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--allocator", options.allocator)
      ->capture_default_str()
      ->check(CLI::IsMember({"quarry", "reference"}));
  app.add_option("--live", options.live, "Live allocations")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--blocks", options.blocks, "Fill 16 GiB in so many blocks beforehand")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{4096}));
  app.add_option("--granularity", options.granularity, "bufferImageGranularity")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "A table of throughput for these thread counts")
      ->delimiter(',')
      ->check(CLI::Range(1u, 256u));
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--summary", options.summary, "Measure everything briefly, write a JSON file");
  app.add_flag("--smoke", options.smoke,
               "With --summary: a hundredth of everything, to see that it works");
  app.add_flag("--worst", options.worst, "The slowest single operations");
  app.add_flag("--host-bytes", options.host_bytes, "Host memory for each live allocation");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const bool nothing = options.pair.empty() && options.summary.empty() && options.threads.empty() &&
                       !options.worst && !options.host_bytes;
  if (nothing) {
    std::fputs(app.help().c_str(), stderr);
    return 2;
  }
  return run(options, {argv, argv + argc});
}

}  // namespace
}  // namespace quarry::bench

int main(int argc, char** argv) {
  try {
    return quarry::bench::parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quarry-bench: %s\n", error.what());
    return 1;
  }
}
