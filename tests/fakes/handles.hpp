// SPDX-License-Identifier: MIT
// Handles of the fake GPU: non-dispatchable ones are numbers that are never used twice in a
// process, so that a stale handle, or one of another fake GPU, is found out. Vulkan makes them
// pointers on 64 bits and integers on 32.
#pragma once

#include <cstdint>
#include <type_traits>

#include <vulkan/vulkan_core.h>

namespace quarry::fakes {

/// The number behind a non-dispatchable handle; 0 for VK_NULL_HANDLE.
template <class Handle>
std::uint64_t id_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return handle;
  }
}

template <class Handle>
Handle handle_of(std::uint64_t id) {
  if constexpr (std::is_pointer_v<Handle>) {
    const auto pointer = static_cast<std::uintptr_t>(id);
    return reinterpret_cast<Handle>(pointer);  // NOLINT(performance-no-int-to-ptr)
  } else {
    return id;
  }
}

}  // namespace quarry::fakes
