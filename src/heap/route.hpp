// SPDX-License-Identifier: MIT
// Where a thread's plain requests go: the choice of memory type and arena, remembered by everything
// in a request that it depends on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <quarry/allocation.hpp>

namespace quarry::heap {

struct CacheSet;

/// The members of a description that decide a route, in words as they lie in memory, and what the
/// resource requires.
struct RouteKey {
  std::uint64_t manners = 0;  ///< the members of one byte: intent to upper_address
  std::uint64_t flags = 0;    ///< required and preferred; kCreated
  std::uint64_t types = 0;    ///< forbidden flags, the description's type bits
  std::uint64_t alignment = 0;
  std::uint32_t priority = 0;
  std::uint32_t type_bits = 0;  ///< the resource's

  static constexpr std::uint64_t kCreated = std::uint64_t{1} << 63;  ///< no property flag

  /// `created`: the library made the resource itself.
  static RouteKey of(std::uint32_t type_bits, const AllocationDesc& desc, bool created = false) {
    using Desc = AllocationDesc;
    static_assert(offsetof(Desc, intent) == 0 && offsetof(Desc, upper_address) == 7);
    static_assert(offsetof(Desc, preferred_flags) == offsetof(Desc, required_flags) + 4);
    static_assert(offsetof(Desc, memory_type_bits) == offsetof(Desc, forbidden_flags) + 4);
    const auto* bytes = reinterpret_cast<const std::byte*>(&desc);
    RouteKey key;
    std::memcpy(&key.manners, bytes, 8);
    std::memcpy(&key.flags, bytes + offsetof(Desc, required_flags), 8);
    if (created) key.flags ^= kCreated;
    std::memcpy(&key.types, bytes + offsetof(Desc, forbidden_flags), 8);
    key.alignment = desc.minimum_alignment;
    key.priority = std::bit_cast<std::uint32_t>(desc.priority);
    key.type_bits = type_bits;
    return key;
  }
  /// Zero when equal.
  std::uint64_t differs(const RouteKey& other) const {
    return (manners ^ other.manners) | (flags ^ other.flags) | (types ^ other.types) |
           (alignment ^ other.alignment) | (priority ^ other.priority) |
           (type_bits ^ other.type_bits);
  }
};

struct alignas(64) Route {
  RouteKey key;
  std::uint32_t alignment_mask = 0;  ///< the least alignment in this memory, less 1
  std::uint32_t limit = 0;           ///< bytes of the largest slot; 0: not settled
  std::uint16_t wording = 0;         ///< Record::wording without an alignment
  ResourceKind kind = ResourceKind::unknown;
  std::uint8_t size_step_log2 = 0;  ///< sizes are rounded up to multiples of this power of two
  std::uint8_t memory_type = 0;
  CacheSet* set = nullptr;

  bool serves(const RouteKey& wanted, ResourceKind wanted_kind) const {
    return limit != 0 && key.differs(wanted) == 0 && kind == wanted_kind;
  }
};

static_assert(sizeof(void*) != 8 || sizeof(Route) == 64);

/// A few routes by kind and intent, the usual difference, and behind them a few by their whole key.
class RouteMemo {
 public:
  static constexpr std::uint32_t kNear = 24;
  /// Which of the near ones; kNear and beyond: none, there is no such kind or intent.
  static std::uint32_t number_of(ResourceKind kind, MemoryIntent intent) {
    static_assert(static_cast<std::uint32_t>(MemoryIntent::flags) < kNear / 4);
    return static_cast<std::uint32_t>(intent) * 4 + static_cast<std::uint32_t>(kind);
  }
  Route& near(std::uint32_t number) { return near_[number]; }
  Route& far(const RouteKey& key, ResourceKind kind) {
    constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;  // 2^64 over the golden ratio
    const std::uint64_t bits = key.manners ^ key.flags * 3 ^ key.types * 5 ^ key.alignment * 7 ^
                               (std::uint64_t{key.type_bits} << 32 | key.priority) ^
                               static_cast<std::uint64_t>(kind) << 24;
    return far_[bits * kOdd >> 60];
  }

 private:
  Route near_[kNear];
  Route far_[16];
};

}  // namespace quarry::heap
