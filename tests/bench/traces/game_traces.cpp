// SPDX-License-Identifier: MIT
// Levels, streaming, small buffers, render targets.
#include <cstddef>
#include <deque>

#include "bench/random.hpp"
#include "bench/traces/generators.hpp"
#include "bench/traces/textures.hpp"

namespace quarry::bench {

namespace {

constexpr VkDeviceSize kKiB = VkDeviceSize{1} << 10;
constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;
constexpr VkDeviceSize kGiB = VkDeviceSize{1} << 30;
constexpr std::uint64_t kFrameMicroseconds = 16'667;

Wanted buffer_wanted(VkDeviceSize bytes, Tag tag, MemoryIntent intent = MemoryIntent::device) {
  Wanted wanted;
  wanted.size = bytes;
  wanted.tag = tag;
  wanted.intent = intent;
  return wanted;
}

TexelFormat any_format(Random& random, double bc7, double bc5) {
  const double drawn = random.unit();
  if (drawn < bc7) return TexelFormat::bc7;
  return drawn < bc7 + bc5 ? TexelFormat::bc5 : TexelFormat::rgba8;
}

VkDeviceSize any_texture(Random& random) {
  const VkDeviceSize width = VkDeviceSize{64} << random.below(7);
  const VkDeviceSize height = random.chance(0.8) ? width : width / 2;
  return chain_bytes(any_format(random, 0.6, 0.25), width, height);
}

/// One level's resources, as a loader creates them: mixed, in files' order.
struct Level {
  TraceBuilder& trace;
  Random& random;
  Tag textures;
  Tag meshes;
  Lifetime lifetime = Lifetime::unspecified;

  std::uint64_t load_one() const {
    Wanted wanted = random.chance(0.45) ? image_wanted(any_texture(random), textures)
                                        : buffer_wanted(random.log_uniform(kKiB, 2 * kMiB), meshes);
    wanted.lifetime = lifetime;
    return trace.allocate(wanted);
  }
};

struct StreamedTexture {
  VkDeviceSize bytes = 0;
  std::uint64_t id = 0;  ///< 0: not there
};

void resize_targets(TraceBuilder& trace, Tag tag, VkDeviceSize width, VkDeviceSize height,
                    std::vector<std::uint64_t>& targets) {
  const auto target = [&](VkDeviceSize divisor, VkDeviceSize bytes_per_pixel) {
    const VkDeviceSize pixels = (width / divisor) * (height / divisor);
    targets.push_back(trace.allocate(image_wanted(pixels * bytes_per_pixel, tag)));
  };
  for (const VkDeviceSize bytes_per_pixel : {8u, 4u, 4u, 4u, 8u, 4u, 8u, 8u})
    target(1, bytes_per_pixel);
  for (VkDeviceSize divisor = 2; divisor <= 64; divisor *= 2)
    target(divisor, 8);
  target(2, 4);
  target(2, 2);
}

}  // namespace

Trace level_loads(std::uint64_t seed) {
  TraceBuilder trace("levels", kFrameMicroseconds);
  Random random(seed);
  Level level{trace, random, trace.tag("textures"), trace.tag("meshes"), Lifetime::long_lived};
  std::vector<std::uint64_t> persistent;
  persistent.reserve(250);
  for (int i = 0; i < 250; ++i)
    persistent.push_back(level.load_one());
  level.lifetime = Lifetime::unspecified;
  std::vector<std::uint64_t> live;
  for (int number = 0; number < 6; ++number) {
    const std::uint32_t count = 1500 + random.below(2000);
    for (std::uint32_t i = 0; i < count; ++i) {
      live.push_back(level.load_one());
      if (i % 50 == 49) trace.frame();
    }
    for (int frame = 0; frame < 600; ++frame) {
      for (int i = 0; i < 2; ++i) {
        std::uint64_t& replaced = live[random.below(count)];
        trace.free(replaced);
        replaced = level.load_one();
      }
      trace.frame();
    }
    trace.free_all(live);
    trace.frame();
  }
  trace.free_all(persistent);
  return trace.take(0);
}

Trace texture_streaming(std::uint64_t seed) {
  constexpr std::size_t kTextures = 900;
  constexpr int kSteps = 3000;
  constexpr VkDeviceSize kResident = 14 * kGiB;
  TraceBuilder trace("streaming", kFrameMicroseconds);
  Random random(seed);
  const Tag tag = trace.tag("textures");
  std::vector<StreamedTexture> textures(kTextures);
  for (StreamedTexture& texture : textures) {
    const VkDeviceSize width = random.chance(0.6) ? 8192 : 4096;
    texture.bytes = chain_bytes(any_format(random, 0.6, 0.25), width, width);
  }
  std::vector<std::size_t> resident;
  VkDeviceSize live = 0;
  for (int step = 0; step < kSteps; ++step) {
    std::size_t loaded = random.below(kTextures);
    while (textures[loaded].id != 0)
      loaded = random.below(kTextures);
    const Wanted wanted = image_wanted(textures[loaded].bytes, tag);
    while (live + wanted.size > kResident) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(resident.size()));
      StreamedTexture& evicted = textures[resident[at]];
      live -= image_wanted(evicted.bytes).size;
      trace.free(evicted.id);
      evicted.id = 0;
      resident[at] = resident.back();
      resident.pop_back();
    }
    textures[loaded].id = trace.allocate(wanted);
    live += wanted.size;
    resident.push_back(loaded);
    trace.frame();
  }
  for (const std::size_t index : resident)
    trace.free(textures[index].id);
  return trace.take(200);
}

