// SPDX-License-Identifier: MIT
// The mover: carries a plan out in steps. Each move gets its new place and its new resource before
// it is switched over; what fails on the way leaves everything as it was.
#pragma once

#include <cstdint>
#include <span>

#include <quarry/defragmentation.hpp>

#include "base/host_array.hpp"
#include "device/create_info_copy.hpp"
#include "heap/core.hpp"
#include "heap/defragmentation_plan.hpp"
#include "heap/engine_recorder.hpp"

namespace quarry {

class Defragmentation::State {
 public:
  State(heap::Core& owner, DefragmentationDesc::Copies copies) noexcept
      : core(owner),
        plan(owner),
        recorder(owner, copies),
        moved_(owner.host),
        in_flight_(owner.host),
        buffers_(owner.host),
        images_(owner.host),
        proposed_(owner.host),
        proposals_(owner.host),
        infos_(owner.host) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  Result<std::span<const MovedResource>> record(const DefragmentationStep& step);
  Result<std::span<const ProposedMove>> propose(VkDeviceSize max_bytes, std::uint32_t max_moves);
  Status commit(const ProposedMove& move);
  void complete(std::uint64_t value);
  bool done() const { return cursor == plan.moves.size() && in_flight_.empty(); }

  heap::Core& core;
  heap::DefragmentationPlan plan;
  heap::EngineRecorder recorder;
  DefragmentationFigures figures;
  std::size_t cursor = 0;  ///< of the plan's moves
  std::uint64_t last_value = 0;

 private:
  /// A move of the step that is recorded.
  struct Prepared {
    Allocation allocation;
    device::CreateInfoCopy info;
    heap::RecordTable::Place place;
    ResourceState state;
    heap::RecordTable::Place old;

    bool is_image() const { return info.image() != nullptr; }
  };
  /// What the end of a move takes.
  struct InFlight {
    Allocation allocation;
    std::uint64_t value = 0;  ///< of the owner's timeline
    heap::RecordTable::Place place;
    VkDeviceSize size = 0;
    std::uint32_t from = 0;
    std::uint8_t step = 0;
    bool image = false;
  };
  template <class List>
  static bool has_room_for_one(List& list) {
    return list.size() < list.capacity() || list.reserve(list.size() * 2 + 8);
  }
  bool make_room();
  bool waits(std::uint32_t step) const;
  void move(const heap::PlannedMove& planned, const DefragmentationStep& step);
  void count_elsewhere(const heap::LargeRecord& record, const Prepared& prepared) const;
  bool prepare(const heap::PlannedMove& planned, const DefragmentationStep& step,
               const heap::LargeRecord& record, Prepared& prepared);
  bool ask(const heap::PlannedMove& planned, const DefragmentationStep& step,
           const heap::LargeRecord& record, Prepared& prepared);
  bool place(const heap::PlannedMove& planned, const heap::LargeRecord& record, Prepared& prepared);
  bool recreate(const heap::PlannedMove& planned, Prepared& prepared) const;
  bool leave(const heap::RecordTable::Place& place) const;
  void destroy(std::uint64_t resource, bool image) const;
  void note(const heap::PlannedMove& planned, Prepared& prepared);
  void finish(const heap::Move& done);
  void let_go(heap::PlannedBlock& block);
  void count_move(VkDeviceSize bytes);
  Result<Allocation> make_destination(const heap::PlannedMove& planned);
  bool awaits_owner(std::uint32_t step);

  /// What the owner was told to carry out, and perhaps has not yet.
  struct Proposal {
    Allocation destination;
    std::uint8_t step = 0;
  };

  base::HostArray<MovedResource> moved_;
  base::HostArray<InFlight> in_flight_;
  base::HostArray<heap::BufferMove> buffers_;
  base::HostArray<heap::ImageMove> images_;
  base::HostArray<ProposedMove> proposed_;
  base::HostArray<Proposal> proposals_;
  base::HostArray<device::CreateInfoCopy> infos_;  ///< of the images of a step
};

}  // namespace quarry
