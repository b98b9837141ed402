// SPDX-License-Identifier: MIT
// Facts of the named profiles, for tests of what is pure: no device is opened.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

#include <quarry/allocator.hpp>

#include "fakes/fake_profile.hpp"

namespace quarry::memory {

inline DeviceFacts facts_of(const fakes::FakeProfile& profile) {
  DeviceFacts facts;
  facts.properties.deviceType = profile.device_type;
  facts.properties.limits.nonCoherentAtomSize = profile.atom;
  facts.properties.limits.bufferImageGranularity = profile.granularity;
  facts.properties.limits.maxMemoryAllocationCount = profile.maximum_allocation_count;
  facts.maximum_allocation_size = profile.maximum_allocation_size;
  facts.features = profile.features;
  for (const VkMemoryHeap& heap : profile.heaps) {
    facts.memory.memoryHeaps[facts.memory.memoryHeapCount++] = heap;
  }
  for (const VkMemoryType& type : profile.types) {
    facts.memory.memoryTypes[facts.memory.memoryTypeCount++] = type;
  }
  return facts;
}

/// From QUARRY_TEST_SEED, else random. Print it with SCOPED_TRACE.
inline std::uint64_t test_seed() {
  const char* given = std::getenv("QUARRY_TEST_SEED");
  if (given != nullptr) return std::strtoull(given, nullptr, 0);
  return std::random_device{}();
}

}  // namespace quarry::memory