Trace ui_and_particles(std::uint64_t seed) {
  TraceBuilder trace("particles", kFrameMicroseconds);
  Random random(seed);
  const Tag ui = trace.tag("ui");
  const Tag particles = trace.tag("particles");
  const Tag uploads = trace.tag("uploads");
  std::deque<std::vector<std::uint64_t>> systems;  // by the frame in which they end
  std::vector<std::vector<std::uint64_t>> windows;
  for (int frame = 0; frame < 2000; ++frame) {
    while (systems.size() < 120)
      systems.emplace_back();
    const std::uint32_t starting = random.below(12) + (random.chance(0.02) ? 80 : 0);
    for (std::uint32_t i = 0; i < starting; ++i) {
      std::vector<std::uint64_t>& end = systems[1 + random.below(119)];
      end.push_back(trace.allocate(buffer_wanted(random.log_uniform(512, 64 * kKiB), particles)));
      end.push_back(trace.allocate(buffer_wanted(256, particles)));
    }
    if (random.chance(0.05) || windows.empty()) {
      windows.emplace_back();
      const std::uint32_t widgets = 20 + random.below(200);
      for (std::uint32_t i = 0; i < widgets; ++i)
        windows.back().push_back(
            trace.allocate(buffer_wanted(random.log_uniform(256, 8 * kKiB), ui)));
    }
    if (windows.size() > 12 || (windows.size() > 1 && random.chance(0.04))) {
      const std::size_t closed = random.below(static_cast<std::uint32_t>(windows.size()));
      trace.free_all(windows[closed]);
      windows.erase(windows.begin() + static_cast<std::ptrdiff_t>(closed));
    }
    for (int i = 0; i < 6; ++i)
      systems[1].push_back(trace.allocate(
          buffer_wanted(random.log_uniform(kKiB, 256 * kKiB), uploads, MemoryIntent::upload)));
    trace.free_all(systems.front());
    systems.pop_front();
    trace.frame();
  }
  for (std::vector<std::uint64_t>& ending : systems)
    trace.free_all(ending);
  for (std::vector<std::uint64_t>& window : windows)
    trace.free_all(window);
  return trace.take(100);
}

Trace render_target_resizes(std::uint64_t seed) {
  TraceBuilder trace("resize", kFrameMicroseconds);
  Random random(seed);
  const Tag targets_tag = trace.tag("render targets");
  const Level level{trace, random, trace.tag("textures"), trace.tag("meshes"),
                    Lifetime::unspecified};
  std::vector<std::uint64_t> scene;
  scene.reserve(300);
  for (int i = 0; i < 300; ++i)
    scene.push_back(level.load_one());
  std::vector<std::uint64_t> targets;
  for (int size = 0; size < 60; ++size) {
    trace.free_all(targets);
    const VkDeviceSize width = 640 + random.below(3200);
    resize_targets(trace, targets_tag, width, width * 9 / 16, targets);
    for (int frame = 0; frame < 10; ++frame)
      trace.frame();
  }
  trace.free_all(targets);
  trace.free_all(scene);
  return trace.take(10);
}

}  // namespace quarry::bench
