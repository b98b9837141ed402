// SPDX-License-Identifier: MIT
// ChunkedArray: a growing array over HostMemory whose elements never move. Chunk k holds kFirst <<
// k elements, so the chunk table has a fixed size, an index is found in O(1), and appending never
// copies. One thread may append (callers serialise appends) while others read elements below a
// size() that they loaded themselves.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"
#include "base/host_object.hpp"

namespace quarry::base {

template <class T, std::uint32_t kFirst = 64>
class ChunkedArray {
  static_assert(std::has_single_bit(kFirst));
  static_assert(std::is_nothrow_destructible_v<T>);

 public:
  /// Indices stay below this, so that 0xFFFF'FFFF can serve as a sentinel.
  static constexpr std::uint32_t kMaxSize = 0xFFFF'FFFFu - kFirst;

  explicit ChunkedArray(const HostMemory& host) : host_(host) {}
  ChunkedArray(const ChunkedArray&) = delete;
  ChunkedArray& operator=(const ChunkedArray&) = delete;
  ~ChunkedArray() { reset(); }

  /// Elements appended so far; whoever loads it may read all elements below it.
  std::uint32_t size() const { return size_.load(std::memory_order_acquire); }
  bool empty() const { return size() == 0; }

  T& operator[](std::uint32_t index) { return *locate(index); }
  const T& operator[](std::uint32_t index) const { return *locate(index); }

  /// Constructs an element at index size(). Null, with nothing changed, when there is no host
  /// memory or no index left.
  template <class... Arguments>
  [[nodiscard]] T* emplace_back(Arguments&&... arguments) {
    static_assert(std::is_nothrow_constructible_v<T, Arguments...>);
    const std::uint32_t index = size_.load(std::memory_order_relaxed);
    if (index >= kMaxSize) return nullptr;
    const std::uint32_t chunk = chunk_of(index);
    if (chunks_[chunk] == nullptr && !add_chunk(chunk)) return nullptr;
    T* element = ::new (static_cast<void*>(locate(index))) T(std::forward<Arguments>(arguments)...);
    size_.store(index + 1, std::memory_order_release);
    return element;
  }

  /// Destroys all elements and gives the memory back. Not beside readers.
  void reset() {
    const std::uint32_t count = size_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count; ++i) {
      locate(i)->~T();
    }
    size_.store(0, std::memory_order_relaxed);
    for (T*& chunk : chunks_) {
      release_storage(host_, chunk);
      chunk = nullptr;
    }
  }

  const HostMemory& host() const { return host_; }

 private:
  // Element i is found at place i + kFirst: its highest bit tells the chunk, the others where in
  // it.
  static constexpr std::uint32_t kPlaces = 32;

  static std::uint32_t chunk_of(std::uint32_t index) {
    return 31u ^ static_cast<std::uint32_t>(std::countl_zero((index + kFirst) | 1));
  }

  T* locate(std::uint32_t index) const {
    const std::uint32_t chunk = chunk_of(index);
    return chunks_[chunk] + ((index + kFirst) ^ (1u << chunk));
  }

  bool add_chunk(std::uint32_t chunk) {
    chunks_[chunk] = allocate_storage<T>(host_, std::size_t{1} << chunk);
    return chunks_[chunk] != nullptr;
  }

  HostMemory host_;
  std::atomic<std::uint32_t> size_ = 0;
  // Written before the size that covers it is published, never changed while elements are in it.
  T* chunks_[kPlaces] = {};
};

}  // namespace quarry::base
