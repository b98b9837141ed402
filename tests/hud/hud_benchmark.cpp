// SPDX-License-Identifier: MIT
// What one hud::draw costs, over allocators with so many live buffers on the fake GPU. NewFrame and
// Render of an otherwise empty ImGui are in every figure; Empty has nothing else.
#include <vector>

#include <benchmark/benchmark.h>

#include <quarry/hud.hpp>
#include <quarry/unique.hpp>

#include "fakes/create_infos.hpp"
#include "fakes/fake_gpu.hpp"
#include "hud/imgui_screen.hpp"

namespace quarry::hud {
namespace {

/// Named buffers of 4 to 64 KiB, every fourth freed again.
struct Load {
  fakes::FakeGpu gpu{fakes::profiles::discrete()};
  Allocator allocator = Allocator::create(gpu.allocator_desc()).value();
  std::vector<UniqueBuffer> buffers;

  explicit Load(std::int64_t count) {
    AllocationDesc desc;
    desc.name = "a buffer with a name";
    desc.tag = allocator.register_tag("benchmark").value();
    for (std::int64_t i = 0; i < count + count / 3; ++i) {
      const VkDeviceSize size = static_cast<VkDeviceSize>(1 + i * 7 % 16) * 4 * fakes::kKiB;
      buffers.emplace_back(allocator,
                           allocator.create_buffer(fakes::buffer_info(size), desc).value());
    }
    for (std::size_t i = 0; i < buffers.size(); i += 4)
      buffers[i].reset();
  }
};

void empty(benchmark::State& state) {
  ImguiScreen screen(1920, 1080);
  while (state.KeepRunning())
    screen.frame([] {});
}

void draw_frames(benchmark::State& state, const Options& options) {
  const Load load(state.range(0));
  ImguiScreen screen(1920, 1080);
  History history;
  while (state.KeepRunning())
    screen.frame([&] { draw(load.allocator, history, options); });
}

void without_map(benchmark::State& state) {
  Options options;
  options.show_blocks = false;
  draw_frames(state, options);
}

void with_map(benchmark::State& state) {
  draw_frames(state, {});
}

void with_a_snapshot_in_each_frame(benchmark::State& state) {
  Options options;
  options.snapshot_seconds = 0;
  draw_frames(state, options);
}

BENCHMARK(empty);
BENCHMARK(without_map)->Arg(1000)->Arg(100'000);
BENCHMARK(with_map)->Arg(1000)->Arg(10'000)->Arg(100'000);
BENCHMARK(with_a_snapshot_in_each_frame)->Arg(1000)->Arg(10'000)->Arg(100'000);

}  // namespace
}  // namespace quarry::hud

BENCHMARK_MAIN();
