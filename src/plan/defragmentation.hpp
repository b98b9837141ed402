// SPDX-License-Identifier: MIT
// Plans defragmentation: from a snapshot of blocks to a list of moves with exact destinations and
// the gain to expect. Decides nothing about who copies or when. The blocks that cost least are
// emptied into the gaps of the others, the largest piece first into the tightest gap; where none is
// wide enough, small pieces are put out of the way. Linear but for the sorting of blocks and slabs
// and for the search of windows, which max_work bounds.
#pragma once

#include <cstdint>
#include <span>

#include <quarry/expected.hpp>

namespace quarry::plan {

struct DefragmentationBlock {
  std::uint64_t size = 0;   ///< bytes
  std::uint32_t group = 0;  ///< pieces stay within their group; small numbers
  bool receives = true;     ///< pieces may be moved here
  bool may_be_emptied = true;
};

/// A live allocation, or anything else that takes space. Ascending by block and offset.
struct DefragmentationPiece {
  std::uint64_t offset = 0;  ///< bytes into the block
  std::uint64_t size = 0;    ///< bytes, > 0
  std::uint64_t alignment = 1;
  std::uint32_t block = 0;
  std::uint16_t weight = 0;  ///< what moving it costs beside its bytes, in sixteenths of them
  bool movable = true;
};

/// A range of a block that is cut into equal slots, each free, live, or neither (in some cache).
/// Ascending by block and offset, apart from the pieces. A slab goes only when all its slots can.
struct DefragmentationSlab {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;       ///< bytes, > 0
  std::uint64_t alignment = 1;  ///< that another slab of the kind must have
  std::uint64_t live = 0;       ///< a bit for each live slot
  std::uint64_t movable = 0;    ///< of those
  std::uint64_t free = 0;       ///< a bit for each slot that a move may take
  std::uint32_t block = 0;
  std::uint16_t bin = 0;    ///< slabs of one bin are of one kind and one group; small numbers
  std::uint8_t slots = 64;  ///< 1 to 64
};

struct DefragmentationSnapshot {
  std::span<const DefragmentationBlock> blocks;
  std::span<const DefragmentationPiece> pieces;
  std::span<const DefragmentationSlab> slabs;
};

struct DefragmentationGoal {
  enum class Kind : std::uint8_t {
    free_blocks,  ///< as many whole blocks as the gaps of the others can take
    budget,       ///< no more of them than it takes to hold `bytes` in blocks at most
    room,         ///< a gap of `bytes` in a block of `group`; moves pieces out of one window
    empty,        ///< all blocks that may be emptied, into those that may not, as far as they go
  };
  Kind kind = Kind::free_blocks;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
  std::uint32_t group = 0;
};

/// What a plan may cost at most. A plan that has not the means to empty a single block makes a
/// start on the cheapest, so that a series of small plans arrives, too.
struct DefragmentationBounds {
  std::uint64_t max_bytes = ~std::uint64_t{0};  ///< copied
  std::uint32_t max_moves = ~std::uint32_t{0};
  /// Blocks that are fuller are not worth a copy, in percent.
  std::uint32_t most_live_percent = 95;
  /// Looks at a range or a gap while windows are sought: a measure of time that does not depend on
  /// the machine.
  std::uint32_t max_work = 1u << 19;
};

/// A piece goes to (block, offset), or a slot of one slab to a slot of another. Moves of step 0 go
/// to space that was free when the plan was made; those of step 1 may need what step 0 leaves, so
/// that step 0 must be complete before they start. Moves of step 0 depend on no other move.
struct DefragmentationMove {
  static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

  std::uint64_t size = 0;    ///< bytes to copy
  std::uint64_t offset = 0;  ///< of the destination, for a piece
  std::uint32_t piece = kNone;
  std::uint32_t from_slab = kNone;
  std::uint32_t block = kNone;    ///< of the destination, for slots, too
  std::uint32_t to_slab = kNone;  ///< past the snapshot's slabs: one of new_slabs
  std::uint8_t from_slot = 0;
  std::uint8_t to_slot = 0;
  std::uint8_t step = 0;
};

/// A slab to be made before the moves that go there.
struct DefragmentationNewSlab {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t block = 0;
  std::uint16_t bin = 0;
  std::uint8_t step = 0;  ///< as of a move
};

struct DefragmentationForecast {
  std::uint64_t bytes_moved = 0;
  std::uint64_t bytes_freed = 0;  ///< in whole blocks that held something
  std::uint32_t blocks_freed = 0;
  bool reached = false;  ///< room: there is or will be such a gap; budget: held; empty: all are
  std::uint32_t room_block = DefragmentationMove::kNone;
  std::uint64_t room_offset = 0;
};

struct DefragmentationPlan {
  std::span<const DefragmentationMove> moves;  ///< ascending by step, then block by block
  std::span<const DefragmentationNewSlab> new_slabs;
  DefragmentationForecast forecast;
};

enum class DefragmentationError : std::uint8_t { invalid_snapshot, out_of_host_memory };

}  // namespace quarry::plan
