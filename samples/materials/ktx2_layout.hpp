// SPDX-License-Identifier: MIT
// Where things stand in a KTX2 file; shared by the reader and the writer. All numbers are
// little-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "materials/texture_format.hpp"

namespace quarry::materials::ktx2 {

inline constexpr std::array<std::uint8_t, 12> kIdentifier = {0xAB, 'K',  'T',  'X',  ' ',  '2',
                                                             '0',  0xBB, '\r', '\n', 0x1A, '\n'};

// Byte offsets from the start of the file.
inline constexpr std::size_t kVkFormat = 12;
inline constexpr std::size_t kTypeSize = 16;
inline constexpr std::size_t kWidth = 20;
inline constexpr std::size_t kHeight = 24;
inline constexpr std::size_t kDepth = 28;
inline constexpr std::size_t kLayers = 32;
inline constexpr std::size_t kFaces = 36;
inline constexpr std::size_t kLevels = 40;
inline constexpr std::size_t kSupercompression = 44;
inline constexpr std::size_t kDescriptorOffset = 48;
inline constexpr std::size_t kDescriptorLength = 52;
inline constexpr std::size_t kMetadataOffset = 56;
inline constexpr std::size_t kMetadataLength = 60;
inline constexpr std::size_t kGlobalDataOffset = 64;
inline constexpr std::size_t kGlobalDataLength = 72;
inline constexpr std::size_t kHeaderBytes = 80;

/// One entry of the level index behind the header: offset, length, length before supercompression.
inline constexpr std::size_t kLevelEntryBytes = 24;

inline std::uint32_t load_u32(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  return value;
}

inline std::uint64_t load_u64(std::span<const std::byte> bytes, std::size_t at) {
  return load_u32(bytes, at) | std::uint64_t{load_u32(bytes, at + 4)} << 32;
}

inline void store_u32(std::span<std::byte> bytes, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i)
    bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

inline void store_u64(std::span<std::byte> bytes, std::size_t at, std::uint64_t value) {
  store_u32(bytes, at, static_cast<std::uint32_t>(value));
  store_u32(bytes, at + 4, static_cast<std::uint32_t>(value >> 32));
}

/// Levels start on multiples of lcm(block bytes, 4); every supported block size is a multiple of 4.
inline std::uint32_t level_alignment(const FormatInfo& format) {
  return format.block_bytes;
}

}  // namespace quarry::materials::ktx2
