// SPDX-License-Identifier: MIT
#include "bench/workload.hpp"

#include <array>

#include "bench/random.hpp"

namespace quarry::bench {

namespace {

constexpr std::uint64_t kKiB = std::uint64_t{1} << 10;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Name {
  Workload workload;
  const char* text;
};
constexpr std::array<Name, 5> kNames = {{{Workload::fixed_4k, "4k"},
                                         {Workload::mixed, "mixed"},
                                         {Workload::large, "large"},
                                         {Workload::game, "game"},
                                         {Workload::textures, "textures"}}};

Request buffer(std::uint64_t size) {
  return {{.size = size, .alignment = 256, .memoryTypeBits = ~0u}, ResourceKind::linear};
}

Request texture(std::uint64_t size) {
  const std::uint64_t alignment = size < 512 * kKiB ? 4 * kKiB : 64 * kKiB;
  const std::uint64_t whole = (size + alignment - 1) / alignment * alignment;
  return {{.size = whole, .alignment = alignment, .memoryTypeBits = ~0u}, ResourceKind::optimal};
}

Request draw(Workload workload, Random& random) {
  switch (workload) {
    case Workload::fixed_4k:
      return buffer(4 * kKiB);
    case Workload::mixed:
      return buffer(random.log_uniform(256, 64 * kKiB));
    case Workload::large:
      return buffer(random.log_uniform(64 * kKiB, kMiB));
    case Workload::game:
      if (random.chance(0.15)) return texture(random.log_uniform(64 * kKiB, 64 * kMiB));
      return buffer(random.log_uniform(256, kMiB));
    case Workload::textures:
      if (random.chance(0.5)) return texture(random.log_uniform(256, 64 * kMiB));
      return buffer(random.log_uniform(256, 64 * kMiB));
  }
  return buffer(256);
}

}  // namespace

std::optional<Workload> workload_named(std::string_view name) {
  for (const Name& each : kNames) {
    if (name == each.text) return each.workload;
  }
  return std::nullopt;
}

const char* to_string(Workload workload) {
  for (const Name& each : kNames) {
    if (workload == each.workload) return each.text;
  }
  return "";
}

std::vector<Request> make_requests(Workload workload, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Request> requests(count);
  for (Request& request : requests)
    request = draw(workload, random);
  return requests;
}

}  // namespace quarry::bench
