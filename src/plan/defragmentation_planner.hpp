// SPDX-License-Identifier: MIT
// DefragmentationPlanner: makes the plans of defragmentation.hpp. Keeps its host memory between
// plans, so that a series of them allocates nothing after the first.
#pragma once

#include <cstdint>
#include <span>

#include <quarry/expected.hpp>

#include "base/host_array.hpp"
#include "plan/defragmentation.hpp"
#include "plan/space_map.hpp"

namespace quarry::plan {

/// Not thread-safe. The constructor allocates no host memory.
class DefragmentationPlanner {
 public:
  explicit DefragmentationPlanner(const HostMemory& host);

  /// What the plan points to lasts until the next call. invalid_snapshot: something overlaps, lies
  /// outside its block or is out of order.
  Expected<DefragmentationPlan, DefragmentationError> plan(const DefragmentationSnapshot& snapshot,
                                                           const DefragmentationGoal& goal,
                                                           const DefragmentationBounds& bounds);

 private:
  static constexpr std::uint32_t kNone = DefragmentationMove::kNone;
  // Sizes and offsets stay far below where sums and weights overflow.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 47;

  enum class Role : std::uint8_t { stays, leaves };
  struct Block {
    std::uint64_t live = 0;  ///< bytes in pieces and live slots
    std::uint64_t in_pieces = 0;
    std::uint64_t cost = 0;     ///< the same with weights
    std::uint64_t free = 0;     ///< bytes in gaps
    std::uint64_t largest = 0;  ///< bytes of the largest piece
    std::uint64_t failed = 0;   ///< bytes that found no place in this round
    std::uint32_t first_piece = 0;
    std::uint32_t pieces = 0;
    std::uint32_t first_slab = 0;
    std::uint32_t slabs = 0;
    std::uint32_t live_slots = 0;
    std::uint32_t first_range = kNone;  ///< in the map
    std::uint32_t first_slot_move = 0;
    std::uint32_t slot_moves = 0;
    std::uint32_t moves = 0;  ///< in the plan
    Role role = Role::stays;
    bool movable = true;
  };
  struct Group {
    std::uint64_t free = 0;  ///< bytes in the gaps of blocks that stay and receive
    std::uint64_t need = 0;  ///< bytes that leave
    bool leaves = false;
  };
  /// Slabs of one kind.
  struct Bin {
    std::uint64_t slab_bytes = 0;
    std::uint64_t free = 0;        ///< slots in blocks that stay and receive
    std::uint64_t leaving = 0;     ///< slots
    std::uint64_t slots_left = 0;  ///< a bit for each free one of the slab that is filled
    std::uint32_t filled = kNone;
    std::uint32_t slots = 0;
    std::uint32_t next = 0;  ///< place in slab_order_ of the slab to fill next
    std::uint32_t end = 0;
  };
  /// What is looking for a gap.
  struct Item {
    std::uint64_t size = 0;
    std::uint32_t index = 0;  ///< of the piece or new slab
    std::uint8_t alignment_log2 = 0;
    bool is_slab = false;
  };
  struct NewSlab {
    std::uint32_t source = 0;      ///< a slab of its kind
    std::uint32_t range = kNone;   ///< in the map
    std::uint32_t number = kNone;  ///< in the plan
  };
  struct SlotMove {
    std::uint32_t from = 0;
    std::uint32_t to = 0;  ///< past the snapshot's slabs: a new one
    std::uint8_t from_slot = 0;
    std::uint8_t to_slot = 0;
  };
  struct Displaced {
    std::uint32_t piece = 0;
    std::uint32_t range = 0;
  };
  struct Window {
    std::uint64_t start = 0;  ///< bytes into the block
    std::uint64_t cost = 0;
    std::uint32_t first = kNone;  ///< ranges in the map
    std::uint32_t last = kNone;
    std::uint32_t count = 0;  ///< of pieces in it
  };
  static constexpr std::uint32_t kMostWindows = 8;
  static constexpr std::uint32_t kMostInWindow = 32;

