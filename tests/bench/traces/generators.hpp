// SPDX-License-Identifier: MIT
// Traces made up after what programs do, the same for the same seed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bench/traces/trace.hpp"

namespace quarry::bench {

/// 100,000 allocations of the "game" workload; ones at random are freed so that 14.5 GiB hold them.
Trace random_churn(std::uint64_t seed);
/// Six levels of 5 to 9 GiB beside persistent assets (told as long-lived): textures and meshes are
/// loaded, some replaced while it is played for 600 frames, all given back at the end.
Trace level_loads(std::uint64_t seed);
/// An open world of 900 textures with whole mip chains, 60/25/15 % BC7/BC5/RGBA8, 60 % of them 8192
/// wide and the others 4096. Each of 3,000 steps loads one that is not there and evicts others at
/// random until 14 GiB hold them.
Trace texture_streaming(std::uint64_t seed);
/// 2,000 frames of small buffers: particle systems that live for some frames, UI windows that open
/// and close, uploads of one frame.
Trace ui_and_particles(std::uint64_t seed);
/// A renderer's targets, made anew for each of 60 window sizes, beside a scene that stays.
Trace render_target_resizes(std::uint64_t seed);
/// 120 training steps: weights and optimizer state stay, activations grow forward and go backward
/// while gradients come, sizes vary with the length of the batch.
Trace training_steps(std::uint64_t seed);
/// A flow solver: twelve fields of 4.5 GiB, six temporary ones a step, halo buffers, and a grid
/// that is refined every 40 steps.
Trace flow_solver(std::uint64_t seed);

struct TraceGenerator {
  const char* name;
  Trace (*make)(std::uint64_t seed);
};

std::span<const TraceGenerator> trace_generators();
/// Null for a name that there is not.
const TraceGenerator* find_generator(std::string_view name);

}  // namespace quarry::bench
