// SPDX-License-Identifier: MIT
// quarry-viewer: many 8K materials with less memory than they need.
#include <cstdio>
#include <exception>

#include "viewer/gpu.hpp"
#include "viewer/headless.hpp"
#include "viewer/interrupt.hpp"
#include "viewer/options.hpp"
#include "viewer/run_output.hpp"
#include "viewer/window_run.hpp"

namespace {

using namespace quarry::viewer;

int list_devices() {
  auto instance = Instance::create(false, {});
  if (!instance) {
    say_error(instance.error());
    return kExitFailure;
  }
  auto devices = (*instance)->devices();
  if (!devices) {
    say_error(devices.error());
    return kExitFailure;
  }
  (void)std::fputs(device_list(*devices).c_str(), stdout);
  return kExitOk;
}

int run(int argc, const char* const* argv) {
  const auto parsed = parse_options(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  const auto& options = std::get<Options>(parsed);
  listen_for_interrupts();
  if (options.list_devices) return list_devices();
  return options.headless || options.check_lod ? run_headless(options) : run_window(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    (void)std::fprintf(stderr, "quarry-viewer: error: %s\n", error.what());
    return kExitFailure;
  }
}
