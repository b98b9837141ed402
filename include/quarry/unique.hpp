// SPDX-License-Identifier: MIT
// Thin owners over Buffer, Image and Allocation: destroyed when the scope ends. They add nothing
// else.
#pragma once

#include <utility>

#include <quarry/allocator.hpp>

namespace quarry {

/// Owns one T (Buffer, Image or Allocation) of one allocator, which must outlive it. Movable. Not
/// thread-safe by itself.
template <class T>
class Unique {
 public:
  Unique() = default;
  Unique(Allocator& allocator, T resource) : allocator_(&allocator), resource_(resource) {}
  Unique(Unique&& other) noexcept
      : allocator_(std::exchange(other.allocator_, nullptr)),
        resource_(std::exchange(other.resource_, T{})) {}
  Unique& operator=(Unique&& other) noexcept {
    if (this != &other) {
      reset();
      allocator_ = std::exchange(other.allocator_, nullptr);
      resource_ = std::exchange(other.resource_, T{});
    }
    return *this;
  }
  Unique(const Unique&) = delete;
  Unique& operator=(const Unique&) = delete;
  ~Unique() { reset(); }

  const T& get() const { return resource_; }
  const T* operator->() const { return &resource_; }
  explicit operator bool() const { return allocator_ != nullptr; }
  /// Gives up ownership without destroying.
  T release() {
    allocator_ = nullptr;
    return std::exchange(resource_, T{});
  }
  void reset() {
    if (allocator_ == nullptr) return;
    if constexpr (requires(Allocator & a, T r) { a.destroy(r); }) {
      (void)allocator_->destroy(resource_);
    } else {
      (void)allocator_->free(resource_);
    }
    allocator_ = nullptr;
    resource_ = T{};
  }

 private:
  Allocator* allocator_ = nullptr;
  T resource_{};
};

using UniqueBuffer = Unique<Buffer>;
using UniqueImage = Unique<Image>;
using UniqueAllocation = Unique<Allocation>;

}  // namespace quarry
