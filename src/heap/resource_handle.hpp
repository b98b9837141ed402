// SPDX-License-Identifier: MIT
// Vulkan's non-dispatchable handles as numbers: pointers where pointers have 64 bits, integers
// elsewhere.
#pragma once

#include <cstdint>
#include <type_traits>

namespace quarry::heap {

/// Works for VK_NULL_HANDLE (0) as well.
template <class Handle>
std::uint64_t handle_bits(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
  } else {
    return handle;
  }
}

}  // namespace quarry::heap
