// SPDX-License-Identifier: MIT
// quarry-defrag-demo: 4 GiB of movable buffers in blocks of 64 MiB, a random half freed, and what
// defragmentation makes of it, on the fake GPU or a real device. Exit status: 0 done, 1 failed or
// contents were lost, 2 wrong usage.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/defragmenting/half_freed.hpp"
#include "bench/defragmenting/map_picture.hpp"

namespace quarry::bench {
namespace {

struct Options {
  std::string device;
  std::string summary;
  std::string picture;
  std::uint64_t mebibytes = 4096;
  std::uint64_t seed = 1;
  bool real = false;
};

constexpr double kMiB = 1'048'576.0;

double ratio(VkDeviceSize a, VkDeviceSize b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

struct PlanTimes {
  double planner_ms = 0.0;
  double begin_ms = 0.0;
};

/// Of a heap of 100,000 live buffers of 4 to 256 KiB.
PlanTimes plan_times() {
  constexpr int kRepetitions = 15;
  constexpr std::uint64_t kLive = 100'000;
  const auto machine = make_fake_machine();
  HalfFreed heap(
      *machine,
      {.bytes = ~VkDeviceSize{0}, .smallest = 4 << 10, .largest = 256 << 10, .count = 2 * kLive});
  return {heap.plan_seconds(kRepetitions) * 1e3, heap.begin_seconds(kRepetitions) * 1e3};
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return true;
  (void)std::fprintf(stderr, "quarry-defrag-demo: %s: cannot be written\n", path.c_str());
  return false;
}

int run(const Options& options) {
  const auto machine = options.real ? make_device_machine(options.device) : make_fake_machine();
  const PlanTimes plan = plan_times();
  PassFigures figures;
  {
    HalfFreed heap(*machine,
                   {.bytes = VkDeviceSize{options.mebibytes} << 20, .seed = options.seed});
    figures = heap.defragment();
  }
  const double copied = static_cast<double>(figures.moved);
  const double speed =
      machine->is_real() && figures.copy_seconds > 0.0 ? copied / figures.copy_seconds / 1e9 : 0.0;
  std::printf("device                        %s\n", machine->name().c_str());
  std::printf("live                          %.1f MiB\n", static_cast<double>(figures.live) / kMiB);
  std::printf("blocks before / after         %zu / %zu\n", figures.before.blocks.size(),
              figures.after.blocks.size());
  std::printf("reserved over live            %.3f before, %.3f after\n",
              ratio(figures.reserved_before, figures.live),
              ratio(figures.reserved_after, figures.live));
  std::printf("moved                         %.1f MiB in %llu moves, %llu left out\n",
              copied / kMiB, static_cast<unsigned long long>(figures.moves),
              static_cast<unsigned long long>(figures.left_out));
  std::printf("moved over bound              %.3f\n", ratio(figures.moved, figures.bound));
  std::printf("planning, 100,000 buffers     %.2f ms, %.2f with the look at the heap\n",
              plan.planner_ms, plan.begin_ms);
  std::printf("recording                     %.2f ms\n", figures.record_seconds * 1e3);
  if (machine->is_real()) {
    std::printf("copying, submission to done   %.2f ms, %.1f GB/s\n", figures.copy_seconds * 1e3,
                speed);
    std::printf("buffers whose contents changed  %llu\n",
                static_cast<unsigned long long>(figures.wrong));
  } else {
    std::printf("copying                       not on the fake, which copies nothing\n");
  }
  if (!options.picture.empty() &&
      !write_file(options.picture, block_map_svg(figures.before, figures.after)))
    return 1;
  if (!options.summary.empty()) {
    char text[512];
    (void)std::snprintf(
        text, sizeof text,
        "{\n  \"reserved_over_live_before\": %.4f,\n"
        "  \"reserved_over_live_after\": %.4f,\n  \"moved_over_bound\": %.4f,\n"
        "  \"plan_ms_100k\": %.4f,\n  \"copy_gb_per_s\": %.2f,\n"
        "  \"device\": \"%s\"\n}\n",
        ratio(figures.reserved_before, figures.live), ratio(figures.reserved_after, figures.live),
        ratio(figures.moved, figures.bound), plan.planner_ms, speed, machine->name().c_str());
    if (!write_file(options.summary, text)) return 1;
  }
  return figures.wrong == 0 ? 0 : 1;
}

int parse_and_run(int argc, char** argv) {
  Options options;
  CLI::App app("Defragments a heap of which a random half was freed.", "quarry-defrag-demo");
  auto* device = app.add_option("--device", options.device,
                                "A real device, by part of its name; else the fake GPU");
  app.add_flag("--real", options.real, "The first real device");
  app.add_option("--summary", options.summary, "Write the figures as JSON to this file");
  app.add_option("--picture", options.picture, "Write a map of the blocks as SVG to this file");
  app.add_option("--mib", options.mebibytes, "MiB of buffers before half is freed")
      ->check(CLI::Range(std::uint64_t{64}, std::uint64_t{1} << 16))
      ->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.real = options.real || device->count() > 0;
  try {
    return run(options);
  } catch (const std::exception& failure) {
    (void)std::fprintf(stderr, "quarry-defrag-demo: %s\n", failure.what());
    return 1;
  }
}

}  // namespace
}  // namespace quarry::bench

int main(int argc, char** argv) {
  return quarry::bench::parse_and_run(argc, argv);
}
