// SPDX-License-Identifier: MIT
// How large the next block of device memory should be: small for whoever needs little, doubling for
// whoever needs more, so that the number of driver calls grows with the logarithm of the bytes.
// Pure arithmetic, O(1).
#pragma once

#include <cstdint>

namespace quarry::plan {

struct BlockSizeInput {
  std::uint64_t reserved_bytes = 0;              ///< in blocks of the same arena
  std::uint64_t request_bytes = 0;               ///< that the block must have room for, > 0
  std::uint64_t first_block = 0;                 ///< bytes of an arena's first block
  std::uint64_t largest_block = 0;               ///< cap on the growth, bytes
  std::uint64_t heap_bytes = 0;                  ///< size of the memory heap
  std::uint64_t bytes_left = ~std::uint64_t{0};  ///< that may still be taken from the heap
};

/// No block is made smaller than this but for a heap or budget that has no more.
inline constexpr std::uint64_t kBlockGranule = std::uint64_t{64} << 10;

/// The growth stops here: the largest power of two within largest_block and an eighth of the heap,
/// at least kBlockGranule.
std::uint64_t block_cap(const BlockSizeInput& input);

/// Bytes of the next block, 0 when the request does not fit the heap or the bytes left.
///  - First first_block, then the smallest power of two above what is reserved, up to block_cap: an
///  arena that needs R bytes
///    in small pieces reserves at most 3 R, or one first block.
///  - A request that is larger gets its own size, rounded up to whole granules; for one of a
///    sixteenth of the next size or more, that size becomes a whole number of such requests: fewer,
///    or one more where that exceeds it by a 64th at most.
///  - Never above the heap or the bytes left.
std::uint64_t next_block_size(const BlockSizeInput& input);

/// The size to try when the driver refused a block of `refused` bytes: half of it, but not below
/// the request in whole granules; 0 when there is nothing smaller that holds the request.
std::uint64_t smaller_block_size(std::uint64_t refused, std::uint64_t request);

}  // namespace quarry::plan
