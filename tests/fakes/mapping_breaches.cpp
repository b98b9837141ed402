// SPDX-License-Identifier: MIT
#include "fakes/breaches.hpp"

namespace quarry::fakes {

namespace {

/// Type 3 of the profile non_coherent: HOST_VISIBLE | HOST_CACHED; its atom is 256.
constexpr std::uint32_t kCached = 3;

VkDeviceMemory mapped(Bench& bench, VkDeviceSize size = 4096) {
  const VkDeviceMemory memory = bench.allocate(kCached, size);
  bench.map(memory);
  return memory;
}

FakeProfile mappable_instances() {
  FakeProfile profile = profiles::multi_instance();
  profile.types.push_back({VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                               VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                           0});
  return profile;
}

void map_with_flags(Bench& bench) {
  void* data = nullptr;
  bench.vk.vkMapMemory(bench.device(), bench.allocate(kCached, 4096), 0, VK_WHOLE_SIZE, 1, &data);
}

void flush_outside_a_partial_mapping(Bench& bench) {
  const VkDeviceMemory memory = bench.allocate(kCached, 4096);
  bench.map(memory, 1024, 1024);
  bench.flush(memory, 2048, 256);
}

}  // namespace

std::vector<Breach> mapping_breaches() {
  const FakeProfile profile = profiles::non_coherent();
  return {
      {Rule::map_not_host_visible, profile, [](Bench& b) { b.map(b.allocate(0, 4096)); }},
      {Rule::map_twice, profile, [](Bench& b) { b.map(mapped(b)); }},
      {Rule::map_offset, profile, [](Bench& b) { b.map(b.allocate(kCached, 4096), 4096); }},
      {Rule::map_size_zero, profile, [](Bench& b) { b.map(b.allocate(kCached, 4096), 0, 0); }},
      {Rule::map_range, profile, [](Bench& b) { b.map(b.allocate(kCached, 4096), 256, 4096); }},
      {Rule::map_flags, profile, map_with_flags},
      {Rule::map_multi_instance, mappable_instances(),
       [](Bench& b) { b.map(b.allocate(3, 4096)); }},
      {Rule::unmap_not_mapped, profile, [](Bench& b) { b.unmap(b.allocate(kCached, 4096)); }},
      {Rule::range_not_mapped, profile,
       [](Bench& b) { b.flush(b.allocate(kCached, 4096), 0, 256); }},
      {Rule::range_outside_mapping, profile, flush_outside_a_partial_mapping},
      {Rule::range_outside_mapping, profile, [](Bench& b) { b.invalidate(mapped(b), 0, 8192); }},
      {Rule::range_offset_atom, profile, [](Bench& b) { b.flush(mapped(b), 64, 256); }},
      {Rule::range_size_atom, profile, [](Bench& b) { b.flush(mapped(b), 256, 64); }},
      {Rule::range_size_atom, profile, [](Bench& b) { b.invalidate(mapped(b), 0, 64); }},
  };
}

}  // namespace quarry::fakes
