// SPDX-License-Identifier: MIT
// pNext chains: finding a structure, and checking that each one may stand where it stands.
#pragma once

#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace quarry::fakes {

class Call;

/// Structures that can be extended, as bits.
enum class ChainPlace : std::uint32_t {
  memory_allocate = 1u << 0,
  buffer_create = 1u << 1,
  image_create = 1u << 2,
  bind_buffer = 1u << 3,
  bind_image = 1u << 4,
  image_requirements_info = 1u << 5,
  requirements = 1u << 6,
  memory_properties = 1u << 7,
  properties = 1u << 8,
  nothing = 0,
};

/// Vulkan 1.4 / VK_KHR_maintenance5, absent from older headers.
constexpr auto kBufferUsageFlags2 = static_cast<VkStructureType>(1000470006);
struct BufferUsageFlags2 {
  VkStructureType sType;
  const void* pNext;
  VkFlags64 usage;
};

template <class Structure>
const Structure* find_in_chain(const void* chain, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext) {
    if (s->sType == type) return reinterpret_cast<const Structure*>(s);
  }
  return nullptr;
}

template <class Structure>
Structure* find_in_chain(void* chain, VkStructureType type) {
  for (auto* s = static_cast<VkBaseOutStructure*>(chain); s != nullptr; s = s->pNext) {
    if (s->sType == type) return reinterpret_cast<Structure*>(s);
  }
  return nullptr;
}

/// Records structures that are unknown at this place, stand twice, or are not enabled.
void check_chain(Call& call, const void* chain, ChainPlace place);

}  // namespace quarry::fakes
