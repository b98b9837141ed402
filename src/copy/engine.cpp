// SPDX-License-Identifier: MIT
#include "copy/engine.hpp"

#include <algorithm>
#include <bit>

#include "copy/barriers.hpp"
#include "copy/image_regions.hpp"
#include "copy/recorder.hpp"
#include "copy/share.hpp"
#include "device/error.hpp"

namespace quarry::copy {

namespace {

/// Name of the first function that is needed and null, or null.
const char* find_missing(const VulkanFunctions& fn) {
  struct Needed {
    const char* name;
    bool there;
  };
#define QUARRY_NEEDED(name)   \
  Needed {                    \
#name, fn.name != nullptr \
  }
  const Needed needed[] = {QUARRY_NEEDED(vkCmdPipelineBarrier),
                           QUARRY_NEEDED(vkCmdCopyBuffer),
                           QUARRY_NEEDED(vkCmdCopyImage),
                           QUARRY_NEEDED(vkCmdBindPipeline),
                           QUARRY_NEEDED(vkCmdBindDescriptorSets),
                           QUARRY_NEEDED(vkCmdPushConstants),
                           QUARRY_NEEDED(vkCmdDispatch),
                           QUARRY_NEEDED(vkCreateShaderModule),
                           QUARRY_NEEDED(vkDestroyShaderModule),
                           QUARRY_NEEDED(vkCreateDescriptorSetLayout),
                           QUARRY_NEEDED(vkDestroyDescriptorSetLayout),
                           QUARRY_NEEDED(vkCreatePipelineLayout),
                           QUARRY_NEEDED(vkDestroyPipelineLayout),
                           QUARRY_NEEDED(vkCreateComputePipelines),
                           QUARRY_NEEDED(vkDestroyPipeline),
                           QUARRY_NEEDED(vkCreateDescriptorPool),
                           QUARRY_NEEDED(vkDestroyDescriptorPool),
                           QUARRY_NEEDED(vkResetDescriptorPool),
                           QUARRY_NEEDED(vkAllocateDescriptorSets),
                           QUARRY_NEEDED(vkUpdateDescriptorSets)};
#undef QUARRY_NEEDED
  const auto* missing =
      std::find_if(std::begin(needed), std::end(needed), [](const Needed& n) { return !n.there; });
  return missing == std::end(needed) ? nullptr : missing->name;
}

VkDeviceSize maximum_buffer_size(const device::Device& device) {
  if (!device.facts().uses_maintenance4 || device.fn().vkGetPhysicalDeviceProperties2 == nullptr)
    return VK_WHOLE_SIZE;
  VkPhysicalDeviceMaintenance4Properties maintenance4{};
  maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &maintenance4;
  device.fn().vkGetPhysicalDeviceProperties2(device.physical_device(), &properties);
  return maintenance4.maxBufferSize != 0 ? maintenance4.maxBufferSize : VK_WHOLE_SIZE;
}

bool makes_sense(const Tuning& tuning) {
  return std::has_single_bit(tuning.lanes) && std::has_single_bit(tuning.rows) &&
         tuning.chunk != 0 && tuning.chunk % kQuadBytes == 0 &&
         tuning.chunk <= VkDeviceSize{1} << 30;
}

/// Within what the device's work groups may be.
void fit(Tuning& tuning, const VkPhysicalDeviceLimits& limits) {
  constexpr std::uint32_t kLeast = 128;  // specification, "Required Limits"
  const std::uint32_t most = std::max(limits.maxComputeWorkGroupInvocations, kLeast);
  while (tuning.lanes > most)
    tuning.lanes /= 2;
  while (tuning.lanes * tuning.rows > most)
    tuning.rows /= 2;
}

Reason reason_of(ListError error) {
  return error == ListError::no_host_memory ? Reason::out_of_host_memory : Reason::out_of_range;
}

}  // namespace

Engine::~Engine() {
  if (missing_function_ == nullptr && window_ != 0) destroy_pipelines(device_, pipelines_);
}

Status Engine::open(const EngineDesc& desc) {
  if (!makes_sense(desc.tuning)) return device::refuse(Reason::bad_argument);
  missing_function_ = find_missing(device_.fn());
  if (missing_function_ != nullptr) return device::refuse(Reason::function_missing);
  desc_ = desc;
  const VkPhysicalDeviceLimits& limits = device_.facts().properties.limits;
  fit(desc_.tuning, limits);
  largest_buffer_ = maximum_buffer_size(device_);
  storage_alignment_ = std::max(VkDeviceSize{1}, limits.minStorageBufferOffsetAlignment);
  constexpr VkDeviceSize kLeastRange = VkDeviceSize{1} << 27;  // "Required Limits"
  const VkDeviceSize range = std::max(VkDeviceSize{limits.maxStorageBufferRange}, kLeastRange);
  const VkDeviceSize unit = std::max(storage_alignment_, kQuadBytes);
  window_ = range / unit * unit;
  const bool addresses =
      desc_.way != Way::windows && device_.fn().vkGetBufferDeviceAddress != nullptr;
  return create_pipelines(device_, desc_.tuning, addresses, pipelines_);
}

Result<BlockBuffer> Engine::create_block(const BlockMemory& block,
                                         std::span<const std::uint32_t> queue_families) const {
  BlockMemory used = block;
  used.device_address = used.device_address && uses_addresses();
  return create_block_buffer(device_, used, queue_families, largest_buffer_);
}

void Engine::close_step(Step& step) const {
  device_.fn().vkDestroyDescriptorPool(device_.handle(), step.pool, device_.callbacks());
  step.pool = VK_NULL_HANDLE;
  step.pool_sets = 0;
}

ListRules Engine::rules(Way way, VkQueueFlags queue, std::uint32_t family, bool addressed) const {
  if (way == Way::automatic) way = desc_.way;
  const VkPhysicalDeviceProperties& properties = device_.facts().properties;
  ListRules rules{.chunk = desc_.tuning.chunk,
                  .window = window_,
                  .shaders = (queue & VK_QUEUE_COMPUTE_BIT) != 0 && way != Way::commands,
                  .addresses = addressed && uses_addresses() && way != Way::windows};
  if (way != Way::automatic) return rules;
  if (desc_.calibration.belongs_to(properties)) {
    rules.largest_shader_move = largest_shader_move(desc_.calibration, family);
  } else if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
    rules.shaders = false;
  }
  return rules;
}

