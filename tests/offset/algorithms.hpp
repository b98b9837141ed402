// SPDX-License-Identifier: MIT
// What the tests that run over all offset algorithms need to know of each.
#pragma once

#include <quarry/buddy.hpp>
#include <quarry/linear.hpp>
#include <quarry/tlsf.hpp>

namespace quarry::test {

template <class Algorithm>
struct Traits;

template <>
struct Traits<Tlsf> {
  using Desc = TlsfDesc;
  static constexpr bool kExactSizes = true;
  static constexpr bool kHasUpper = false;
  static constexpr bool kMergedRanges = true;
};

template <>
struct Traits<Linear> {
  using Desc = LinearDesc;
  static constexpr bool kExactSizes = true;
  static constexpr bool kHasUpper = true;
  static constexpr bool kMergedRanges = true;
};

template <>
struct Traits<Buddy> {
  using Desc = BuddyDesc;
  static constexpr bool kExactSizes = false;
  static constexpr bool kHasUpper = false;
  static constexpr bool kMergedRanges = false;
};

template <class Algorithm>
Algorithm make(std::uint64_t size, std::uint32_t max_allocations = 0,
               const HostMemory& host = HostMemory::standard()) {
  return Algorithm(typename Traits<Algorithm>::Desc{size, max_allocations, host});
}

}  // namespace quarry::test
