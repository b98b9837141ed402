// SPDX-License-Identifier: MIT
// Integer arithmetic on sizes, offsets and alignments. All O(1), constexpr, 64-bit on every target.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

namespace quarry::base {

template <std::unsigned_integral T>
constexpr bool is_power_of_two(T value) {
  // std::has_single_bit calls a library function where there is no population count instruction.
  return value != 0 && (value & (value - 1)) == 0;
}

/// `alignment` must be a power of two.
constexpr std::uint64_t align_down(std::uint64_t value, std::uint64_t alignment) {
  return value & ~(alignment - 1);
}

/// Precondition: alignment is a power of two and the result fits 64 bits; otherwise use
/// checked_align_up.
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + (alignment - 1)) & ~(alignment - 1);
}

/// As align_up; false, with `result` untouched, when the result does not fit 64 bits.
[[nodiscard]] constexpr bool checked_align_up(std::uint64_t value, std::uint64_t alignment,
                                              std::uint64_t& result) {
  if (value > std::numeric_limits<std::uint64_t>::max() - (alignment - 1)) return false;
  result = align_up(value, alignment);
  return true;
}

/// False, with `result` untouched, when the sum does not fit 64 bits.
[[nodiscard]] constexpr bool checked_add(std::uint64_t a, std::uint64_t b, std::uint64_t& result) {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) return false;
  result = a + b;
  return true;
}

constexpr bool is_aligned(std::uint64_t value, std::uint64_t alignment) {
  return (value & (alignment - 1)) == 0;
}

/// Precondition: value > 0.
constexpr std::uint32_t floor_log2(std::uint64_t value) {
  // The lowest bit changes nothing but spares the test for 0; 63 ^ n is 63 - n, in one instruction.
  return 63u ^ static_cast<std::uint32_t>(std::countl_zero(value | 1));
}

/// Precondition: value > 0. The exponent of the smallest power of two that is not below value.
constexpr std::uint32_t ceil_log2(std::uint64_t value) {
  return value <= 1 ? 0u : static_cast<std::uint32_t>(std::bit_width(value - 1));
}

/// The largest power of two that is not above value; 0 for 0.
constexpr std::uint64_t floor_power_of_two(std::uint64_t value) {
  return std::bit_floor(value);
}

/// Precondition: divisor > 0. Never overflows.
constexpr std::uint64_t ceil_div(std::uint64_t value, std::uint64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

/// Precondition: value > 0. Index of the lowest set bit.
template <std::unsigned_integral T>
constexpr std::uint32_t lowest_bit(T value) {
  return static_cast<std::uint32_t>(std::countr_zero(value));
}

/// Precondition: value > 0. Index of the highest set bit.
template <std::unsigned_integral T>
constexpr std::uint32_t highest_bit(T value) {
  return static_cast<std::uint32_t>(std::bit_width(value) - 1);
}

}  // namespace quarry::base
