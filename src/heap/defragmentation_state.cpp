// SPDX-License-Identifier: MIT
#include "heap/defragmentation_state.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "device/error.hpp"
#include "device/resource.hpp"
#include "heap/block_source.hpp"
#include "heap/host_moves.hpp"
#include "heap/lookup.hpp"
#include "heap/resource_handle.hpp"
#include "heap/router.hpp"

namespace quarry {

using heap::handle_from;

Defragmentation::State::~State() {
  complete(~std::uint64_t{0});
  core.readers.wait();
  for (heap::PlannedBlock& block : plan.blocks)
    let_go(block);
  core.moves.end();
}

/// Host memory for one more move, so that nothing can fail once it is switched over.
bool Defragmentation::State::make_room() {
  return has_room_for_one(moved_) && has_room_for_one(in_flight_) && has_room_for_one(buffers_) &&
         has_room_for_one(images_) && has_room_for_one(infos_);
}

Result<std::span<const MovedResource>> Defragmentation::State::record(
    const DefragmentationStep& step) {
  if (step.commands == VK_NULL_HANDLE || step.value < last_value ||
      (step.release == VK_NULL_HANDLE) != (step.acquire == VK_NULL_HANDLE) ||
      (step.release != VK_NULL_HANDLE && (step.owner_family == VK_QUEUE_FAMILY_IGNORED ||
                                          step.queue_family == VK_QUEUE_FAMILY_IGNORED)))
    return device::refuse(Reason::bad_argument);
  last_value = step.value;
  moved_.clear();
  buffers_.clear();
  images_.clear();
  infos_.clear();
  VkDeviceSize bytes = 0;
  Status status;
  while (cursor < plan.moves.size() && moved_.size() < step.max_moves) {
    const heap::PlannedMove& planned = plan.moves[cursor];
    if (waits(planned.step)) break;
    if (bytes > 0 && planned.size > step.max_bytes - std::min(bytes, step.max_bytes)) break;
    if (!make_room()) {
      status = device::refuse(Reason::out_of_host_memory);
      break;
    }
    ++cursor;
    const std::size_t before = moved_.size();
    move(planned, step);
    if (moved_.size() > before) bytes += planned.size;
  }
  recorder.record(step, buffers_.span(), images_.span());
  figures.bytes_by_compute = recorder.bytes_by_compute();
  if (!status && moved_.empty()) return Unexpected(status.error());
  return std::as_const(moved_).span();
}

/// What a later step needs is free once the earlier ones are complete.
bool Defragmentation::State::waits(std::uint32_t step) const {
  for (const InFlight& each : in_flight_) {
    if (each.step < step) return true;
  }
  return false;
}

void Defragmentation::State::move(const heap::PlannedMove& planned,
                                  const DefragmentationStep& step) {
  heap::LargeRecord* record = core.records.find_large(planned.allocation.value);
  if (record == nullptr || !core.moves.propose(planned.allocation, *record)) {
    ++figures.given_up;
    return;
  }
  Prepared prepared;
  prepared.allocation = planned.allocation;
  if (!prepare(planned, step, *record, prepared)) {
    core.moves.withdraw(planned.allocation);
    return;
  }
  prepared.old = {.block = record->block.load(std::memory_order_relaxed),
                  .range = record->range,
                  .offset = planned.from_offset,
                  .resource = record->resource};
  if (!core.moves.switch_over(planned.allocation, prepared.place, step.value)) {
    ++figures.given_up;
    destroy(prepared.place.resource, prepared.is_image());
    (void)leave(prepared.place);
    return;
  }
  count_elsewhere(*record, prepared);
  // The old range is nobody's until the copy is done.
  prepared.old.block->arena->set_user(*prepared.old.block, prepared.old.range, 0);
  prepared.place.block->arena->set_user(*prepared.place.block, prepared.place.range,
                                        planned.allocation.value);
  note(planned, prepared);
}

/// From here on it counts where it goes.
void Defragmentation::State::count_elsewhere(const heap::LargeRecord& record,
                                             const Prepared& prepared) const {
  const std::uint32_t from = prepared.old.block->memory.memory_type();
  const std::uint32_t to = prepared.place.block->memory.memory_type();
  if (from == to) return;
  const auto bytes = static_cast<std::int64_t>(record.size);
  core.type_totals[from].add_allocations(-1, -bytes);
  core.type_totals[to].add_allocations(1, bytes);
  core.heap_totals[core.heap_of(from)].add_allocations(-1, -bytes);
  core.heap_totals[core.heap_of(to)].add_allocations(1, bytes);
}

/// Everything up to the switch. On false nothing is left behind but the proposal.
bool Defragmentation::State::prepare(const heap::PlannedMove& planned,
                                     const DefragmentationStep& step,
                                     const heap::LargeRecord& record, Prepared& prepared) {
  // Only of a record that moves what is not atomic may be read.
  if (record.block.load(std::memory_order_relaxed) != plan.blocks[planned.from].block ||
      record.offset.load(std::memory_order_relaxed) != planned.from_offset ||
      record.size != planned.size) {
    ++figures.given_up;
    return false;
  }
  if (!ask(planned, step, record, prepared)) return false;
  if ((prepared.state.access & VK_ACCESS_HOST_WRITE_BIT) != 0 &&
      !heap::flush_before_move(core, *plan.blocks[planned.from].block, planned.from_offset,
                               planned.size)) {
    ++figures.failed;
    return false;
  }
  // The recorder has barriers of its own for the CPU.
  prepared.state.access &= ~VkAccessFlags{VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT};
  prepared.state.stages &= ~VkPipelineStageFlags{VK_PIPELINE_STAGE_HOST_BIT};
  return place(planned, record, prepared);
}

bool Defragmentation::State::ask(const heap::PlannedMove& planned, const DefragmentationStep& step,
                                 const heap::LargeRecord& record, Prepared& prepared) {
  bool copied = false;
  core.extras.look(planned.allocation.value, record, [&](const heap::Extras& extras) {
    const device::CreateInfoCopy& info = extras.create_info;
    if (info.buffer() == nullptr && info.image() == nullptr) return;
    auto copy = info.buffer() != nullptr ? device::CreateInfoCopy::of(core.host, *info.buffer())
                                         : device::CreateInfoCopy::of(core.host, *info.image());
    copied = copy.has_value();
    if (copied) prepared.info = std::move(*copy);
  });
  if (!copied) {
    ++figures.failed;
    return false;
  }
  const bool image = prepared.is_image();
  MovableResource resource{.allocation = planned.allocation,
                           .size = planned.size,
                           .user_data = record.user_data.load(std::memory_order_relaxed)};
  if (image) {
    resource.image = handle_from<VkImage>(record.resource);
  } else {
    resource.buffer = handle_from<VkBuffer>(record.resource);
  }
  bool allowed = !image || recorder.can_move(*prepared.info.image(), step);
  if (allowed && step.state != nullptr) {
    allowed = step.state(step.user, resource, prepared.state);
  } else {
    prepared.state.access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  }
  const bool contents_known = !image || (prepared.state.layout != VK_IMAGE_LAYOUT_UNDEFINED &&
                                         prepared.state.layout != VK_IMAGE_LAYOUT_PREINITIALIZED);
  const bool here = prepared.state.queue_family == VK_QUEUE_FAMILY_IGNORED ||
                    prepared.state.queue_family ==
                        (step.release != VK_NULL_HANDLE ? step.owner_family : step.queue_family);
  if (allowed && contents_known && here) return true;
  ++figures.refused;
  return false;
}

bool Defragmentation::State::place(const heap::PlannedMove& planned,
                                   const heap::LargeRecord& record, Prepared& prepared) {
  const heap::PlannedBlock& to = plan.blocks[planned.to];
  heap::Arena::Placed placed;
  const OffsetRequest request{.size = planned.size,
                              .alignment = std::uint64_t{1} << record.alignment_log2()};
  if (to.block == nullptr || to.arena->place_at(*to.block, request, planned.to_offset,
                                                planned.before, placed) != OffsetError::none) {
    ++figures.given_up;
    return false;
  }
  prepared.place = {.block = to.block,
                    .range = placed.where.handle,
                    .offset = placed.where.offset,
                    .resource = 0};
  if (recreate(planned, prepared)) return true;
  ++figures.failed;
  (void)leave(prepared.place);
  return false;
}

/// Makes the resource again and binds it to its new place.
bool Defragmentation::State::recreate(const heap::PlannedMove& planned, Prepared& prepared) const {
  const memory::DeviceMemory& memory = prepared.place.block->memory;
  const auto fits = [&](const device::Requirements& requirements) {
    const VkMemoryRequirements& needed = requirements.memory;
    return needed.size <= planned.size && planned.to_offset % needed.alignment == 0 &&
           (needed.memoryTypeBits >> memory.memory_type() & 1) != 0;
  };
  if (prepared.is_image()) {
    const auto image = device::create_image(core.device, *prepared.info.image());
    if (!image) return false;
    const auto requirements = device::requirements_of_image(core.device, *image, device::kNoPlane);
    if (requirements && fits(*requirements) &&
        device::bind_image(core.device, *image, memory.handle(), planned.to_offset)) {
      prepared.place.resource = heap::handle_bits(*image);
      return true;
    }
    device::destroy_image(core.device, *image);
    return false;
  }
  const auto buffer = device::create_buffer(core.device, *prepared.info.buffer());
  if (!buffer) return false;
  if (fits(device::requirements_of_buffer(core.device, *buffer)) &&
      device::bind_buffer(core.device, *buffer, memory.handle(), planned.to_offset)) {
    prepared.place.resource = heap::handle_bits(*buffer);
    return true;
  }
  device::destroy_buffer(core.device, *buffer);
  return false;
}

/// Frees a range that nobody knows of; whether its block is empty now.
bool Defragmentation::State::leave(const heap::RecordTable::Place& place) const {
  bool emptied = false;
  const OffsetError error =
      place.block->arena->remove(*place.block, place.range, core.now(), emptied);
  QUARRY_CHECK(error == OffsetError::none);
  return emptied;
}

void Defragmentation::State::destroy(std::uint64_t resource, bool image) const {
  if (image) {
    device::destroy_image(core.device, handle_from<VkImage>(resource));
  } else {
    device::destroy_buffer(core.device, handle_from<VkBuffer>(resource));
  }
}

/// The lists have room: see make_room().
void Defragmentation::State::note(const heap::PlannedMove& planned, Prepared& prepared) {
  MovedResource told{.allocation = planned.allocation};
  const bool host_visible =
      prepared.place.block->memory.host_visible() || prepared.old.block->memory.host_visible();
  bool noted = in_flight_.push_back({.allocation = planned.allocation,
                                     .value = last_value,
                                     .place = prepared.place,
                                     .size = planned.size,
                                     .from = planned.from,
                                     .step = planned.step,
                                     .image = prepared.is_image()});
  if (prepared.is_image()) {
    told.old_image = handle_from<VkImage>(prepared.old.resource);
    told.new_image = handle_from<VkImage>(prepared.place.resource);
    noted = noted && infos_.push_back(std::move(prepared.info)) &&
            images_.push_back({.from = told.old_image,
                               .to = told.new_image,
                               .info = infos_.back().image(),
                               .host_visible = host_visible,
                               .state = prepared.state});
  } else {
    told.old_buffer = handle_from<VkBuffer>(prepared.old.resource);
    told.new_buffer = handle_from<VkBuffer>(prepared.place.resource);
    const VkBufferCreateInfo& info = *prepared.info.buffer();
    noted =
        noted && buffers_.push_back({.from = told.old_buffer,
                                     .to = told.new_buffer,
                                     .size = info.size,
                                     .from_block = prepared.old.block,
                                     .to_block = prepared.place.block,
                                     .from_offset = prepared.old.offset,
                                     .to_offset = prepared.place.offset,
                                     .slot_size = planned.size,
                                     .concurrent = info.sharingMode == VK_SHARING_MODE_CONCURRENT,
                                     .host_visible = host_visible,
                                     .state = prepared.state});
  }
  noted = noted && moved_.push_back(told);
  QUARRY_CHECK(noted);
  ++figures.moves;
  figures.bytes_moved += planned.size;
}

void Defragmentation::State::complete(std::uint64_t value) {
  recorder.complete(value);
  // Before owners may map it: what they write then must not be invalidated. Memory that cannot be
  // mapped now has nobody reading it.
  for (const InFlight& each : in_flight_) {
    if (each.value > value) continue;
    (void)heap::invalidate_after_move(core, *each.place.block, each.place.offset, each.size);
  }
  heap::Move done;
  while (core.moves.take_done(value, done))
    finish(done);
}

void Defragmentation::State::finish(const heap::Move& done) {
  std::size_t index = 0;
  while (in_flight_[index].allocation != done.allocation)
    ++index;
  const InFlight known = in_flight_[index];
  in_flight_.swap_erase(index);
  destroy(done.old.resource, known.image);
  const bool emptied = leave(done.old);
  if (done.stage == heap::Move::Stage::freed) {
    if (done.resource_too) destroy(done.record->resource, known.image);
    heap::Router(core).free(done.allocation, *done.record);
  }
  heap::PlannedBlock& from = plan.blocks[known.from];
  if (!emptied || !from.closed) return;
  core.readers.wait();
  let_go(from);
}

void Defragmentation::State::let_go(heap::PlannedBlock& block) {
  if (block.block == nullptr) return;
  recorder.forget(*block.block);
  plan.release(block);
  if (block.closed) figures.bytes_freed += heap::BlockSource(core).release_empty(*block.arena);
}

}  // namespace quarry
