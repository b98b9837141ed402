// SPDX-License-Identifier: MIT
// The bits of a public handle: index 28, generation 28, owner 8, from the lowest bit up. A live
// handle is never zero, since generations start at 1.
#pragma once

#include <cstdint>

namespace quarry::base {

inline constexpr std::uint32_t kHandleIndexBits = 28;
inline constexpr std::uint32_t kHandleGenerationBits = 28;
inline constexpr std::uint32_t kHandleMaxIndex = (1u << kHandleIndexBits) - 1;
inline constexpr std::uint32_t kHandleMaxGeneration = (1u << kHandleGenerationBits) - 1;

struct HandleParts {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint8_t owner = 0;
  friend bool operator==(const HandleParts&, const HandleParts&) = default;
};

constexpr std::uint64_t encode_handle(const HandleParts& parts) {
  return std::uint64_t{parts.index} | (std::uint64_t{parts.generation} << kHandleIndexBits) |
         (std::uint64_t{parts.owner} << (kHandleIndexBits + kHandleGenerationBits));
}

constexpr HandleParts decode_handle(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value) & kHandleMaxIndex,
          static_cast<std::uint32_t>(value >> kHandleIndexBits) & kHandleMaxGeneration,
          static_cast<std::uint8_t>(value >> (kHandleIndexBits + kHandleGenerationBits))};
}

}  // namespace quarry::base
