// SPDX-License-Identifier: MIT
// PagedArray: a growing array over HostMemory whose elements never move, in pages of equal size, so
// that finding one costs two loads. The table of pages is replaced when it is full; tables that
// were outgrown (together as large as the current one) are kept to the end, so that readers need no
// lock. One thread may append (callers serialise appends) while others read elements below a size()
// that they loaded themselves.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "base/host_object.hpp"

namespace quarry::base {

template <class T, std::uint32_t kPage>
class PagedArray {
  static_assert(std::has_single_bit(kPage) && std::is_trivially_destructible_v<T>);

 public:
  explicit PagedArray(const HostMemory& host) : host_(host) {}
  PagedArray(const PagedArray&) = delete;
  PagedArray& operator=(const PagedArray&) = delete;
  ~PagedArray() {
    T** const table = table_.load(std::memory_order_relaxed);
    for (std::uint32_t page = 0; page < pages_; ++page)
      release_storage(host_, table[page]);
    for (Table* each = tables_; each != nullptr;)
      release_storage(host_, std::exchange(each, each->older));
  }

  std::uint32_t size() const { return size_.load(std::memory_order_acquire); }
  T& operator[](std::uint32_t index) const {
    // It may be a newer one than the size that was loaded tells of.
    return table_.load(std::memory_order_acquire)[index / kPage][index % kPage];
  }
  const HostMemory& host() const { return host_; }

  /// Appends make(0) to make(count - 1) and publishes them together; all or, without host memory,
  /// none.
  template <class Make>
  [[nodiscard]] bool append(std::uint32_t count, Make&& make) {
    const std::uint32_t first = size_.load(std::memory_order_relaxed);
    while (pages_ * kPage < first + count) {
      if (!add_page()) return false;
    }
    for (std::uint32_t i = 0; i < count; ++i)
      ::new (static_cast<void*>(&(*this)[first + i])) T(make(i));
    size_.store(first + count, std::memory_order_release);
    return true;
  }

 private:
  struct Table {
    Table* older;
    std::uint64_t alignment;
    T** pages() { return reinterpret_cast<T**>(this + 1); }
  };

  bool add_page() {
    if (pages_ == capacity_ && !grow()) return false;
    T* page = allocate_storage<T>(host_, kPage);
    if (page == nullptr) return false;
    table_.load(std::memory_order_relaxed)[pages_++] = page;
    return true;
  }

  bool grow() {
    const std::uint32_t capacity = std::max(8u, capacity_ * 2);
    void* memory =
        host_.allocate(host_.user, sizeof(Table) + capacity * sizeof(T*), alignof(Table));
    if (memory == nullptr) return false;
    tables_ = ::new (memory) Table{tables_, 0};
    std::copy_n(table_.load(std::memory_order_relaxed), pages_, tables_->pages());
    // Whoever reads an element loaded the size that covers it, and that was published after this.
    table_.store(tables_->pages(), std::memory_order_release);
    capacity_ = capacity;
    return true;
  }

  HostMemory host_;
  std::atomic<T**> table_{nullptr};
  std::atomic<std::uint32_t> size_{0};
  std::uint32_t pages_ = 0;
  std::uint32_t capacity_ = 0;
  Table* tables_ = nullptr;
};

}  // namespace quarry::base
