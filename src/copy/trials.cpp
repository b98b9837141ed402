// SPDX-License-Identifier: MIT
#include "copy/trials.hpp"

#include <algorithm>
#include <span>

#include "device/error.hpp"

namespace quarry::copy {

namespace {

constexpr VkDeviceSize kSmallMove = VkDeviceSize{16} << 10;
constexpr VkDeviceSize kListAlignment = 256;

BufferMove large_move(const TrialSubject& subject) {
  const VkDeviceSize size = std::min(subject.source.size, subject.destination.size);
  return {.source = &subject.source,
          .destination = &subject.destination,
          .size = size,
          .slot_size = size};
}

/// The list's memory from `offset` on.
ListMemory part_of(const ListMemory& list, VkDeviceSize offset) {
  ListMemory part = list;
  part.mapped += static_cast<std::size_t>(offset);
  part.offset += offset;
  part.size -= offset;
  if (part.address != 0) part.address += offset;
  return part;
}

}  // namespace

Trials::~Trials() {
  if (queries_ == VK_NULL_HANDLE) return;
  device_.fn().vkDestroyQueryPool(device_.handle(), queries_, device_.callbacks());
  engine_.close_step(small_);
  engine_.close_step(large_);
}

Status Trials::open() {
  const VulkanFunctions& fn = device_.fn();
  if (fn.vkCreateQueryPool == nullptr || fn.vkDestroyQueryPool == nullptr ||
      fn.vkCmdResetQueryPool == nullptr || fn.vkCmdWriteTimestamp == nullptr ||
      fn.vkGetQueryPoolResults == nullptr) {
    return device::refuse(Reason::function_missing);
  }
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * kKinds;
  const VkResult result =
      fn.vkCreateQueryPool(device_.handle(), &info, device_.callbacks(), &queries_);
  if (result != VK_SUCCESS) return device::driver_failed(result);
  return {};
}

bool Trials::make_small_moves(const TrialSubject& subject) {
  const VkDeviceSize size = std::min(subject.source.size, subject.destination.size);
  const VkDeviceSize count = size / kSmallMove;
  // A prime step visits every slot.
  constexpr VkDeviceSize kStride = 2'654'435'761u;
  moves_.clear();
  for (VkDeviceSize i = 0; i < count; ++i) {
    if (!moves_.push_back({.source = &subject.source,
                           .destination = &subject.destination,
                           .source_offset = i * kStride % count * kSmallMove,
                           .destination_offset = i * kSmallMove,
                           .size = kSmallMove,
                           .slot_size = kSmallMove})) {
      return false;
    }
  }
  return true;
}

VkDeviceSize Trials::list_bytes(const TrialSubject& subject) {
  if (!make_small_moves(subject)) return 0;
  const BufferMove large = large_move(subject);
  return engine_.list_bytes(moves_.span()) + engine_.list_bytes(std::span(&large, 1)) +
         2 * kListAlignment;
}

template <class Record>
Status Trials::time(VkCommandBuffer commands, Kind kind, VkDeviceSize bytes, Record record) {
  const auto index = static_cast<std::uint32_t>(kind);
  constexpr VkPipelineStageFlagBits kStage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
  device_.fn().vkCmdWriteTimestamp(commands, kStage, queries_, 2 * index);
  if (Result<Figures> recorded = record(); !recorded) return Unexpected(recorded.error());
  device_.fn().vkCmdWriteTimestamp(commands, kStage, queries_, 2 * index + 1);
  bytes_[index] = bytes;
  return {};
}

Status Trials::record(const Commands& commands, const TrialSubject& subject) {
  if (subject.timestamp_bits == 0) return device::refuse(Reason::unsupported);
  if (!commands.one_family() || subject.list.size < list_bytes(subject))
    return device::refuse(Reason::bad_argument);
  if (!make_small_moves(subject)) return device::refuse(Reason::out_of_host_memory);
  const BufferMove large = large_move(subject);
  const VkDeviceSize small_bytes = VkDeviceSize{moves_.size()} * kSmallMove;
  const VkDeviceSize second =
      (engine_.list_bytes(moves_.span()) + kListAlignment - 1) / kListAlignment * kListAlignment;
  bytes_ = {};
  family_ = commands.copy_family;
  timestamp_bits_ = subject.timestamp_bits;
  device_.fn().vkCmdResetQueryPool(commands.copy, queries_, 0, 2 * kKinds);

  const auto buffers = [&](Kind kind, std::span<const BufferMove> moves, VkDeviceSize bytes,
                           Way way, VkDeviceSize offset, Step& step) {
    return time(commands.copy, kind, bytes, [&] {
      return engine_.record(commands, moves, {}, part_of(subject.list, offset), step, way);
    });
  };
  const auto image = [&](Kind kind, const ImageMove& move, VkDeviceSize bytes) -> Status {
    if (move.source == VK_NULL_HANDLE) return {};
    return time(commands.copy, kind, bytes, [&] {
      return engine_.record(commands, {}, std::span(&move, 1), subject.list, small_);
    });
  };
  const std::span<const BufferMove> one(&large, 1);
  if ((commands.copy_queue & VK_QUEUE_COMPUTE_BIT) != 0) {
    Status done =
        buffers(Kind::shader_small, moves_.span(), small_bytes, Way::addresses, 0, small_);
    if (!done) return done;
    done = buffers(Kind::shader_large, one, large.size, Way::addresses, second, large_);
    if (!done) return done;
  }
  Status done = buffers(Kind::command_small, moves_.span(), small_bytes, Way::commands, 0, small_);
  if (!done) return done;
  done = buffers(Kind::command_large, one, large.size, Way::commands, 0, small_);
  if (!done) return done;
  done = image(Kind::image_texels, subject.texels, subject.texel_bytes);
  if (!done) return done;
  return image(Kind::image_blocks, subject.blocks, subject.block_bytes);
}

Status Trials::evaluate(CopyCalibration& calibration) {
  const VkPhysicalDeviceProperties& properties = device_.facts().properties;
  if (family_ >= kMostFamilies) return device::refuse(Reason::unsupported);
  if (!calibration.belongs_to(properties)) {
    calibration = {.vendor_id = properties.vendorID,
                   .device_id = properties.deviceID,
                   .driver_version = properties.driverVersion};
  }
  FamilySpeed& speed = calibration.families[family_];
  double* figures[kKinds] = {&speed.shader_small,  &speed.command_small, &speed.shader_large,
                             &speed.command_large, &speed.image_texels,  &speed.image_blocks};
  const std::uint64_t mask =
      timestamp_bits_ >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << timestamp_bits_) - 1;
  for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
    if (bytes_[kind] == 0) continue;
    std::array<std::uint64_t, 2> ticks{};
    const VkResult result = device_.fn().vkGetQueryPoolResults(
        device_.handle(), queries_, 2 * kind, 2, sizeof ticks, ticks.data(), sizeof(std::uint64_t),
        VK_QUERY_RESULT_64_BIT);
    if (result < 0) return device::driver_failed(result);
    if (result != VK_SUCCESS) return device::refuse(Reason::still_in_use);
    const double seconds = static_cast<double>((ticks[1] - ticks[0]) & mask) *
                           static_cast<double>(properties.limits.timestampPeriod) * 1e-9;
    if (seconds > 0)
      *figures[kind] = std::max(*figures[kind], static_cast<double>(bytes_[kind]) / seconds);
  }
  return {};
}

}  // namespace quarry::copy
