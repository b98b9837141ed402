// SPDX-License-Identifier: MIT
// What is on its way to another place. The mover proposes a move, switches the allocation over to
// its new place when the copy is recorded, and ends the move when the copy is done. Owners may do
// anything to the allocation meanwhile: their slow ways come here, because a record that moves is
// not live to the fast ones.
#pragma once

#include <atomic>
#include <cstdint>

#include <quarry/allocation.hpp>

#include "base/host_array.hpp"
#include "base/mutex.hpp"
#include "heap/record_table.hpp"

namespace quarry::heap {

struct Move {
  enum class Stage : std::uint8_t {
    proposed,  ///< the allocation lies where it did
    dropped,   ///< so it does for ever: its owner freed, mapped or pinned it
    switched,  ///< it lies in its new place, the GPU may still read the old one and write the new
    freed,     ///< the same, and its owner freed it
  };

  Allocation allocation;
  LargeRecord* record = nullptr;
  const void* mover = nullptr;
  RecordTable::Place old{};  ///< once switched
  std::uint64_t value = 0;   ///< of the owner's timeline: the copy is done; once switched
  Stage stage = Stage::proposed;
  bool resource_too = false;  ///< freed together with its resource
};

/// Thread-safe; a mover's calls come from one thread at a time. There may be two: defragmentation,
/// which stands for null, and residency. What the one has proposed the other cannot.
class Moves {
 public:
  Moves(const HostMemory& host, RecordTable& records) : records_(records), moves_(host) {}

  /// One mover at a time; false when there is one.
  bool begin() { return !active_.exchange(true); }
  void end() { active_.store(false); }

  // ---- The mover
  /// False when the allocation is not live (any more), or without host memory.
  bool propose(Allocation allocation, LargeRecord& record, const void* mover = nullptr);
  /// Takes a proposal back.
  void withdraw(Allocation allocation);
  /// The allocation lies in the new place from now on. False when the owner was in the way; then
  /// the move is over.
  bool switch_over(Allocation allocation, const RecordTable::Place& place, std::uint64_t value);
  /// A proposed allocation and another change places. False when an owner was in the way. The move
  /// is over then and now.
  bool swap_places(Allocation first, Allocation second, LargeRecord& second_record);
  /// A proposed allocation takes the place and the resource of `other`, a record that the mover
  /// claimed, and that one its place; `marks` are Record::kDemoted or 0. False as switch_over().
  bool exchange(Allocation allocation, LargeRecord& other, std::uint32_t marks,
                std::uint64_t value);
  /// Ends one move of the mover's whose value is reached; false when there is none. The record is
  /// live again, or with Stage::freed claimed.
  bool take_done(std::uint64_t value, Move& done, const void* mover = nullptr);

  // ---- Owners, of a record that was found to be moving
  /// Drops the move if that is still possible: false when it is not.
  bool make_way(Allocation allocation);
  enum class Freed : std::uint8_t {
    not_moving,    ///< no more: to be freed as any other
    with_move,     ///< when the move ends
    bad_resource,  ///< it is not the resource that lies there, or did before
  };
  /// `resource`: that is destroyed with it; 0: unknown.
  Freed free(Allocation allocation, std::uint64_t resource);

 private:
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t find(Allocation allocation) const QUARRY_REQUIRES(mutex_);
  void drop(Move& move) QUARRY_REQUIRES(mutex_);

  RecordTable& records_;
  std::atomic<bool> active_{false};
  mutable base::Mutex
      mutex_;  ///< only the host callbacks are called and shards locked with it held
  base::HostArray<Move> moves_ QUARRY_GUARDED_BY(mutex_);
};

}  // namespace quarry::heap
