// SPDX-License-Identifier: MIT
// The bytes of a trace, shared by recorder and reader; docs/traces.md describes them. A record is
// one byte of kind and flags, then numbers of seven bits a byte, lowest first, the high bit set on
// all but the last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <quarry/trace.hpp>

namespace quarry::observe {

inline constexpr std::array<std::uint8_t, 8> kTraceMagic = {'Q', 'R', 'Y', 'T', 'R', 'A', 'C', 'E'};
inline constexpr std::uint64_t kTraceVersion = 1;
inline constexpr std::size_t kLongestNumber = 10;
inline constexpr std::size_t kLongestTagName = 65'535;

// The record byte: two bits of TraceEventKind, then for allocations these.
inline constexpr std::uint8_t kKindMask = 0x03;
inline constexpr std::uint8_t kAlignmentFollows = 0x04;
inline constexpr std::uint8_t kTypeBitsFollow = 0x08;
inline constexpr std::uint8_t kTraitsFollow = 0x10;
inline constexpr std::uint8_t kTagFollows = 0x20;
inline constexpr std::uint8_t kSizeInAlignments = 0x40;
inline constexpr std::uint8_t kUnusedFlag = 0x80;

/// Two bits of ResourceKind, three of MemoryIntent, two of Lifetime, two of Dedicated.
constexpr std::uint64_t pack_traits(const TraceEvent& event) {
  return static_cast<std::uint64_t>(event.resource) |
         (static_cast<std::uint64_t>(event.intent) << 2) |
         (static_cast<std::uint64_t>(event.lifetime) << 5) |
         (static_cast<std::uint64_t>(event.dedicated) << 7);
}

/// Whether every part has a value that its enumeration knows.
constexpr bool traits_are_known(const TraceEvent& event) {
  return event.resource <= ResourceKind::optimal && event.intent <= MemoryIntent::flags &&
         event.lifetime <= Lifetime::long_lived && event.dedicated <= Dedicated::never;
}

/// False for bits that no event has.
constexpr bool unpack_traits(std::uint64_t traits, TraceEvent& event) {
  event.resource = static_cast<ResourceKind>(traits & 3);
  event.intent = static_cast<MemoryIntent>((traits >> 2) & 7);
  event.lifetime = static_cast<Lifetime>((traits >> 5) & 3);
  event.dedicated = static_cast<Dedicated>((traits >> 7) & 3);
  return traits < 512 && traits_are_known(event);
}

}  // namespace quarry::observe
