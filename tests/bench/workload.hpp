// SPDX-License-Identifier: MIT
// The kinds of requests that the pair loops make, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>

namespace quarry::bench {

struct Request {
  VkMemoryRequirements requirements{};
  ResourceKind kind = ResourceKind::linear;
};

enum class Workload : std::uint8_t {
  fixed_4k,  ///< "4k": buffers of 4 KiB, alignment 256
  mixed,     ///< "mixed": buffers, log-uniform 256 B-64 KiB, alignment 256
  large,     ///< "large": buffers, log-uniform 64 KiB-1 MiB, alignment 256
  /// "game": 85 % buffers, log-uniform 256 B-1 MiB, alignment 256; 15 % textures, log-uniform 64
  /// KiB-64 MiB, alignment 4 KiB below 512 KiB, 64 KiB from there. 10,000 are about 14.5 GiB.
  game,
  /// "textures": buffers and textures in equal parts, all log-uniform 256 B-64 MiB, the alignments
  /// of "game". 10,000 are about 50 GiB.
  textures,
};

std::optional<Workload> workload_named(std::string_view name);
const char* to_string(Workload workload);

/// The same for the same seed.
std::vector<Request> make_requests(Workload workload, std::size_t count, std::uint64_t seed);

}  // namespace quarry::bench
