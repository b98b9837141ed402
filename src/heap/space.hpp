// SPDX-License-Identifier: MIT
// The offset algorithm of one block, chosen at run time: TLSF, linear or buddy behind one set of
// calls. Not thread-safe.
#pragma once

#include <bit>
#include <cstdint>
#include <variant>

#include <quarry/buddy.hpp>
#include <quarry/linear.hpp>
#include <quarry/offset.hpp>
#include <quarry/pool.hpp>

#include "base/bits.hpp"
#include "offset/inline_tlsf.hpp"

namespace quarry::heap {

/// The size of a range in the default pools. That of a large one is rounded up, by 1/256 at most:
/// then nearly every range begins and ends where the next one may begin, and no splinter of a few
/// bytes has to be kept between them.
constexpr std::uint64_t range_size(std::uint64_t size) {
  constexpr std::uint64_t kLarge = std::uint64_t{64} << 10;
  constexpr std::uint64_t kStep = 256;
  std::uint64_t rounded = size;
  if (size > kLarge) (void)base::checked_align_up(size, kStep, rounded);
  return rounded;
}

class Space {
  using Algorithm = std::variant<offset::InlineTlsf, Linear, Buddy>;

  template <class Visitor>
  auto visit(Visitor&& visitor) {
    if (auto* tlsf = std::get_if<offset::InlineTlsf>(&algorithm_)) return visitor(*tlsf);
    if (auto* linear = std::get_if<Linear>(&algorithm_)) return visitor(*linear);
    return visitor(*std::get_if<Buddy>(&algorithm_));
  }
  template <class Visitor>
  auto visit(Visitor&& visitor) const {
    if (const auto* tlsf = std::get_if<offset::InlineTlsf>(&algorithm_)) return visitor(*tlsf);
    if (const auto* linear = std::get_if<Linear>(&algorithm_)) return visitor(*linear);
    return visitor(*std::get_if<Buddy>(&algorithm_));
  }

 public:
  Space(PoolAlgorithm algorithm, std::uint64_t size, HostMemory host)
      : algorithm_(make(algorithm, size, host)) {}

  /// Null for another algorithm. For callers that have several questions.
  offset::InlineTlsf* tlsf() { return std::get_if<offset::InlineTlsf>(&algorithm_); }

  [[gnu::always_inline]] OffsetResult<OffsetAllocation> allocate(const OffsetRequest& request) {
    return visit([&](auto& algorithm) { return algorithm.allocate(request); });
  }
  /// At an exact offset, of TLSF alone (offset/inline_tlsf.hpp).
  OffsetResult<OffsetAllocation> allocate_at(const OffsetRequest& request, std::uint64_t offset,
                                             OffsetHandle before) {
    auto* tlsf = std::get_if<offset::InlineTlsf>(&algorithm_);
    if (tlsf == nullptr) return Unexpected(OffsetError::unsupported);
    return tlsf->allocate_at(request, offset, before);
  }
  OffsetError set_user(OffsetHandle handle, std::uint64_t user) {
    return visit([&](auto& algorithm) { return algorithm.set_user(handle, user); });
  }
  [[gnu::always_inline]] OffsetError free(OffsetHandle handle) {
    return visit([&](auto& algorithm) { return algorithm.free(handle); });
  }
  bool empty() const {
    return visit([](const auto& algorithm) { return algorithm.empty(); });
  }
  std::uint64_t free_bytes() const {
    return visit([](const auto& algorithm) { return algorithm.free_bytes(); });
  }
  void for_each_range(OffsetRangeVisitor visitor, void* context) const {
    visit([&](const auto& algorithm) { algorithm.for_each_range(visitor, context); });
  }
  /// The class of the largest range that a request can get, 0 when there is none.
  std::uint32_t largest_free_class() const {
    if (const auto* tlsf = std::get_if<offset::InlineTlsf>(&algorithm_))
      return tlsf->largest_free_class();
    const auto* linear = std::get_if<Linear>(&algorithm_);
    const std::uint64_t largest = linear != nullptr
                                      ? linear->largest_free()
                                      : std::get_if<Buddy>(&algorithm_)->largest_free();
    return largest == 0 ? 0 : Tlsf::class_of(largest);
  }
  /// What a request of `size` bytes takes: at least so much must be free. Saturates.
  static std::uint64_t reserved_bytes(PoolAlgorithm algorithm, std::uint64_t size) {
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 63;
    return algorithm != PoolAlgorithm::buddy || size > kLargest ? size : std::bit_ceil(size);
  }

 private:
  static Algorithm make(PoolAlgorithm algorithm, std::uint64_t size, HostMemory host) {
    switch (algorithm) {
      case PoolAlgorithm::linear:
        return Linear({.size = size, .host = host});
      case PoolAlgorithm::buddy:
        return Buddy({.size = size, .host = host});
      case PoolAlgorithm::tlsf:
        break;
    }
    return offset::InlineTlsf({.size = size, .host = host});
  }

  Algorithm algorithm_;
};

}  // namespace quarry::heap
