// SPDX-License-Identifier: MIT
// Objects and raw arrays in host memory that comes through HostMemory; null in place of an
// exception.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include <quarry/host_memory.hpp>

namespace quarry::base {

/// Room for `count` objects of type T, not constructed; null when there is no memory or the size
/// overflows. count > 0.
template <class T>
[[nodiscard]] T* allocate_storage(const HostMemory& host, std::size_t count) {
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) return nullptr;
  return static_cast<T*>(host.allocate(host.user, count * sizeof(T), alignof(T)));
}

/// Gives back what allocate_storage returned; null is allowed.
inline void release_storage(const HostMemory& host, void* memory) {
  if (memory != nullptr) host.release(host.user, memory);
}

/// A constructed T, or null when there is no memory.
template <class T, class... Arguments>
[[nodiscard]] T* create_object(const HostMemory& host, Arguments&&... arguments) {
  static_assert(std::is_nothrow_constructible_v<T, Arguments...>);
  T* storage = allocate_storage<T>(host, 1);
  return storage == nullptr ? nullptr
                            : ::new (static_cast<void*>(storage))
                                  T(std::forward<Arguments>(arguments)...);
}

/// Ends what create_object made; null is allowed. `host` is copied first, since the object may hold
/// the original.
template <class T>
void destroy_object(const HostMemory& host, T* object) {
  if (object == nullptr) return;
  const HostMemory copy = host;
  object->~T();
  copy.release(copy.user, object);
}

}  // namespace quarry::base
