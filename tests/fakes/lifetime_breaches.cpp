// SPDX-License-Identifier: MIT
#include <cstring>

#include "fakes/breaches.hpp"

namespace quarry::fakes {

namespace {

/// Type 2 of the profile discrete: HOST_VISIBLE | HOST_COHERENT.
constexpr std::uint32_t kHost = 2;

struct BoundBuffer {
  VkBuffer buffer;
  VkDeviceMemory memory;
};

BoundBuffer bound_buffer(Bench& bench) {
  const BoundBuffer bound{bench.buffer(4096), bench.allocate(kHost, 64 * kKiB)};
  bench.bind_buffer(bound.buffer, bound.memory);
  return bound;
}

void destroy_what_is_read(Bench& bench) {
  const BoundBuffer bound = bound_buffer(bench);
  bench.gpu.submit_buffer_read(bound.buffer, 0, 64, bench.gpu.create_timeline_semaphore(), 1);
  bench.destroy_buffer(bound.buffer);
}

void use_after_free(Bench& bench) {
  bench.gpu.permit(Rule::free_while_bound);
  const BoundBuffer bound = bound_buffer(bench);
  bench.free(bound.memory);
  bench.gpu.use_buffer(bound.buffer);
}

void signal_backwards(Bench& bench) {
  const VkSemaphore semaphore = bench.gpu.create_timeline_semaphore(5);
  bench.gpu.signal(semaphore, 5);
}

void write_what_is_read(Bench& bench) {
  const BoundBuffer bound = bound_buffer(bench);
  const VkSemaphore semaphore = bench.gpu.create_timeline_semaphore();
  void* mapped = bench.map(bound.memory);
  std::memset(mapped, 1, 128);
  bench.gpu.submit_buffer_read(bound.buffer, 0, 128, semaphore, 1);
  std::memset(mapped, 2, 1);
  bench.gpu.signal(semaphore, 1);
}

void overlap_by_one_alignment(Bench& bench) {
  const BoundBuffer bound = bound_buffer(bench);
  bench.bind_buffer(bench.buffer(64), bound.memory, 4096 - 16);
}

/// Granularity 1,024: a buffer that ends in the granule where the image begins.
void share_a_granule(Bench& bench) {
  const VkDeviceMemory memory = bench.allocate(1, 64 * kKiB);
  bench.bind_buffer(bench.buffer(64), memory, 4096);
  bench.bind_image(bench.image(image_info(16, 16)), memory, 4096 + 256);
}

FakeProfile with_small_image_alignment() {
  FakeProfile profile = profiles::discrete();
  profile.small_image_alignment = 256;
  return profile;
}

void claim_twice(Bench& bench) {
  const VkDeviceMemory memory = bench.allocate(1, 4096);
  bench.gpu.claim(memory, 0, 512, ResourceKind::linear);
  bench.gpu.claim(memory, 256, 512, ResourceKind::linear);
}

void claim_unknown_beside_linear(Bench& bench) {
  const VkDeviceMemory memory = bench.allocate(1, 4096);
  bench.gpu.claim(memory, 0, 512, ResourceKind::linear);
  bench.gpu.claim(memory, 512, 512, ResourceKind::unknown);
}

void unclaim_nothing(Bench& bench) {
  bench.gpu.unclaim(bench.allocate(1, 4096), 0, 512);
}

}  // namespace

std::vector<Breach> lifetime_breaches() {
  const FakeProfile profile = profiles::discrete();
  return {
      {Rule::destroy_in_flight, profile, destroy_what_is_read},
      {Rule::use_unbound, profile, [](Bench& b) { b.gpu.use_buffer(b.buffer(64)); }},
      {Rule::use_after_free, profile, use_after_free},
      {Rule::semaphore_not_increasing, profile, signal_backwards},
      {Rule::host_write_in_flight, profile, write_what_is_read},
      {Rule::resources_overlap, profile, overlap_by_one_alignment},
      {Rule::granularity_conflict, with_small_image_alignment(), share_a_granule},
      {Rule::granularity_conflict, profile, claim_unknown_beside_linear},
      {Rule::claims_overlap, profile, claim_twice},
      {Rule::claim_outside, profile, unclaim_nothing},
      {Rule::claim_outside, profile,
       [](Bench& b) { b.gpu.claim(b.allocate(1, 4096), 4000, 97, ResourceKind::linear); }},
  };
}

}  // namespace quarry::fakes
