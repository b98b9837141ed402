// SPDX-License-Identifier: MIT
// Where the library's own bookkeeping lives: host memory through callbacks, never through operator
// new.
#pragma once

#include <cstddef>

namespace quarry {

/// Source of host memory for metadata. Copyable; the callbacks must stay valid as long as anything
/// made with it lives. Thread-safety: the callbacks may be called from any thread that uses the
/// object they were given to.
struct HostMemory {
  void* user = nullptr;
  /// Returns `size` bytes aligned to `alignment` (a power of two), or null when there are none.
  /// Must not throw.
  void* (*allocate)(void* user, std::size_t size, std::size_t alignment) noexcept = nullptr;
  /// Gives back what allocate returned. Never called with null.
  void (*release)(void* user, void* memory) noexcept = nullptr;

  /// The C library's aligned allocation.
  static HostMemory standard();
};

}  // namespace quarry
