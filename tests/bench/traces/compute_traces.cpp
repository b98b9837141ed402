// SPDX-License-Identifier: MIT
// Random churn, a training step, a flow solver.
#include <array>
#include <cstddef>
#include <utility>

#include "bench/random.hpp"
#include "bench/traces/generators.hpp"
#include "bench/workload.hpp"

namespace quarry::bench {

namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;
constexpr VkDeviceSize kGiB = VkDeviceSize{1} << 30;
constexpr std::uint64_t kStepMicroseconds = 20'000;

Wanted of(const Request& request) {
  Wanted wanted;
  wanted.size = request.requirements.size;
  wanted.alignment = request.requirements.alignment;
  wanted.resource = request.kind;
  return wanted;
}

Wanted tensor(VkDeviceSize bytes, Tag tag, Lifetime lifetime = Lifetime::unspecified) {
  Wanted wanted;
  wanted.size = (bytes + 511) / 512 * 512;
  wanted.alignment = 512;
  wanted.lifetime = lifetime;
  wanted.tag = tag;
  return wanted;
}

}  // namespace

Trace random_churn(std::uint64_t seed) {
  constexpr std::size_t kSteps = 100'000;
  constexpr std::size_t kStepsInFrame = 25;
  constexpr VkDeviceSize kMostLive = kGiB * 29 / 2;
  TraceBuilder trace("churn", kStepMicroseconds);
  Random random(seed);
  const std::vector<Request> requests = make_requests(Workload::game, kSteps, seed);
  std::vector<std::pair<std::uint64_t, VkDeviceSize>> live;  // id, bytes
  VkDeviceSize live_bytes = 0;
  for (std::size_t i = 0; i < kSteps; ++i) {
    const Wanted wanted = of(requests[i]);
    while (live_bytes + wanted.size > kMostLive) {
      auto& freed = live[random.below(static_cast<std::uint32_t>(live.size()))];
      trace.free(freed.first);
      live_bytes -= freed.second;
      freed = live.back();
      live.pop_back();
    }
    live.emplace_back(trace.allocate(wanted), wanted.size);
    live_bytes += wanted.size;
    if (i % kStepsInFrame == kStepsInFrame - 1) trace.frame();
  }
  for (const auto& [id, bytes] : live)
    trace.free(id);
  return trace.take(kSteps / kStepsInFrame / 5);
}

Trace training_steps(std::uint64_t seed) {
  constexpr VkDeviceSize kWidth = 4096;
  constexpr int kLayers = 24;
  constexpr int kSteps = 120;
  TraceBuilder trace("training", kStepMicroseconds);
  Random random(seed);
  const Tag weights = trace.tag("weights");
  const Tag optimizer = trace.tag("optimizer");
  const Tag activations = trace.tag("activations");
  const Tag gradients = trace.tag("gradients");
  constexpr std::array<VkDeviceSize, 6> kMatrices = {
      kWidth * kWidth * 3, kWidth * kWidth, kWidth * kWidth * 4,
      kWidth * kWidth * 4, kWidth,          kWidth};
  std::vector<std::uint64_t> kept;
  for (int layer = 0; layer < kLayers; ++layer) {
    for (const VkDeviceSize elements : kMatrices) {
      kept.push_back(trace.allocate(tensor(elements * 2, weights, Lifetime::long_lived)));
      kept.push_back(trace.allocate(tensor(elements * 4, optimizer, Lifetime::long_lived)));
    }
  }
  for (int step = 0; step < kSteps; ++step) {
    const VkDeviceSize tokens = 2048 + 128 * random.below(17);
    std::vector<std::vector<std::uint64_t>> forward;
    for (int layer = 0; layer < kLayers; ++layer) {
      std::vector<std::uint64_t>& saved = forward.emplace_back();
      for (const VkDeviceSize factor : {1u, 3u, 1u, 4u, 4u, 1u})
        saved.push_back(trace.allocate(tensor(tokens * kWidth * factor * 2, activations)));
      const std::uint64_t scratch = trace.allocate(tensor(tokens * tokens * 8, activations));
      trace.free(scratch);
    }
    std::vector<std::uint64_t> made;
    for (int layer = kLayers; layer-- > 0;) {
      for (const VkDeviceSize elements : kMatrices)
        made.push_back(trace.allocate(tensor(elements * 2, gradients)));
      std::vector<std::uint64_t> passed;
      for (const VkDeviceSize factor : {4u, 1u})
        passed.push_back(trace.allocate(tensor(tokens * kWidth * factor * 2, gradients)));
      trace.free_all(forward.back());
      forward.pop_back();
      trace.free_all(passed);
      if (layer % 6 == 0) trace.frame();
    }
    trace.free_all(made);
    trace.frame();
  }
  trace.free_all(kept);
  return trace.take(15);
}

Trace flow_solver(std::uint64_t seed) {
  constexpr int kSteps = 200;
  TraceBuilder trace("flow", kStepMicroseconds);
  Random random(seed);
  const Tag fields_tag = trace.tag("fields");
  const Tag temporary_tag = trace.tag("temporary");
  const Tag halo_tag = trace.tag("halo");
  VkDeviceSize field = kGiB / 2 * 9;
  std::vector<std::uint64_t> fields;
  std::vector<std::uint64_t> temporary;
  for (int step = 0; step < kSteps; ++step) {
    if (step % 40 == 0) {
      trace.free_all(fields);
      if (step != 0) field += (64 + random.below(192)) * kMiB;
      for (int i = 0; i < 12; ++i)
        fields.push_back(trace.allocate(tensor(field, fields_tag, Lifetime::long_lived)));
    }
    for (int i = 0; i < 6; ++i)
      temporary.push_back(trace.allocate(tensor(field, temporary_tag, Lifetime::short_lived)));
    for (int i = 0; i < 26; ++i)
      temporary.push_back(
          trace.allocate(tensor(random.log_uniform(kMiB / 4, 32 * kMiB), halo_tag)));
    trace.frame();
    trace.free_all(temporary);
    trace.frame();
  }
  trace.free_all(fields);
  return trace.take(2);
}

}  // namespace quarry::bench
