// SPDX-License-Identifier: MIT
#include "fakes/fake_profile.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace quarry::fakes {

namespace {

constexpr VkMemoryPropertyFlags kDeviceLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kHostVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kHostCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kHostCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags kLazy = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
constexpr VkMemoryPropertyFlags kProtected = VK_MEMORY_PROPERTY_PROTECTED_BIT;
constexpr VkMemoryPropertyFlags kDeviceCoherent =
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
constexpr VkMemoryHeapFlags kLocalHeap = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;

FakeProfile make(std::string name, std::vector<VkMemoryHeap> heaps,
                 std::vector<VkMemoryType> types) {
  FakeProfile profile;
  profile.name = std::move(name);
  profile.heaps = std::move(heaps);
  profile.types = std::move(types);
  profile.device_extensions = {VK_EXT_MEMORY_BUDGET_EXTENSION_NAME};
  return profile;
}

bool contains(const std::vector<const char*>& names, const char* name) {
  return std::ranges::any_of(names, [&](const char* n) { return std::strcmp(n, name) == 0; });
}

}  // namespace

bool FakeProfile::has_extension(const char* extension) const {
  return contains(device_extensions, extension) || contains(instance_extensions, extension);
}

std::uint32_t FakeProfile::effective_version() const {
  return std::min(api_version, declared_version);
}

