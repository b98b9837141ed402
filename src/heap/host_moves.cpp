// SPDX-License-Identifier: MIT
#include "heap/host_moves.hpp"

#include "device/error.hpp"
#include "memory/mapped_range.hpp"

namespace quarry::heap {

namespace {

/// One driver call about a range of non-coherent memory. A mapping of its own keeps the memory
/// mapped for the length of it.
template <class Call>
Status tell(Core& core, Block& block, VkDeviceSize offset, VkDeviceSize size, Call call) {
  memory::DeviceMemory& memory = block.memory;
  const auto range = memory::atom_range(
      core.device.facts().properties.limits.nonCoherentAtomSize,
      {.memory_size = memory.size(), .offset = offset, .size = size}, 0, VK_WHOLE_SIZE);
  if (!range) return device::refuse(range.error());
  if (const auto mapped = memory.map(); !mapped) return Unexpected(mapped.error());
  const VkMappedMemoryRange whole{.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                                  .pNext = nullptr,
                                  .memory = memory.handle(),
                                  .offset = range->offset,
                                  .size = range->size};
  const VkResult result = call(core.device.handle(), 1, &whole);
  (void)memory.unmap();
  if (result != VK_SUCCESS) return device::driver_failed(result);
  return {};
}

void barrier(const device::Device& device, VkCommandBuffer commands, VkPipelineStageFlags before,
             VkPipelineStageFlags after, VkAccessFlags written, VkAccessFlags used) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = written;
  memory.dstAccessMask = used;
  device.fn().vkCmdPipelineBarrier(commands, before, after, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace

Status flush_before_move(Core& core, Block& block, VkDeviceSize offset, VkDeviceSize size) {
  if (!block.memory.needs_flush() || !block.memory.is_mapped()) return {};
  return tell(core, block, offset, size, core.device.fn().vkFlushMappedMemoryRanges);
}

Status invalidate_after_move(Core& core, Block& block, VkDeviceSize offset, VkDeviceSize size) {
  if (!block.memory.needs_flush()) return {};
  return tell(core, block, offset, size, core.device.fn().vkInvalidateMappedMemoryRanges);
}

void barrier_from_host(const device::Device& device, VkCommandBuffer commands) {
  barrier(device, commands, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_ACCESS_HOST_WRITE_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

void barrier_to_host(const device::Device& device, VkCommandBuffer commands) {
  barrier(device, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
}

}  // namespace quarry::heap