VkDeviceSize Engine::list_bytes(std::span<const BufferMove> moves, Way way) const {
  return copy::list_bytes(rules(way, VK_QUEUE_COMPUTE_BIT, kMostFamilies, true), moves);
}

Result<Figures> Engine::record(const Commands& commands, std::span<const BufferMove> buffers,
                               std::span<const ImageMove> images, const ListMemory& list,
                               Step& step, Way way) const {
  for (const ImageMove& move : images) {
    if (move.layout == VK_IMAGE_LAYOUT_PREINITIALIZED) return device::refuse(Reason::bad_argument);
    if (needs_graphics(move.shape) && (commands.copy_queue & VK_QUEUE_GRAPHICS_BIT) == 0)
      return device::refuse(Reason::unsupported);
  }
  WrittenList written;
  const ListError error =
      write_list(rules(way, commands.copy_queue, commands.copy_family, list.address != 0), buffers,
                 list, storage_alignment_, step, written);
  if (error != ListError::none) return device::refuse(reason_of(error));

  step.touched.clear();
  Recorder recorder(device_, commands, step);
  const std::uint32_t groups =
      std::max(65'535u, device_.facts().properties.limits.maxComputeWorkGroupCount[0]);
  recorder.set_dispatch_limits(desc_.tuning.rows, groups);
  if (!barriers_before(device_, commands, buffers, images, step)) {
    return device::refuse(Reason::out_of_host_memory);
  }
  if (!recorder.copy_regions()) return device::refuse(Reason::out_of_host_memory);
  recorder.dispatch_addresses(pipelines_, list, written);
  if (const VkResult result = recorder.dispatch_windows(pipelines_, list, written, window_);
      result != VK_SUCCESS) {
    return device::driver_failed(result);
  }
  for (const ImageMove& move : images) {
    if (!recorder.copy_image(move)) return device::refuse(Reason::out_of_host_memory);
  }
  if (!barriers_after(device_, commands, buffers, images, step))
    return device::refuse(Reason::out_of_host_memory);
  Figures figures = recorder.figures();
  figures.list_bytes = written.bytes;
  figures.shader_bytes = written.shader_bytes - recorder.bytes_by_command_instead();
  figures.command_bytes = written.command_bytes + recorder.bytes_by_command_instead();
  return figures;
}

}  // namespace quarry::copy
