// SPDX-License-Identifier: MIT
// quarry-copy-bench: measures the copy engine's steps on a real device. Exit status: 0 done, 1
// failed, 2 wrong usage.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include <CLI/CLI.hpp>

#include "bench/copying/buffer_steps.hpp"
#include "bench/copying/image_steps.hpp"

namespace quarry::bench {
namespace {

struct Options {
  std::string device;
  std::string summary;
  std::uint64_t mebibytes = 2048;
  std::uint32_t side = 8192;
  std::uint32_t repetitions = 5;
  std::uint64_t seed = 1;
  bool sweep = false;
  bool no_buffers = false;
  bool no_images = false;
};

int run(const Options& options) {
  copy::CopyDevice device({.name_part = options.device});
  Report report;
  report.heading(std::string(device.properties().deviceName) + ", driver version " +
                 std::to_string(device.properties().driverVersion) + "; seed " +
                 std::to_string(options.seed) + "; GB/s one way, best of " +
                 std::to_string(options.repetitions));
  BufferPlan buffers;
  buffers.bytes = VkDeviceSize{options.mebibytes} << 20;
  buffers.repetitions = options.repetitions;
  buffers.seed = options.seed;
  buffers.sweep = options.sweep;
  if (!options.no_buffers) {
    measure_scattered(device, buffers, report);
    measure_large(device, buffers, report);
  }
  ImagePlan images;
  images.side = options.side;
  images.repetitions = options.repetitions;
  if (!options.no_images) measure_images(device, images, report);
  if (options.summary.empty()) return 0;
  std::ofstream file(options.summary);
  file << report.text();
  file.close();
  if (file) return 0;
  (void)std::fprintf(stderr, "quarry-copy-bench: %s: cannot be written\n", options.summary.c_str());
  return 1;
}

int parse_and_run(int argc, char** argv) {
  Options options;
  CLI::App app("Measures how quickly Quarry moves buffers' and images' contents on a real device.");
  app.add_option("--device", options.device, "Part of the device's name; else the first device");
  app.add_option("--summary", options.summary, "Write the figures to this file, too");
  app.add_option("--mib", options.mebibytes, "MiB moved in each step of buffers, in whole blocks")
      ->capture_default_str()
      ->check(CLI::IsMember({256, 512, 1024, 2048, 3072}));
  app.add_option("--side", options.side, "Width and height of the images")
      ->capture_default_str()
      ->check(CLI::Range(64, 16'384));
  app.add_option("--repetitions", options.repetitions)
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_flag("--sweep", options.sweep, "Try the shader's work group sizes and chunks");
  app.add_flag("--no-buffers", options.no_buffers);
  app.add_flag("--no-images", options.no_images);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(options);
}

}  // namespace
}  // namespace quarry::bench

int main(int argc, char** argv) {
  try {
    return quarry::bench::parse_and_run(argc, argv);
  } catch (const std::exception& failure) {
    (void)std::fprintf(stderr, "quarry-copy-bench: %s\n", failure.what());
    return 1;
  }
}
