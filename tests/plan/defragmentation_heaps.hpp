// SPDX-License-Identifier: MIT
// Fragmented heaps for tests and figures of the defragmentation planner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "base/seed.hpp"
#include "plan/defragmentation_world.hpp"

namespace quarry::test {

inline constexpr std::uint64_t kHeapBlock = std::uint64_t{64} << 20;

inline std::uint64_t log_uniform(Random& random, std::uint64_t low, std::uint64_t high) {
  constexpr double kSteps = 1e9;
  const double part =
      static_cast<double>(random.below(static_cast<std::uint64_t>(kSteps))) / kSteps;
  const double size = static_cast<double>(low) *
                      std::pow(static_cast<double>(high) / static_cast<double>(low), part);
  return base::align_up(static_cast<std::uint64_t>(size), 256);
}

/// Blocks of 64 MiB filled one after the other with pieces of log-uniform sizes, of which a random
/// half is freed.
inline DefragmentationWorld half_freed_heap(Random& random, std::uint32_t blocks, std::uint64_t low,
                                            std::uint64_t high) {
  DefragmentationWorld world;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::uint32_t block = world.add_block(kHeapBlock);
    std::uint64_t at = 0;
    for (;;) {
      const std::uint64_t size = log_uniform(random, low, high);
      if (at + size > kHeapBlock) break;
      world.add_piece_at(block, at, size, 256);
      at += size;
    }
  }
  world.free_half(random);
  return world;
}

/// About that many pieces left, of 4 KiB to 256 KiB.
inline DefragmentationWorld half_freed_pieces(Random& random, std::size_t live) {
  DefragmentationWorld world;
  while (world.pieces.size() < 2 * live) {
    const std::uint32_t block = world.add_block(kHeapBlock);
    for (std::uint64_t at = 0;;) {
      const std::uint64_t size = log_uniform(random, 4 << 10, 256 << 10);
      if (at + size > kHeapBlock) break;
      world.add_piece_at(block, at, size, 256);
      at += size;
    }
  }
  world.free_half(random);
  return world;
}

/// About that many slots left, in slabs of 64 slots of 2 KiB.
inline DefragmentationWorld half_freed_slots(Random& random, std::size_t live) {
  constexpr std::uint64_t kSlab = std::uint64_t{128} << 10;
  DefragmentationWorld world;
  for (std::size_t made = 0; made < 2 * live;) {
    const std::uint32_t block = world.add_block(kHeapBlock / 8);
    for (std::uint64_t at = 0; at < kHeapBlock / 8; at += kSlab, made += 64)
      world.add_slab_at(block, at, kSlab, 64, 5, ~std::uint64_t{0});
  }
  world.free_half(random);
  return world;
}

/// The live bytes of the emptiest blocks that must go to leave ceil(1.05 live / 64 MiB) of them.
inline std::uint64_t least_bytes_to_move(const DefragmentationWorld& world) {
  std::vector<std::uint64_t> live(world.blocks.size());
  for (const auto& piece : world.pieces)
    live[piece.block] += piece.size;
  for (const auto& slab : world.slabs)
    live[slab.block] +=
        slab.size / slab.slots * static_cast<std::uint64_t>(std::popcount(slab.live));
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : live)
    sum += bytes;
  const std::uint64_t block = world.blocks[0].size;
  const auto stay = static_cast<std::size_t>(base::ceil_div(sum / 100 * 105, block));
  std::sort(live.begin(), live.end());
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i + stay < live.size(); ++i)
    bytes += live[i];
  return bytes;
}

}  // namespace quarry::test
