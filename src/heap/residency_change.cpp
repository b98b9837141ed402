// SPDX-License-Identifier: MIT
// One resource leaves or comes back.
#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "copy/image_regions.hpp"
#include "copy/packed_image.hpp"
#include "device/error.hpp"
#include "device/resource.hpp"
#include "heap/host_moves.hpp"
#include "heap/lookup.hpp"
#include "heap/residency_state.hpp"
#include "heap/resource_handle.hpp"
#include "heap/resources.hpp"
#include "heap/router.hpp"

namespace quarry {

using heap::handle_from;
using heap::Residence;

namespace {

/// Over the bytes of a copy; the same each time for the same bytes.
VkBufferCreateInfo host_buffer(VkDeviceSize bytes) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = std::max<VkDeviceSize>(1, bytes);
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  return info;
}

bool is_shortage(Reason reason) {
  return reason == Reason::over_budget || reason == Reason::over_limit ||
         reason == Reason::out_of_device_memory || reason == Reason::too_many_allocations;
}

bool has_contents(VkImageLayout layout) {
  return layout != VK_IMAGE_LAYOUT_UNDEFINED && layout != VK_IMAGE_LAYOUT_PREINITIALIZED;
}

}  // namespace

void Residency::State::change(std::uint64_t handle, const ResidencyStep& step, bool out) {
  Prepared prepared;
  prepared.allocation = Allocation{handle};
  prepared.out = out;
  prepared.record = core.records.find_large(handle);
  if (prepared.record == nullptr ||
      !core.moves.propose(prepared.allocation, *prepared.record, this)) {
    ++figures.given_up;
    return;
  }
  if (prepared.record->demoted() == out || !prepare(prepared, step)) {
    core.moves.withdraw(prepared.allocation);
    return;
  }
  heap::LargeRecord& record = *prepared.record;
  const VkDeviceSize old_bytes = record.size.load(std::memory_order_relaxed);
  const std::uint64_t old_resource = record.resource;
  if (!core.moves.exchange(prepared.allocation,
                           static_cast<heap::LargeRecord&>(*prepared.counterpart),
                           out ? heap::Record::kDemoted : 0, step.value)) {
    ++figures.given_up;
    abandon(prepared);
    return;
  }
  settle(prepared, old_bytes);
  note(prepared, old_resource, old_bytes);
}

/// Everything up to the change of places. On false nothing is left behind but the proposal.
bool Residency::State::prepare(Prepared& prepared, const ResidencyStep& step) {
  if (!look_up(prepared)) {
    ++figures.failed;
    return false;
  }
  return ask(prepared, step) && make_place(prepared);
}

/// What its entry says. Of a discarded one there are no bytes.
bool Residency::State::look_up(Prepared& prepared) {
  bool copied = false;
  core.extras.look(prepared.allocation.value, *prepared.record, [&](const heap::Extras& extras) {
    const device::CreateInfoCopy& info = extras.create_info;
    if (info.buffer() == nullptr && info.image() == nullptr) return;
    auto copy = info.buffer() != nullptr ? device::CreateInfoCopy::of(core.host, *info.buffer())
                                         : device::CreateInfoCopy::of(core.host, *info.image());
    copied = copy.has_value();
    if (copied) prepared.info = std::move(*copy);
    const Residence& residence = extras.residence;
    prepared.priority = residence.priority.load(std::memory_order_relaxed);
    prepared.lifetime = residence.lifetime;
    prepared.dedicated = residence.dedicated;
    prepared.rebuild = prepared.out ? residence.discardable : residence.discarded;
    if (!prepared.out) prepared.state.layout = residence.layout;
  });
  if (copied && !prepared.rebuild)
    prepared.host_bytes = prepared.is_image() ? copy::pack_image(*prepared.info.image()).bytes
                                              : prepared.info.buffer()->size;
  return copied;
}

bool Residency::State::ask(Prepared& prepared, const ResidencyStep& step) {
  const heap::LargeRecord& record = *prepared.record;
  MovableResource resource{.allocation = prepared.allocation,
                           .size = record.size.load(std::memory_order_relaxed),
                           .user_data = record.user_data.load(std::memory_order_relaxed)};
  bool allowed = prepared.rebuild || prepared.host_bytes != 0;
  if (prepared.is_image()) {
    const VkImageCreateInfo& info = *prepared.info.image();
    allowed = allowed && (prepared.rebuild || !copy::needs_graphics(copy::shape_of(info)) ||
                          (step.queue & VK_QUEUE_GRAPHICS_BIT) != 0);
    if (prepared.out) resource.image = handle_from<VkImage>(record.resource);
  } else if (prepared.out) {
    resource.buffer = handle_from<VkBuffer>(record.resource);
  }
  if (allowed && step.state != nullptr) {
    allowed = step.state(step.user, resource, prepared.state);
  } else {
    prepared.state.access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  }
  const bool contents_known =
      prepared.rebuild || !prepared.is_image() || has_contents(prepared.state.layout);
  const bool here = prepared.state.queue_family == VK_QUEUE_FAMILY_IGNORED ||
                    prepared.state.queue_family ==
                        (step.release != VK_NULL_HANDLE ? step.owner_family : step.queue_family);
  if (allowed && contents_known && here) return true;
  ++figures.refused;
  return false;
}

