// SPDX-License-Identifier: MIT
// HostArray: a growable array over HostMemory. Not thread-safe. Appending is amortised O(1) and
// moves the elements when it grows; for elements that must stay where they are, see
// chunked_array.hpp.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"
#include "base/host_object.hpp"

namespace quarry::base {

template <class T>
class HostArray {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>);

 public:
  explicit HostArray(const HostMemory& host) : host_(host) {}
  HostArray(HostArray&& other) noexcept
      : host_(other.host_),
        items_(std::exchange(other.items_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  HostArray& operator=(HostArray&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  ~HostArray() { reset(); }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T* data() { return items_; }
  const T* data() const { return items_; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  std::span<T> span() { return {items_, size_}; }
  std::span<const T> span() const { return {items_, size_}; }
  T& operator[](std::size_t index) {
    QUARRY_ASSERT(index < size_);
    return items_[index];
  }
  const T& operator[](std::size_t index) const {
    QUARRY_ASSERT(index < size_);
    return items_[index];
  }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  /// False, with nothing changed, when there is no host memory.
  [[nodiscard]] bool reserve(std::size_t count) {
    if (count <= capacity_) return true;
    T* larger = allocate_storage<T>(host_, count);
    if (larger == nullptr) return false;
    for (std::size_t i = 0; i < size_; ++i) {
      ::new (static_cast<void*>(larger + i)) T(std::move(items_[i]));
      items_[i].~T();
    }
    release_storage(host_, items_);
    items_ = larger;
    capacity_ = count;
    return true;
  }

  /// False, with nothing changed, when there is no host memory.
  [[nodiscard]] bool push_back(T item) {
    if (size_ == capacity_ && !reserve(grown())) return false;
    ::new (static_cast<void*>(items_ + size_)) T(std::move(item));
    ++size_;
    return true;
  }

  /// Appends value-initialised elements, amortised O(1) each however few they are, or removes from
  /// the end. False, with nothing changed, when there is no host memory.
  [[nodiscard]] bool resize(std::size_t count) {
    if (count > capacity_ && !reserve(count > grown() ? count : grown())) return false;
    while (size_ > count) {
      pop_back();
    }
    for (; size_ < count; ++size_) {
      ::new (static_cast<void*>(items_ + size_)) T();
    }
    return true;
  }

  /// Inserts before `index`, O(n). False, with nothing changed, when there is no host memory.
  [[nodiscard]] bool insert(std::size_t index, T item) {
    QUARRY_ASSERT(index <= size_);
    if (!push_back(std::move(item))) return false;
    for (std::size_t i = size_ - 1; i > index; --i) {
      std::swap(items_[i], items_[i - 1]);
    }
    return true;
  }

  void pop_back() {
    QUARRY_ASSERT(size_ > 0);
    --size_;
    items_[size_].~T();
  }

  /// Removes one element and keeps the order, O(n).
  void erase(std::size_t index) {
    QUARRY_ASSERT(index < size_);
    for (std::size_t i = index; i + 1 < size_; ++i) {
      items_[i] = std::move(items_[i + 1]);
    }
    pop_back();
  }

  /// Removes one element, O(1): the last takes its place.
  void swap_erase(std::size_t index) {
    QUARRY_ASSERT(index < size_);
    if (index + 1 < size_) items_[index] = std::move(items_[size_ - 1]);
    pop_back();
  }

  /// Keeps the storage.
  void clear() {
    while (size_ > 0) {
      pop_back();
    }
  }

  /// Gives the storage back.
  void reset() {
    clear();
    release_storage(host_, items_);
    items_ = nullptr;
    capacity_ = 0;
  }

  const HostMemory& host() const { return host_; }

 private:
  std::size_t grown() const {
    constexpr std::size_t kFirst = 8;
    if (capacity_ < kFirst) return kFirst;
    return capacity_ > std::numeric_limits<std::size_t>::max() / 2 ? capacity_ + 1 : capacity_ * 2;
  }

  HostMemory host_;
  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace quarry::base