  // ---- defragmentation_planner.cpp: what to empty, and the plan as told
  bool start();
  bool summarise_pieces();
  bool summarise_slabs();
  bool summarise_slab(const DefragmentationSlab& slab, Block& block);
  void finish_summary();
  bool choose();
  bool choose_block(std::uint32_t block);
  void take_out(std::uint32_t block, bool out);
  void move_bin(const DefragmentationSlab& slab, bool receives, bool out);
  bool pack_and_write();
  bool write_moves(std::uint32_t block);
  DefragmentationMove* add_move(bool late);
  bool write_piece(std::uint32_t piece, std::uint32_t range);
  bool write_slot(const SlotMove& slot);
  bool write_displaced();
  bool finish();
  void keep_within_bounds();
  void keep_used_slabs();
  void forecast();

  // ---- defragmentation_packing.cpp: everything that leaves goes into the gaps
  bool pack(std::uint32_t group);
  bool fill_map(std::uint32_t group);
  void add_block(std::uint32_t block);
  bool list_items(std::uint32_t group);
  bool sort_items();
  bool place_item(std::uint32_t item, bool windows);
  bool settle_failures();
  std::uint32_t worst_failure();
  void drop_block(std::uint32_t block);

  // ---- defragmentation_windows.cpp: small pieces go out of the way
  bool make_room();
  std::uint32_t place_in_window(std::uint64_t size, std::uint64_t alignment, std::uint32_t owner);
  void find_windows(std::uint64_t size, std::uint64_t alignment, std::uint64_t most);
  void look_forward(std::uint32_t gap, std::uint64_t size, std::uint64_t alignment,
                    std::uint64_t most);
  void look_back(std::uint32_t gap, std::uint64_t size, std::uint64_t alignment,
                 std::uint64_t most);
  bool count_in(std::uint32_t range, std::uint64_t most, Window& window);
  void remember(const Window& window);
  std::uint32_t clear(const Window& window);

  // ---- defragmentation_slots.cpp: slots go to the free ones of their kind
  bool order_slabs();
  bool move_slots(std::uint32_t block);
  bool next_slot(std::uint32_t from, SlotMove& move);
  static std::uint64_t new_slab_bytes(const Bin& bin);

  bool is_partial() const { return partial_ || goal_.kind == DefragmentationGoal::Kind::empty; }

  DefragmentationSnapshot snapshot_;
  DefragmentationGoal goal_;
  DefragmentationBounds bounds_;
  DefragmentationForecast forecast_;
  bool partial_ = false;  ///< no block is to be emptied wholly
  std::uint64_t bytes_chosen_ = 0;
  std::uint64_t moves_chosen_ = 0;
  std::uint64_t work_ = 0;

  base::HostArray<Block> blocks_;
  base::HostArray<Group> groups_;
  base::HostArray<Bin> bins_;
  base::HostArray<std::uint32_t> order_;           ///< of the blocks, the cheapest first
  base::HostArray<std::uint32_t> leaving_;         ///< blocks, in that order
  base::HostArray<std::uint32_t> receivers_;       ///< blocks of the group that is packed
  base::HostArray<std::uint32_t> range_of_piece_;  ///< where a piece arrives
  base::HostArray<std::uint64_t> slab_order_;      ///< by bin, the fullest first
  base::HostArray<Item> items_;
  base::HostArray<Item> sorted_;
  base::HostArray<std::uint32_t> failed_;  ///< items
  base::HostArray<NewSlab> new_slabs_;
  base::HostArray<SlotMove> slot_moves_;  ///< of the group that is packed
  base::HostArray<Displaced> displaced_;
  SpaceMap map_;
  Window windows_[kMostWindows];
  std::uint32_t window_count_ = 0;

  base::HostArray<DefragmentationMove> moves_;
  base::HostArray<DefragmentationMove> later_;  ///< those of step 1
  base::HostArray<DefragmentationNewSlab> made_slabs_;
};

}  // namespace quarry::plan
