// SPDX-License-Identifier: MIT
#include "plan/block_size.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace quarry::plan {

namespace {

std::uint64_t whole_granules(std::uint64_t bytes) {
  std::uint64_t rounded = bytes;
  (void)base::checked_align_up(bytes, kBlockGranule, rounded);
  return rounded;
}

// Requests below this part of a block fill it well enough whatever its size.
constexpr std::uint64_t kLeastShare = 16;
// A block may be larger than the rule says by this part of it.
constexpr std::uint64_t kMostExcess = 64;

// The growth sequence: the smallest power of two above what is reserved.
std::uint64_t grown(std::uint64_t reserved, std::uint64_t first, std::uint64_t cap) {
  if (reserved >= cap) return cap;
  return std::clamp(std::uint64_t{2} << base::floor_log2(reserved | 1), first, cap);
}

}  // namespace

std::uint64_t block_cap(const BlockSizeInput& input) {
  const std::uint64_t cap = std::min(input.largest_block, input.heap_bytes / 8);
  return std::max(base::floor_power_of_two(cap), kBlockGranule);
}

std::uint64_t next_block_size(const BlockSizeInput& input) {
  const std::uint64_t room = std::min(input.heap_bytes, input.bytes_left);
  if (input.request_bytes > room) return 0;
  const std::uint64_t cap = block_cap(input);
  const std::uint64_t first = std::clamp(input.first_block, kBlockGranule, cap);
  const std::uint64_t least = whole_granules(input.request_bytes);
  const std::uint64_t next = grown(input.reserved_bytes, first, cap);
  if (least >= next) return std::min(least, room);
  if (least < next / kLeastShare) return std::min(next, room);
  // A block is to hold a whole number of such requests: those of one size come together.
  const std::uint64_t fewer = next / least * least;
  const std::uint64_t more = fewer + least;
  return std::min(more <= next + next / kMostExcess ? more : fewer, room);
}

std::uint64_t smaller_block_size(std::uint64_t refused, std::uint64_t request) {
  const std::uint64_t smaller = std::max(refused / 2, whole_granules(request));
  return smaller < refused ? smaller : 0;
}

}  // namespace quarry::plan
