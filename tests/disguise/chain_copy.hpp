// SPDX-License-Identifier: MIT
// Copies of pNext chains with some structures left out. The caller's chain is never written: it is
// const, and two threads may create devices from one chain.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace quarry::disguise {

/// Owns the copies; keep it alive during the call that is given the chain.
class ChainCopy {
 public:
  /// The chain without structures of these types: the part up to the last of them is copied, the
  /// rest is the caller's own. A structure to be copied whose size is not known is told on stderr
  /// and ends the program.
  const void* without(const void* chain, std::span<const VkStructureType> types);

 private:
  VkBaseOutStructure* copy(const VkBaseInStructure& structure);
  std::vector<std::unique_ptr<std::byte[]>> copies_;
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

}  // namespace quarry::disguise
