// SPDX-License-Identifier: MIT
// Vulkan's non-dispatchable handles as numbers: pointers where pointers have 64 bits, integers
// elsewhere.
#pragma once

#include <bit>
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

template <class Handle>
Handle handle_from(std::uint64_t bits) {
  if constexpr (std::is_pointer_v<Handle>) {
    return std::bit_cast<Handle>(static_cast<std::uintptr_t>(bits));
  } else {
    return bits;
  }
}

}  // namespace quarry::heap
