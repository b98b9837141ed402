// SPDX-License-Identifier: MIT
// quarry-replay: runs a trace, from a file or made up, on the allocator over a fake GPU or the
// machine's driver. Exit status: 0 done, 1 failed, 2 wrong usage.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/driver_device.hpp"
#include "bench/replay.hpp"
#include "bench/replay_plot.hpp"
#include "bench/report.hpp"
#include "bench/subjects.hpp"
#include "bench/trace_file.hpp"
#include "bench/traces/generators.hpp"

namespace quarry::bench {
namespace {

struct Options {
  std::string file;
  std::string generator;
  std::string profile = "roomy";
  std::string device = "fake";
  std::string allocator = "quarry";
  std::string plot;
  std::string save;
  std::uint64_t seed = 1;
  std::uint64_t warm_up = 0;
  std::uint64_t largest_block_mib = 0;
  std::uint64_t move_mib = 0;
  double move_above = MovePolicy{}.begin_above;
  bool keep_type_bits = false;
};

int fail(const std::string& what) {
  std::fprintf(stderr, "quarry-replay: %s\n", what.c_str());
  return 1;
}

std::vector<fakes::FakeProfile> all_profiles() {
  std::vector<fakes::FakeProfile> profiles = fakes::profiles::all();
  profiles.push_back(roomy_profile(1024));
  return profiles;
}

std::optional<fakes::FakeProfile> profile_named(const std::string& name) {
  for (fakes::FakeProfile& profile : all_profiles()) {
    if (profile.name == name) return std::move(profile);
  }
  return std::nullopt;
}

ReplayResult replay_on(const Options& options, const Trace& trace, bool reference,
                       const AllocatorDesc& allocator_desc, const ReferenceDesc& reference_desc) {
  const ReplayOptions replay_options{.keep_type_bits = options.keep_type_bits,
                                     .fragmentation = true};
  if (reference) {
    ReferenceTarget target(reference_desc);
    return replay(trace, target, replay_options);
  }
  AllocatorDesc desc = allocator_desc;
  if (options.largest_block_mib != 0)
    desc.blocks.largest_block = VkDeviceSize{options.largest_block_mib} << 20;
  QuarryTarget target(desc, {.bytes_per_frame = VkDeviceSize{options.move_mib} << 20,
                             .begin_above = options.move_above});
  ReplayResult result = replay(trace, target, replay_options);
  result.moved = target.moved();
  return result;
}

void print(const std::string& name, const ReplayResult& result) {
  constexpr double kMiB = 1024.0 * 1024.0;
  const auto count = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf("%s\n", name.c_str());
  std::printf("  allocations %llu (refused %llu) in %llu frames, %.3f ms in the allocator\n",
              count(result.allocations), count(result.refused), count(result.frames),
              result.seconds * 1e3);
  std::printf("  driver calls: vkAllocateMemory %llu, vkFreeMemory %llu\n",
              count(result.driver_allocations), count(result.driver_frees));
  std::printf("  peak reserved %.1f MiB / peak live %.1f MiB = %.3f\n",
              static_cast<double>(result.peak_reserved) / kMiB,
              static_cast<double>(result.peak_live) / kMiB,
              result.peak_live == 0 ? 0.0
                                    : static_cast<double>(result.peak_reserved) /
                                          static_cast<double>(result.peak_live));
  std::printf("  reserved over live, mean of the frames: %.3f\n", result.mean_reserved_over_live);
  if (result.moved.moves != 0)
    std::printf("  moved %.1f MiB in %llu moves\n",
                static_cast<double>(result.moved.bytes_moved) / kMiB, count(result.moved.moves));
  std::printf("  fragmentation over time:");
  for (std::size_t i = 1; i <= 10 && !result.samples.empty(); ++i)
    std::printf(" %.2f", result.samples[(result.samples.size() - 1) * i / 10].fragmentation);
  std::printf("\n");
}

int write_plot(const Options& options, const Trace& trace,
               const std::vector<NamedReplay>& replays) {
  if (options.plot.empty()) return 0;
  std::ofstream file(options.plot);
  file << plot_svg(trace.name, replays);
  file.close();
  if (!file) return fail(options.plot + ": cannot be written");
  return 0;
}

Expected<Trace, std::string> get_trace(const Options& options) {
  if (!options.file.empty()) return read_trace_file(options.file);
  return find_generator(options.generator)->make(options.seed);
}

int run(const Options& options, const std::vector<std::string>& command) {
  auto trace = get_trace(options);
  if (!trace) return fail(trace.error());
  if (options.warm_up != 0) trace->warm_up_frames = options.warm_up;
  if (!options.save.empty()) {
    const auto saved = write_trace_file(options.save, *trace);
    if (!saved) return fail(saved.error());
  }
  print_heading(command, options.seed);
  std::vector<NamedReplay> replays;
  std::unique_ptr<DriverDevice> driver;
  if (options.device == "driver") {
    auto opened = open_driver_device();
    if (!opened) return fail(opened.error());
    driver = std::move(*opened);
    std::printf("device: %s\n", driver->name().c_str());
  }
  for (const char* name : {"quarry", "reference"}) {
    if (options.allocator != "both" && options.allocator != name) continue;
    const bool reference = std::string(name) == "reference";
    if (driver != nullptr) {
      replays.push_back({name, replay_on(options, *trace, reference, driver->allocator_desc(),
                                         driver->reference_desc())});
    } else {
      const fakes::FakeGpu gpu(*profile_named(options.profile));
      replays.push_back(
          {name, replay_on(options, *trace, reference, gpu.allocator_desc(), reference_desc(gpu))});
      for (const fakes::Violation& violation : gpu.violations())
        return fail("a call that Vulkan does not allow: " + to_string(violation));
    }
    print(name, replays.back().result);
  }
  return write_plot(options, *trace, replays);
}

int parse_and_run(int argc, char** argv) {
  Options options;
  std::vector<std::string> generators;
  for (const TraceGenerator& each : trace_generators())
    generators.emplace_back(each.name);
  std::vector<std::string> profiles;
  for (const fakes::FakeProfile& each : all_profiles())
    profiles.push_back(each.name);
  CLI::App app("Replays a trace of allocations and tells what it cost.");
  app.add_option("file", options.file, "A trace as TraceRecorder writes it");
  app.add_option("--generate", options.generator, "Make a trace up instead")
      ->check(CLI::IsMember(generators));
  app.add_option("--profile", options.profile, "The fake GPU")
      ->capture_default_str()
      ->check(CLI::IsMember(profiles));
  app.add_option("--device", options.device)
      ->capture_default_str()
      ->check(CLI::IsMember({"fake", "driver"}));
  app.add_option("--allocator", options.allocator)
      ->capture_default_str()
      ->check(CLI::IsMember({"quarry", "reference", "both"}));
  app.add_option("--plot", options.plot, "Write a picture as SVG");
  app.add_option("--save", options.save, "Write the trace to a file");
  app.add_option("--seed", options.seed, "Of the made-up trace")->capture_default_str();
  app.add_option("--warm-up", options.warm_up, "Frames that do not count in the mean");
  app.add_option("--largest-block-mib", options.largest_block_mib,
                 "BlockPolicy::largest_block; Quarry only");
  app.add_option("--defragment-mib", options.move_mib,
                 "Move what lies in sparse blocks, so much each frame; Quarry only");
  app.add_option("--defragment-above", options.move_above,
                 "where blocks hold so many bytes for each that lives")
      ->capture_default_str();
  app.add_flag("--keep-type-bits", options.keep_type_bits,
               "Only memory types that the recording device allowed");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.file.empty() == options.generator.empty()) {
    std::fprintf(stderr, "quarry-replay: give a file, or --generate NAME\n");
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
    std::fprintf(stderr, "quarry-replay: %s\n", error.what());
    return 1;
  }
}
