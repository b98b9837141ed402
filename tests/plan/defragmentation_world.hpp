// SPDX-License-Identifier: MIT
// A heap of integers for tests of the defragmentation planner: it makes snapshots, carries plans
// out move by move, and checks each move against what lies there at that moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/seed.hpp"
#include "plan/defragmentation.hpp"

namespace quarry::test {

class DefragmentationWorld {
 public:
  using Plan = plan::DefragmentationPlan;

  std::uint32_t add_block(std::uint64_t size, std::uint32_t group = 0);
  /// The first gap in any block of the group that takes it; none: false.
  bool add_piece(std::uint64_t size, std::uint64_t alignment, std::uint32_t group = 0);
  void add_piece_at(std::uint32_t block, std::uint64_t offset, std::uint64_t size,
                    std::uint64_t alignment = 1, bool movable = true);
  void add_slab_at(std::uint32_t block, std::uint64_t offset, std::uint64_t size,
                   std::uint32_t slots, std::uint16_t bin, std::uint64_t live);
  /// Frees each piece and each slot with a chance of one in two.
  void free_half(Random& random);

  plan::DefragmentationSnapshot snapshot();
  /// Carries a plan of the last snapshot out, up to `most` moves, and removes slabs that became
  /// empty. What was wrong; empty when nothing was.
  std::string apply(const Plan& plan, std::size_t most = ~std::size_t{0});
  /// Blocks that hold nothing are given back; how many.
  std::uint32_t drop_empty_blocks();

  std::uint64_t live_bytes() const;
  std::uint64_t reserved_bytes() const;
  std::uint64_t live_bytes_of(std::uint32_t block) const;
  bool is_empty(std::uint32_t block) const;
  /// Identities with sizes, for a comparison before and after.
  std::vector<std::uint64_t> contents() const;

  std::vector<plan::DefragmentationBlock> blocks;
  std::vector<plan::DefragmentationPiece> pieces;
  std::vector<plan::DefragmentationSlab> slabs;
  std::vector<std::uint64_t> piece_names;              ///< beside pieces
  std::vector<std::vector<std::uint64_t>> slot_names;  ///< beside slabs

 private:
  struct Range {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
  };
  std::string check_space(std::uint32_t block, std::uint64_t offset, std::uint64_t size) const;
  std::vector<Range> ranges_of(std::uint32_t block) const;
  void sort();

  std::uint64_t next_name_ = 1;
};

}  // namespace quarry::test