namespace profiles {

FakeProfile discrete() {
  FakeProfile p =
      make("discrete", {{8 * kGiB, kLocalHeap}, {16 * kGiB, 0}, {256 * kMiB, kLocalHeap}},
           {{0, 1},
            {kDeviceLocal, 0},
            {kHostVisible | kHostCoherent, 1},
            {kHostVisible | kHostCoherent | kHostCached, 1},
            {kDeviceLocal | kHostVisible | kHostCoherent, 2}});
  p.granularity = 1024;
  return p;
}

FakeProfile rebar() {
  FakeProfile p = make("rebar", {{8 * kGiB, kLocalHeap}, {16 * kGiB, 0}},
                       {{kDeviceLocal, 0},
                        {kHostVisible | kHostCoherent, 1},
                        {kHostVisible | kHostCoherent | kHostCached, 1},
                        {kDeviceLocal | kHostVisible | kHostCoherent, 0}});
  p.device_extensions.push_back(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);
  p.features.memory_priority = true;
  return p;
}

FakeProfile nvidia_h200() {
  FakeProfile p = make("nvidia_h200", {{143'771 * kMiB, kLocalHeap}, {256 * kGiB, 0}},
                       {{0, 1},
                        {kDeviceLocal, 0},
                        {kHostVisible | kHostCoherent, 1},
                        {kHostVisible | kHostCoherent | kHostCached, 1},
                        {kDeviceLocal | kHostVisible | kHostCoherent, 0}});
  p.granularity = 1024;
  p.maximum_allocation_count = 4'294'967'295u;
  p.api_version = VK_MAKE_API_VERSION(0, 1, 4, 0);
  p.declared_version = p.api_version;
  p.features.maintenance5 = true;
  p.device_extensions.push_back(VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME);
  p.features.memory_priority = true;
  p.small_image_alignment = 1024;
  p.prefers_dedicated_bytes = 32 * kMiB;
  return p;
}

FakeProfile apu_carve_out() {
  FakeProfile p =
      make("apu_carve_out", {{256 * kMiB, kLocalHeap}, {15 * kGiB, 0}, {256 * kMiB, kLocalHeap}},
           {{kDeviceLocal, 0},
            {kHostVisible | kHostCoherent, 1},
            {kDeviceLocal | kHostVisible | kHostCoherent, 2},
            {kHostVisible | kHostCoherent | kHostCached, 1}});
  p.device_type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  p.vendor_id = 0x1002;
  p.optimal_needs_device_local = false;
  return p;
}

FakeProfile integrated() {
  FakeProfile p = make("integrated", {{969'521'152, kLocalHeap}},
                       {{kDeviceLocal | kHostVisible | kHostCoherent, 0}});
  p.device_type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  p.vendor_id = 0x8086;
  return p;
}

FakeProfile tiny_first_heap() {
  return make("tiny_first_heap", {{16'777'216, kLocalHeap}, {8'573'157'376, kLocalHeap}},
              {{kDeviceLocal, 0}, {kDeviceLocal, 1}});
}

FakeProfile small_window() {
  return make("small_window", {{6 * kGiB, kLocalHeap}, {12 * kGiB, 0}, {257'949'696, kLocalHeap}},
              {{kDeviceLocal, 0},
               {kDeviceLocal | kHostVisible | kHostCoherent, 2},
               {kHostVisible | kHostCoherent, 1},
               {kHostVisible | kHostCoherent | kHostCached, 1}});
}

FakeProfile window_and_cached() {
  return make("window_and_cached",
              {{4 * kGiB, kLocalHeap}, {256 * kMiB, kLocalHeap}, {8 * kGiB, 0}},
              {{kDeviceLocal, 0},
               {kDeviceLocal | kHostVisible | kHostCoherent, 1},
               {kHostVisible | kHostCoherent | kHostCached, 2}});
}

FakeProfile amd() {
  FakeProfile p =
      make("amd", {{8 * kGiB, kLocalHeap}, {16 * kGiB, 0}, {256 * kMiB, kLocalHeap}}, {});
  const std::vector<VkMemoryType> plain{{kDeviceLocal, 0},
                                        {kHostVisible | kHostCoherent, 1},
                                        {kDeviceLocal | kHostVisible | kHostCoherent, 2},
                                        {kHostVisible | kHostCoherent | kHostCached, 1}};
  p.types = plain;
  for (const VkMemoryType& type : plain) {
    p.types.push_back({type.propertyFlags | kDeviceCoherent, type.heapIndex});
  }
  p.vendor_id = 0x1002;
  p.atom = 128;
  p.optimal_needs_device_local = false;
  return p;
}

FakeProfile non_coherent() {
  FakeProfile p = make("non_coherent", {{2 * kGiB, kLocalHeap}, {4 * kGiB, 0}},
                       {{kDeviceLocal, 0},
                        {kDeviceLocal | kHostVisible, 0},
                        {kHostVisible | kHostCoherent, 1},
                        {kHostVisible | kHostCached, 1}});
  p.atom = 256;
  return p;
}

FakeProfile mobile() {
  FakeProfile p = make("mobile", {{4 * kGiB, kLocalHeap}},
                       {{kDeviceLocal | kHostVisible | kHostCoherent, 0},
                        {kDeviceLocal | kLazy, 0},
                        {kDeviceLocal | kHostVisible | kHostCached, 0},
                        {kDeviceLocal | kHostVisible | kHostCoherent | kHostCached, 0}});
  p.device_type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  p.vendor_id = 0x5143;
  p.granularity = 4096;
  p.atom = 128;
  p.device_extensions.clear();
  return p;
}

FakeProfile protected_memory() {
  FakeProfile p =
      make("protected_memory", {{4 * kGiB, kLocalHeap}, {8 * kGiB, 0}},
           {{kDeviceLocal | kProtected, 0}, {kDeviceLocal, 0}, {kHostVisible | kHostCoherent, 1}});
  p.features.protected_memory = true;
  return p;
}

FakeProfile multi_instance() {
  constexpr VkMemoryHeapFlags kInstances = kLocalHeap | VK_MEMORY_HEAP_MULTI_INSTANCE_BIT;
  FakeProfile p = make("multi_instance", {{8 * kGiB, kInstances}, {16 * kGiB, 0}},
                       {{kDeviceLocal, 0},
                        {kHostVisible | kHostCoherent, 1},
                        {kHostVisible | kHostCoherent | kHostCached, 1}});
  p.device_group_size = 2;
  p.granularity = 65'536;
  return p;
}

FakeProfile single_type() {
  FakeProfile p = make("single_type", {{2 * kGiB, kLocalHeap}},
                       {{kDeviceLocal | kHostVisible | kHostCoherent | kHostCached, 0}});
  p.device_type = VK_PHYSICAL_DEVICE_TYPE_CPU;
  p.vendor_id = 0x10005;
  p.device_extensions.clear();
  p.small_image_alignment = 16;
  p.large_image_alignment = 16;
  return p;
}

FakeProfile small_first_device() {
  return make("small_first_device", {{256 * kMiB, kLocalHeap}, {8 * kGiB, kLocalHeap}},
              {{kDeviceLocal, 0}, {kDeviceLocal, 1}});
}

std::vector<FakeProfile> all() {
  return {discrete(),
          rebar(),
          nvidia_h200(),
          apu_carve_out(),
          integrated(),
          tiny_first_heap(),
          small_window(),
          window_and_cached(),
          amd(),
          non_coherent(),
          mobile(),
          protected_memory(),
          multi_instance(),
          single_type(),
          small_first_device()};
}

}  // namespace profiles

}  // namespace quarry::fakes
