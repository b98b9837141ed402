// SPDX-License-Identifier: MIT
// The GPUs that the layer can make a driver look like. docs: README.md beside this file has the
// table.
#pragma once

#include <cstdint>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace quarry::disguise {

struct Profile {
  const char* name;
  std::vector<VkMemoryHeap> heaps;
  std::vector<VkMemoryType> types;
  VkDeviceSize atom;         ///< nonCoherentAtomSize
  VkDeviceSize granularity;  ///< bufferImageGranularity
  bool optimal_needs_device_local;
  bool device_coherent;  ///< VK_AMD_device_coherent_memory is offered

  std::uint32_t heap_of(std::uint32_t type) const { return types[type].heapIndex; }
  bool has_flags(std::uint32_t type, VkMemoryPropertyFlags flags) const {
    return (types[type].propertyFlags & flags) == flags;
  }
  std::uint32_t buffer_type_bits() const;
  std::uint32_t image_type_bits(const VkImageCreateInfo& info) const;
};

/// What the environment variable QUARRY_DISGUISE names; null (no disguise) when it is unset or
/// "none". An unknown name is told on stderr and ends the program: a test that silently ran without
/// disguise would prove nothing.
const Profile* profile_from_environment();

}  // namespace quarry::disguise
