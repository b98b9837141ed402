// SPDX-License-Identifier: MIT
// Expected<T, E>: a value or an error, without exceptions (std::expected is C++23).
#pragma once

#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace quarry {

/// Wraps an error so that `return Unexpected(error);` converts to any Expected with that error
/// type.
template <class E>
class Unexpected {
 public:
  constexpr explicit Unexpected(E error) : error_(std::move(error)) {}
  constexpr const E& error() const& { return error_; }
  constexpr E&& error() && { return std::move(error_); }

 private:
  E error_;
};

/// A value of type T or an error of type E. Reading the absent one ends the program in every build:
/// test first.
template <class T, class E>
class [[nodiscard]] Expected {
 public:
  using value_type = T;
  using error_type = E;

  Expected(T value) : has_value_(true) {  // NOLINT(google-explicit-constructor)
    ::new (static_cast<void*>(&value_)) T(std::move(value));
  }
  Expected(Unexpected<E> error) : has_value_(false) {  // NOLINT(google-explicit-constructor)
    ::new (static_cast<void*>(&error_)) E(std::move(error).error());
  }
  Expected(Expected&& other) noexcept : has_value_(other.has_value_) { take(std::move(other)); }
  Expected& operator=(Expected&& other) noexcept {
    if (this != &other) {
      clear();
      has_value_ = other.has_value_;
      take(std::move(other));
    }
    return *this;
  }
  Expected(const Expected&) = delete;
  Expected& operator=(const Expected&) = delete;
  ~Expected() { clear(); }

  bool has_value() const { return has_value_; }
  explicit operator bool() const { return has_value_; }

  T& value() & {
    require(has_value_);
    return value_;
  }
  const T& value() const& {
    require(has_value_);
    return value_;
  }
  T&& value() && {
    require(has_value_);
    return std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const E& error() const {
    require(!has_value_);
    return error_;
  }

 private:
  static void require(bool held) {
    if (!held) std::abort();
  }
  void take(Expected&& other) {
    if (has_value_) {
      ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
    } else {
      ::new (static_cast<void*>(&error_)) E(std::move(other.error_));
    }
  }
  void clear() {
    if (has_value_) {
      value_.~T();
    } else {
      error_.~E();
    }
  }

  union {
    T value_;
    E error_;
  };
  bool has_value_;
};

/// Success without a value, or an error.
template <class E>
class [[nodiscard]] Expected<void, E> {
 public:
  using value_type = void;
  using error_type = E;

  Expected() = default;
  Expected(Unexpected<E> error)  // NOLINT(google-explicit-constructor)
      : error_(std::move(error).error()), has_value_(false) {}

  bool has_value() const { return has_value_; }
  explicit operator bool() const { return has_value_; }

  const E& error() const {
    if (has_value_) std::abort();
    return error_;
  }

 private:
  E error_{};
  bool has_value_ = true;
};

}  // namespace quarry