bool Residency::State::make_place(Prepared& prepared) {
  heap::LargeRecord& record = *prepared.record;
  if (prepared.out) {
    heap::Block& block = *record.block.load(std::memory_order_relaxed);
    prepared.host_visible = block.memory.host_visible();
    if ((prepared.state.access & VK_ACCESS_HOST_WRITE_BIT) != 0 &&
        !heap::flush_before_move(core, block, record.offset.load(std::memory_order_relaxed),
                                 record.size.load(std::memory_order_relaxed))) {
      ++figures.failed;
      return false;
    }
  }
  // The recorder has barriers of its own for the CPU.
  prepared.state.access &= ~VkAccessFlags{VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT};
  prepared.state.stages &= ~VkPipelineStageFlags{VK_PIPELINE_STAGE_HOST_BIT};
  const Status made = prepared.out ? make_host_place(prepared) : make_device_place(prepared);
  if (made) return true;
  if (!is_shortage(made.error().reason)) {
    ++figures.failed;
  } else if (prepared.out) {
    ++figures.no_host_room;
  } else {
    ++figures.no_device_room;
  }
  return false;
}

/// A buffer in host memory, or where nothing is copied the least that can be had.
Status Residency::State::make_host_place(Prepared& prepared) {
  const auto made = heap::create_buffer(core, host_buffer(prepared.host_bytes), host_desc());
  if (!made) return Unexpected(made.error());
  prepared.host = made->buffer;
  claim_counterpart(prepared, made->allocation);
  return {};
}

/// The resource made again in device memory, and a buffer over its bytes.
Status Residency::State::make_device_place(Prepared& prepared) {
  if (const Status covered = cover_host_bytes(prepared); !covered) return covered;
  const heap::Origin origin = heap::origin_of(core, prepared.allocation, *prepared.record);
  const AllocationDesc desc{
      .intent = origin.intent,
      .lifetime = prepared.lifetime,
      .dedicated = prepared.dedicated,
      .within_budget = true,
      .movable = true,
      .required_flags = origin.required_flags,
      .preferred_flags = origin.preferred_flags,
      .forbidden_flags = origin.forbidden_flags,
      .memory_type_bits = origin.type_bits & device_types_,
      .minimum_alignment = VkDeviceSize{1} << prepared.record->alignment_log2(),
      .priority = prepared.priority};
  Allocation counterpart;
  Error error;
  if (prepared.is_image()) {
    const auto made = heap::create_image(core, *prepared.info.image(), desc);
    if (made) {
      counterpart = made->allocations[0];
    } else {
      error = made.error();
    }
  } else {
    const auto made = heap::create_buffer(core, *prepared.info.buffer(), desc);
    if (made) {
      counterpart = made->allocation;
    } else {
      error = made.error();
    }
  }
  if (!counterpart) {
    device::destroy_buffer(core.device, prepared.host);
    return Unexpected(error);
  }
  claim_counterpart(prepared, counterpart);
  prepared.host_visible =
      heap::locate(core, counterpart, *prepared.counterpart).memory().host_visible();
  return {};
}

Status Residency::State::cover_host_bytes(Prepared& prepared) const {
  if (prepared.rebuild) return {};
  const auto buffer = device::create_buffer(core.device, host_buffer(prepared.host_bytes));
  if (!buffer) return Unexpected(buffer.error());
  const heap::Live live = heap::locate(core, prepared.allocation, *prepared.record);
  const VkMemoryRequirements needed = device::requirements_of_buffer(core.device, *buffer).memory;
  // The driver answered the same when the bytes were put there.
  const bool fits = needed.size <= live.where.size && live.where.offset % needed.alignment == 0;
  const Status bound =
      fits ? device::bind_buffer(core.device, *buffer, live.memory().handle(), live.where.offset)
           : Status(device::refuse(Reason::driver));
  if (bound) {
    prepared.host = *buffer;
  } else {
    device::destroy_buffer(core.device, *buffer);
  }
  return bound;
}

/// From here on nobody else can do anything with it.
void Residency::State::claim_counterpart(Prepared& prepared, Allocation counterpart) const {
  heap::RecordTable::Lookup claimed;
  while (!(claimed = core.records.claim(counterpart.value)))
    (void)core.moves.make_way(counterpart);
  prepared.counterpart = claimed.record;
  prepared.counterpart_handle = counterpart;
}

