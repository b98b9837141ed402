// SPDX-License-Identifier: MIT
// From the heap to a plan of moves: looks at the blocks of the arenas that a pass is about, each
// under its shard's lock, has the planner plan, and keeps what the mover needs to know.
#pragma once

#include <cstdint>

#include <quarry/defragmentation.hpp>

#include "base/host_array.hpp"
#include "heap/core.hpp"
#include "plan/defragmentation_planner.hpp"

namespace quarry::heap {

/// A move as planned. The blocks are held until the pass ends.
struct PlannedMove {
  Allocation allocation;
  VkDeviceSize size = 0;
  VkDeviceSize from_offset = 0;
  VkDeviceSize to_offset = 0;
  OffsetHandle before;     ///< a live range not far before the new place, when it was planned
  std::uint32_t from = 0;  ///< indices of blocks
  std::uint32_t to = 0;
  std::uint8_t step = 0;
};

/// A block that takes part in a pass.
struct PlannedBlock {
  Block* block = nullptr;  ///< null once it is let go
  Arena* arena = nullptr;
  std::uint32_t first_piece = 0;  ///< of the planner's, in offset order
  bool closed = false;            ///< it is to be emptied
  bool used = false;              ///< moves go here or from here
};

class DefragmentationPlan {
 public:
  explicit DefragmentationPlan(Core& core)
      : core_(core),
        moves(core.host),
        blocks(core.host),
        planner_(core.host),
        views_(core.host),
        pieces_(core.host),
        names_(core.host) {}

  /// Plans, and holds the blocks that take part. False when there is no host memory.
  bool make(const DefragmentationDesc& desc);
  /// Lets a block go: it takes requests again and may be given back.
  void release(PlannedBlock& block);

 private:
  struct Name {
    std::uint64_t handle = 0;
    OffsetHandle range;
  };
  using Made = Expected<plan::DefragmentationPlan, plan::DefragmentationError>;
  Made make_plan(const DefragmentationDesc& desc);
  Made plan_room(const DefragmentationDesc& desc);
  bool look(const DefragmentationDesc& desc);
  void look_at(Arena& arena, std::uint32_t group, bool receives);
  bool takes_part(const ArenaTraits& traits, const DefragmentationDesc& desc) const;
  bool could_hold_room(const ArenaTraits& traits, const DefragmentationDesc& desc) const;
  void add_room_elsewhere(const DefragmentationDesc& desc) const;
  Arena* counterpart(const Arena& arena) const;
  static VkDeviceSize free_bytes(const Arena& arena);
  bool may_go(const Origin& origin, VkDeviceSize size) const;
  void add(const OffsetRange& range);
  bool may_move(std::uint64_t handle, const Record& record, VkDeviceSize size) const;
  bool keep(const plan::DefragmentationPlan& plan);
  OffsetHandle range_before(std::uint32_t block, VkDeviceSize offset) const;

  Core& core_;

 public:
  base::HostArray<PlannedMove> moves;
  base::HostArray<PlannedBlock> blocks;
  VkDeviceSize bytes = 0;        ///< to copy
  VkDeviceSize bytes_freed = 0;  ///< in whole blocks
  bool reached = false;          ///< the goal, if every move happens

 private:
  plan::DefragmentationPlanner planner_;
  base::HostArray<plan::DefragmentationBlock> views_;
  base::HostArray<plan::DefragmentationPiece> pieces_;
  base::HostArray<Name> names_;  ///< beside pieces_
  bool good_ = true;
  bool by_owner_ = false;
  bool closes_ = true;                        ///< blocks that are left take nothing in
  std::uint32_t into_ = VK_MAX_MEMORY_TYPES;  ///< type that everything goes to
  std::uint32_t groups_ = 0;
};

}  // namespace quarry::heap
