// SPDX-License-Identifier: MIT
// What the heap keeps for each allocation: 32 bytes for a slot of a slab, whose place the slab
// knows; 64 for any other. Names and create-infos of the few that have them stand in a side table
// (extras.hpp), how a request was worded in another (origins.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include <quarry/allocation.hpp>
#include <quarry/explain.hpp>
#include <quarry/offset.hpp>

#include "base/handle.hpp"
#include "base/relaxed.hpp"

namespace quarry::heap {

class Block;

/// Written before its handle is given out; afterwards only the atomics change, and what a move
/// changes (moves.hpp).
struct Record {
  /// Of a live allocation live_state() of its handle, with kMoving changed in it while it is moved;
  /// with kVacant or kClaimed changed in it otherwise, with both once it is retired. The generation
  /// is in the low bits.
  std::atomic<std::uint32_t> state;
  std::atomic<std::uint32_t> extras{0};  ///< place in the side table; 0: none
  std::atomic<std::uint32_t> marks{0};   ///< mappings, placement, tag; 0 of most slots
  struct Home {
    base::Relaxed<std::uint8_t> set;
    base::Relaxed<std::uint8_t> size_class;
  };
  union {
    Home home{};           ///< of a slot: its slab's bin
    bool in_default_pool;  ///< of any other: a range of a block there, not dedicated
  };
  std::atomic<std::uint16_t> wording{0};  ///< origin and alignment
  std::uint64_t resource = 0;  ///< the VkBuffer or VkImage it was made for; 0 when there is none
  std::atomic<void*> user_data{nullptr};

  static constexpr std::uint32_t kVacant = 1u << base::kHandleGenerationBits;
  static constexpr std::uint32_t kClaimed = 2u << base::kHandleGenerationBits;
  static constexpr std::uint32_t kMoving = 4u << base::kHandleGenerationBits;

  /// Generation and, because nothing has to be masked away, the low bits of the owner.
  static constexpr std::uint32_t live_state(std::uint64_t handle) {
    static_assert(base::kHandleIndexBits + 32 <= 64);
    return static_cast<std::uint32_t>(handle >> base::kHandleIndexBits);
  }
  /// Vacant, waiting for its first handle.
  explicit Record(std::uint64_t handle) noexcept : state(live_state(handle) ^ kVacant) {}
  bool is_live(std::uint64_t handle) const {
    return ((state.load() ^ live_state(handle)) & ~kMoving) == 0;
  }
  bool is_moving(std::uint64_t handle) const {
    return state.load() == (live_state(handle) ^ kMoving);
  }

  // `marks`, from the lowest up: mappings, mapped for life, demoted, placement, pinned, owes, tag.
  static constexpr std::uint32_t kMostMappings = (1u << 10) - 1;
  static constexpr std::uint32_t kMappedForLife = 1u << 10;
  /// Its contents are in host memory, or nowhere, and it has no resource.
  static constexpr std::uint32_t kDemoted = 1u << 11;
  static constexpr std::uint32_t kPlacementShift = 12;
  static constexpr std::uint32_t kPinned = 1u << 14;  ///< how often, extras.hpp tells
  /// Its memory was taken over while earlier uses might still run.
  static constexpr std::uint32_t kOwes = 1u << 15;
  static constexpr std::uint32_t kTagShift = 16;
  static constexpr std::uint32_t pack_marks(Tag tag,
                                            Placement placement = Placement::existing_block) {
    return tag.index << kTagShift | (static_cast<std::uint32_t>(placement) - kUsualPlacement)
                                        << kPlacementShift;
  }
  std::uint32_t load_marks() const { return marks.load(std::memory_order_acquire); }
  std::uint32_t map_count() const { return load_marks() & kMostMappings; }
  bool mapped_for_life() const { return (load_marks() & kMappedForLife) != 0; }
  bool demoted() const { return (marks.load() & kDemoted) != 0; }
  Placement placement() const {
    return static_cast<Placement>((load_marks() >> kPlacementShift & 3u) + kUsualPlacement);
  }
  bool owes() const { return (load_marks() & kOwes) != 0; }
  Tag tag() const { return {marks.load(std::memory_order_relaxed) >> kTagShift}; }

  // `wording`, from the lowest up: alignment, origin.
  static constexpr std::uint32_t kAlignmentBits = 6;
  static constexpr std::uint32_t kOriginBits = 10;
  static constexpr std::uint16_t pack_wording(std::uint32_t origin, std::uint32_t alignment_log2) {
    return static_cast<std::uint16_t>(origin << kAlignmentBits | alignment_log2);
  }
  std::uint32_t load_wording() const { return wording.load(std::memory_order_relaxed); }
  std::uint32_t alignment_log2() const { return load_wording() & ((1u << kAlignmentBits) - 1); }
  std::uint32_t origin() const { return load_wording() >> kAlignmentBits; }

 private:
  static constexpr auto kUsualPlacement = static_cast<std::uint32_t>(Placement::existing_block);
};

/// An allocation that is no slot of a slab.
struct alignas(64) LargeRecord : Record {
  using Record::Record;

  std::atomic<Block*> block{nullptr};   ///< its dedicated one, too
  OffsetHandle range;                   ///< within the block
  std::atomic<VkDeviceSize> offset{0};  ///< bytes into the memory
  std::atomic<VkDeviceSize> size{0};    ///< bytes reserved
};

static_assert(sizeof(void*) != 8 || (sizeof(Record) == 32 && sizeof(LargeRecord) == 64));

/// Where an allocation lies.
struct Location {
  Block* block = nullptr;
  VkDeviceSize offset = 0;  ///< bytes into the block's memory
  VkDeviceSize size = 0;    ///< bytes reserved
};

}  // namespace quarry::heap
