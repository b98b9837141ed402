// SPDX-License-Identifier: MIT
// The public face of the mover.
#include <utility>

#include <quarry/defragmentation.hpp>

#include "base/bits.hpp"
#include "base/host_object.hpp"
#include "device/error.hpp"
#include "heap/defragmentation_state.hpp"

namespace quarry {

namespace {

bool makes_sense(const heap::Core& core, const DefragmentationDesc& desc) {
  using Goal = DefragmentationDesc::Goal;
  switch (desc.goal) {
    case Goal::free_blocks:
    case Goal::budget:
      return true;
    case Goal::make_room:
      return desc.bytes > 0 && base::is_power_of_two(desc.alignment) &&
             desc.kind <= ResourceKind::optimal && desc.lifetime <= Lifetime::long_lived;
    case Goal::empty_type:
      return desc.into_type < core.device.facts().memory.memoryTypeCount && !desc.pool &&
             !desc.by_owner && (desc.memory_types >> desc.into_type & 1) == 0;
  }
  return false;
}

}  // namespace

Result<Defragmentation> Defragmentation::begin(Allocator& allocator,
                                               const DefragmentationDesc& desc) {
  if (allocator.core_ == nullptr) return device::refuse(Reason::bad_argument);
  heap::Core& core = *allocator.core_;
  if (!makes_sense(core, desc) || desc.copies > DefragmentationDesc::Copies::commands)
    return device::refuse(Reason::bad_argument);
  if (!core.may_move) return device::refuse(Reason::unsupported);
  if (!desc.by_owner && !heap::CommandRecorder::is_possible(core.device))
    return device::refuse(Reason::function_missing);
  if (!core.moves.begin()) return device::refuse(Reason::still_in_use);
  State* state = base::create_object<State>(core.host, core, desc.copies);
  if (state == nullptr) {
    core.moves.end();
    return device::refuse(Reason::out_of_host_memory);
  }
  Defragmentation pass(state);
  if (!state->plan.make(desc)) return device::refuse(Reason::out_of_host_memory);
  return pass;
}

Defragmentation::Defragmentation(Defragmentation&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}

Defragmentation& Defragmentation::operator=(Defragmentation&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Defragmentation::~Defragmentation() {
  if (state_ == nullptr) return;
  const HostMemory host = state_->core.host;
  base::destroy_object(host, state_);
}

Result<std::span<const MovedResource>> Defragmentation::record(const DefragmentationStep& step) {
  return state_->record(step);
}

Result<std::span<const ProposedMove>> Defragmentation::propose(VkDeviceSize max_bytes,
                                                               std::uint32_t max_moves) {
  return state_->propose(max_bytes, max_moves);
}

Status Defragmentation::commit(const ProposedMove& move) {
  return state_->commit(move);
}

void Defragmentation::complete(std::uint64_t value) {
  state_->complete(value);
}

bool Defragmentation::done() const {
  return state_->done();
}

VkDeviceSize Defragmentation::planned_bytes() const {
  return state_->plan.bytes;
}

VkDeviceSize Defragmentation::planned_bytes_freed() const {
  return state_->plan.bytes_freed;
}

bool Defragmentation::reaches_goal() const {
  return state_->plan.reached;
}

DefragmentationFigures Defragmentation::figures() const {
  return state_->figures;
}

}  // namespace quarry
