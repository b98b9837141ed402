// SPDX-License-Identifier: MIT
// Looking for a structure in a pNext chain.
#pragma once

#include <vulkan/vulkan_core.h>

namespace quarry::device {

/// The first structure of that type in the chain, or null.
inline const VkBaseInStructure* find_structure(const void* next, VkStructureType type) {
  const auto* structure = static_cast<const VkBaseInStructure*>(next);
  while (structure != nullptr && structure->sType != type)
    structure = structure->pNext;
  return structure;
}

/// The same with the structure's own type.
template <class T>
const T* find_structure(const void* next, VkStructureType type) {
  return reinterpret_cast<const T*>(find_structure(next, type));
}

}  // namespace quarry::device
