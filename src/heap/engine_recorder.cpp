// SPDX-License-Identifier: MIT
#include "heap/engine_recorder.hpp"

#include <algorithm>

#include "base/host_object.hpp"
#include "heap/host_moves.hpp"
#include "heap/lookup.hpp"
#include "heap/mapping.hpp"
#include "heap/resources.hpp"

namespace quarry::heap {

namespace {

constexpr std::uint32_t kNone = ~0u;
/// Lists grow in steps of this many bytes, so that steps alike use the same memory.
constexpr VkDeviceSize kListStep = VkDeviceSize{64} << 10;

copy::Way way_of(DefragmentationDesc::Copies copies) {
  switch (copies) {
    case DefragmentationDesc::Copies::compute:
      return copy::Way::addresses;
    case DefragmentationDesc::Copies::commands:
      return copy::Way::commands;
    default:
      return copy::Way::automatic;
  }
}

copy::Usage usage_of(std::span<const BufferMove> buffers, std::span<const ImageMove> images) {
  copy::Usage usage{.stages = 0, .access = 0};
  const auto add = [&](const ResourceState& state) {
    usage.stages |=
        state.stages != 0 ? state.stages : VkPipelineStageFlags{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
    usage.access |= state.access;
  };
  for (const BufferMove& move : buffers)
    add(move.state);
  for (const ImageMove& move : images)
    add(move.state);
  return usage;
}

copy::Commands commands_of(const DefragmentationStep& step, const copy::Usage& usage) {
  const bool known = step.queue_family != VK_QUEUE_FAMILY_IGNORED;
  const std::uint32_t family = known ? step.queue_family : 0;
  const bool two = step.release != VK_NULL_HANDLE;
  return {.copy = step.commands,
          .release = two ? step.release : step.commands,
          .acquire = two ? step.acquire : step.commands,
          .copy_family = family,
          .owner_family = two ? step.owner_family : family,
          .copy_queue = step.queue,
          .before = usage,
          .after = usage};
}

}  // namespace

EngineRecorder::EngineRecorder(Core& core, DefragmentationDesc::Copies copies)
    : core_(core),
      engine_(core.move_engine.get()),
      way_(way_of(copies)),
      plain_(core.device),
      covers_(core.host),
      recordings_(core.host),
      buffers_(core.host),
      images_(core.host) {}

EngineRecorder::~EngineRecorder() {
  for (const Cover& cover : covers_.span())
    engine_->destroy_block(cover.buffer);
  for (Recording* recording : recordings_.span()) {
    engine_->close_step(recording->step);
    if (recording->list.buffer != VK_NULL_HANDLE) (void)destroy(core_, recording->list);
    base::destroy_object(core_.host, recording);
  }
}

bool EngineRecorder::can_move(const VkImageCreateInfo& info,
                              const DefragmentationStep& step) const {
  return plain_.can_move(info, step);
}

void EngineRecorder::record(const DefragmentationStep& step, std::span<const BufferMove> buffers,
                            std::span<const ImageMove> images) {
  if (buffers.empty() && images.empty()) return;
  const auto seen = [](const auto& move) { return move.host_visible; };
  const bool host = std::any_of(buffers.begin(), buffers.end(), seen) ||
                    std::any_of(images.begin(), images.end(), seen);
  const bool two = step.release != VK_NULL_HANDLE;
  if (host) barrier_from_host(core_.device, two ? step.release : step.commands);
  record_copies(step, buffers, images);
  if (host) barrier_to_host(core_.device, two ? step.acquire : step.commands);
}

void EngineRecorder::record_copies(const DefragmentationStep& step,
                                   std::span<const BufferMove> buffers,
                                   std::span<const ImageMove> images) {
  if (engine_ != nullptr && record_by_engine(step, buffers, images)) return;
  // What the failed try left in the command buffers is harmless. Their owner's family can copy,
  // too, and nothing need be handed over.
  DefragmentationStep plain = step;
  if (step.acquire != VK_NULL_HANDLE) plain.commands = step.acquire;
  plain_.record(plain, buffers, images);
}

bool EngineRecorder::record_by_engine(const DefragmentationStep& step,
                                      std::span<const BufferMove> buffers,
                                      std::span<const ImageMove> images) {
  buffers_.clear();
  images_.clear();
  if (!buffers_.reserve(buffers.size()) || !images_.reserve(images.size())) return false;
  // Covers first: the list of them must not move below the pointers into it.
  for (const BufferMove& move : buffers) {
    if (cover(*move.from_block, step) == kNone || cover(*move.to_block, step) == kNone)
      return false;
  }
  bool addressed = true;
  for (const BufferMove& move : buffers) {
    const copy::BlockBuffer& from = covers_[cover(*move.from_block, step)].buffer;
    const copy::BlockBuffer& to = covers_[cover(*move.to_block, step)].buffer;
    addressed = addressed && from.address != 0 && to.address != 0;
    if (!buffers_.push_back({.source = &from,
                             .destination = &to,
                             .source_offset = move.from_offset,
                             .destination_offset = move.to_offset,
                             .size = move.size,
                             .slot_size = move.slot_size,
                             .source_buffer = move.concurrent ? VK_NULL_HANDLE : move.from,
                             .destination_buffer = move.concurrent ? VK_NULL_HANDLE : move.to}))
      return false;
  }
  for (const ImageMove& move : images) {
    if (!images_.push_back({.source = move.from,
                            .destination = move.to,
                            .shape = copy::shape_of(*move.info),
                            .layout = move.state.layout}))
      return false;
  }
  Recording* recording = idle_recording(engine_->list_bytes(buffers_.span(), way_));
  if (recording == nullptr) return false;
  copy::ListMemory list = recording->memory;
  if (!addressed) list.address = 0;
  const auto figures =
      engine_->record(commands_of(step, usage_of(buffers, images)), buffers_.span(), images_.span(),
                      list, recording->step, way_);
  if (!figures) return false;
  const AllocationRange written{recording->list.allocation, 0, figures->list_bytes};
  if (figures->list_bytes != 0 && !make_visible(core_, {&written, 1}, Visibility::to_device))
    return false;
  recording->value = step.value;
  recording->in_use = true;
  bytes_by_compute_ += figures->shader_bytes;
  return true;
}

/// The number of the block's cover in the list; kNone when it cannot have one.
std::uint32_t EngineRecorder::cover(const Block& block, const DefragmentationStep& step) {
  for (std::uint32_t i = 0; i < covers_.size(); ++i) {
    if (covers_[i].block == &block && covers_[i].family == step.queue_family) return i;
  }
  if (!covers_.reserve(covers_.size() + 1)) return kNone;
  const memory::DeviceMemory& memory = block.memory;
  const auto made = engine_->create_block(
      {.memory = memory.handle(),
       .size = memory.size(),
       .memory_type = memory.memory_type(),
       .device_address =
           core_.device.facts().features.buffer_device_address && !block.arena->traits().optimal},
      {});
  if (!made || !covers_.push_back({&block, step.queue_family, *made})) return kNone;
  return static_cast<std::uint32_t>(covers_.size() - 1);
}

/// One that no GPU works on, with a list of at least so many bytes; null when there is no memory.
EngineRecorder::Recording* EngineRecorder::idle_recording(VkDeviceSize list_bytes) {
  Recording* found = nullptr;
  for (Recording* recording : recordings_.span()) {
    if (recording->in_use) continue;
    found = recording;
    if (recording->memory.size >= list_bytes) break;
  }
  if (found == nullptr) {
    if (!recordings_.reserve(recordings_.size() + 1)) return nullptr;
    found = base::create_object<Recording>(core_.host, core_.host);
    if (found == nullptr || !recordings_.push_back(found)) return nullptr;
  }
  return found->memory.size >= list_bytes || make_list(*found, list_bytes) ? found : nullptr;
}

bool EngineRecorder::make_list(Recording& recording, VkDeviceSize bytes) {
  if (recording.list.buffer != VK_NULL_HANDLE) (void)destroy(core_, recording.list);
  recording.list = {};
  recording.memory = {};
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = (bytes + kListStep - 1) / kListStep * kListStep;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  const bool addressed = engine_->uses_addresses();
  if (addressed) info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  const auto made = create_buffer(
      core_, info, {.intent = MemoryIntent::upload, .mapped = true, .name = "list of moves"});
  if (!made) return false;
  recording.list = *made;
  const auto found = find(core_, made->allocation);
  if (!found || found->memory().mapped() == nullptr) return false;
  recording.memory = {.buffer = made->buffer,
                      .mapped = found->memory().mapped() + found->where.offset,
                      .offset = 0,
                      .size = info.size,
                      .address = addressed ? address_of(made->buffer) : 0};
  return true;
}

VkDeviceAddress EngineRecorder::address_of(VkBuffer buffer) const {
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer;
  return core_.device.fn().vkGetBufferDeviceAddress(core_.device.handle(), &info);
}

void EngineRecorder::complete(std::uint64_t value) {
  for (Recording* recording : recordings_.span())
    recording->in_use = recording->in_use && recording->value > value;
}

void EngineRecorder::forget(const Block& block) {
  for (std::size_t i = covers_.size(); i > 0; --i) {
    if (covers_[i - 1].block != &block) continue;
    engine_->destroy_block(covers_[i - 1].buffer);
    covers_.swap_erase(i - 1);
  }
}

}  // namespace quarry::heap