/// The owner was in the way: undoes make_place().
void Residency::State::abandon(const Prepared& prepared) const {
  device::destroy_buffer(core.device, prepared.host);
  if (!prepared.out) destroy(prepared.counterpart->resource, prepared.is_image());
  heap::Router(core).free(prepared.counterpart_handle, *prepared.counterpart);
}

/// Who lies where now, in every list that says so.
void Residency::State::settle(const Prepared& prepared, VkDeviceSize old_bytes) {
  heap::LargeRecord& record = *prepared.record;
  const auto& counterpart = static_cast<const heap::LargeRecord&>(*prepared.counterpart);
  const auto name = [&](const heap::LargeRecord& lies_there, Allocation allocation) {
    heap::Block& block = *lies_there.block.load(std::memory_order_relaxed);
    if (block.dedicated()) {
      core.dedicated.set_allocation(block, allocation,
                                    lies_there.size.load(std::memory_order_relaxed));
    } else {
      block.arena->set_user(block, lies_there.range, allocation.value);
    }
  };
  name(counterpart, {});
  name(record, prepared.allocation);
  const VkDeviceSize new_bytes = record.size.load(std::memory_order_relaxed);
  // The two changed places, so that heaps and types hold what they did.
  const auto more = static_cast<std::int64_t>(new_bytes) - static_cast<std::int64_t>(old_bytes);
  core.tags.add_allocations(record.tag(), 0, more);
  core.tags.add_allocations(Tag{}, 0, -more);
  if (!prepared.out)
    record.wording.store(heap::Record::pack_wording(record.origin(), counterpart.alignment_log2()),
                         std::memory_order_relaxed);
  core.extras.change(prepared.allocation.value, record, [&](heap::Extras& extras) {
    Residence& residence = extras.residence;
    residence.changed = std::max<std::uint64_t>(1, core.coarse_now());
    if (prepared.out) {
      residence.device_bytes = old_bytes;
      residence.discarded = prepared.rebuild;
      residence.layout = prepared.state.layout;
    } else {
      residence.wish = Residence::Wish::none;
    }
  });
}

/// The lists have room: see make_room().
void Residency::State::note(Prepared& prepared, std::uint64_t old_resource,
                            VkDeviceSize old_bytes) {
  const bool image = prepared.is_image();
  const std::uint64_t resource = prepared.out ? old_resource : prepared.record->resource;
  const auto buffer = image ? VkBuffer{} : handle_from<VkBuffer>(resource);
  const auto as_image = image ? handle_from<VkImage>(resource) : VkImage{};
  void* user_data = prepared.record->user_data.load(std::memory_order_relaxed);
  bool noted = in_flight_.push_back({.allocation = prepared.allocation,
                                     .counterpart_handle = prepared.counterpart_handle,
                                     .counterpart = prepared.counterpart,
                                     .record = prepared.record,
                                     .host = prepared.host,
                                     .device_bytes = old_bytes,
                                     .value = last_value_,
                                     .image = image,
                                     .out = prepared.out,
                                     .host_visible = prepared.host_visible});
  if (prepared.out) {
    ++figures.demotions;
    if (prepared.rebuild) ++figures.discards;
    figures.bytes_out += prepared.host_bytes;
    leaving_ += old_bytes;
    noted = noted && demoted_.push_back({.allocation = prepared.allocation,
                                         .old_buffer = buffer,
                                         .old_image = as_image,
                                         .user_data = user_data,
                                         .discarded = prepared.rebuild});
  } else {
    ++figures.promotions;
    figures.bytes_in += prepared.host_bytes;
    noted = noted && promoted_.push_back({.allocation = prepared.allocation,
                                          .new_buffer = buffer,
                                          .new_image = as_image,
                                          .user_data = user_data,
                                          .rebuild = prepared.rebuild});
  }
  if (!prepared.rebuild) {
    const bool concurrent =
        (image ? prepared.info.image()->sharingMode : prepared.info.buffer()->sharingMode) ==
        VK_SHARING_MODE_CONCURRENT;
    noted = noted && infos_.push_back(std::move(prepared.info)) &&
            copies_.push_back({.buffer = buffer,
                               .image = as_image,
                               .info = infos_.back().image(),
                               .host = prepared.host,
                               .size = prepared.host_bytes,
                               .out = prepared.out,
                               .concurrent = concurrent,
                               .host_visible = prepared.host_visible,
                               .state = prepared.state});
  }
  QUARRY_CHECK(noted);
}

/// What came back to memory that the CPU sees.
void Residency::State::invalidate(std::uint64_t value) const {
  for (const InFlight& each : in_flight_) {
    if (each.out || !each.host_visible || each.value > value) continue;
    (void)heap::invalidate_after_move(core, *each.record->block.load(std::memory_order_relaxed),
                                      each.record->offset.load(std::memory_order_relaxed),
                                      each.record->size.load(std::memory_order_relaxed));
  }
}

}  // namespace quarry
