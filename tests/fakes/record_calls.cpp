// SPDX-License-Identifier: MIT
// Recording of barriers, buffer copies and timestamps.
#include <algorithm>
#include <string>
#include <vector>

#include "fakes/calls.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

constexpr VkPipelineStageFlags kAnywhere =
    VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
    VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT | VK_PIPELINE_STAGE_HOST_BIT |
    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
constexpr VkPipelineStageFlags kCompute =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
constexpr VkPipelineStageFlags kGraphics = 0x7FFu & ~kAnywhere & ~kCompute;

VkPipelineStageFlags stages_of(VkQueueFlags flags) {
  VkPipelineStageFlags stages = kAnywhere;
  if ((flags & VK_QUEUE_COMPUTE_BIT) != 0) stages |= kCompute;
  if ((flags & VK_QUEUE_GRAPHICS_BIT) != 0)
    stages |= kGraphics | VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  return stages;
}

/// Accesses that one of the stages can make, as far as they concern transfers, shaders and hosts.
bool stages_can(VkPipelineStageFlags stages, VkAccessFlags accesses) {
  constexpr VkPipelineStageFlags kShaders = 0xF8u | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const auto needs = [&](VkAccessFlags which, VkPipelineStageFlags allowed) {
    return (accesses & which) == 0 || (stages & allowed) != 0;
  };
  return needs(VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
               VK_PIPELINE_STAGE_TRANSFER_BIT | kAll) &&
         needs(VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
               kShaders | kAll | VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT) &&
         needs(VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT);
}

/// One barrier's part in a queue family ownership transfer. True if the barrier is a release, whose
/// layout transition happens with the acquire.
bool transfer_ownership(State& state, Resource& resource, std::uint32_t here, std::uint32_t from,
                        std::uint32_t to) {
  if (from == to || from == VK_QUEUE_FAMILY_IGNORED) return false;
  if (here == from) {
    resource.released_to = to;
    return true;
  }
  if (resource.released_to != to) {
    state.violate(Rule::acquire_without_release, "vkCmdPipelineBarrier",
                  "family " + std::to_string(to));
  }
  resource.released_to = VK_QUEUE_FAMILY_IGNORED;
  resource.owner = to;
  return false;
}

bool has_usage(const Resource& image, VkImageLayout layout) {
  if (layout == VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)
    return (image.usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) != 0;
  if (layout == VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL)
    return (image.usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) != 0;
  return true;
}

void run_image_barrier(State& state, const VkImageMemoryBarrier& barrier, std::uint32_t family) {
  constexpr const char* kName = "vkCmdPipelineBarrier";
  Resource* image = state.find_image(id_of(barrier.image));
  state.use_resource(image, kName);
  if (image == nullptr) return;
  const bool released = transfer_ownership(state, *image, family, barrier.srcQueueFamilyIndex,
                                           barrier.dstQueueFamilyIndex);
  const VkImageSubresourceRange& range = barrier.subresourceRange;
  const std::uint32_t mips =
      std::min(range.levelCount, image->image_info.mipLevels - range.baseMipLevel);
  const std::uint32_t layers =
      std::min(range.layerCount, image->image_info.arrayLayers - range.baseArrayLayer);
  for (std::uint32_t mip = 0; mip < mips; ++mip) {
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      VkImageLayout& layout = image->layout(range.baseMipLevel + mip, range.baseArrayLayer + layer);
      if (barrier.oldLayout != VK_IMAGE_LAYOUT_UNDEFINED && barrier.oldLayout != layout) {
        state.violate(Rule::barrier_old_layout, kName,
                      std::to_string(barrier.oldLayout) + " for " + std::to_string(layout));
      }
      if (!released) layout = barrier.newLayout;
    }
  }
}

void check_image_barrier(Call& call, const VkImageMemoryBarrier& barrier) {
  call.check_type(barrier.sType, VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  const Resource* image = call.image(barrier.image);
  if (image == nullptr) return;
  if (barrier.newLayout == VK_IMAGE_LAYOUT_UNDEFINED ||
      barrier.newLayout == VK_IMAGE_LAYOUT_PREINITIALIZED) {
    call.violate(Rule::barrier_new_layout, std::to_string(barrier.newLayout));
  }
  if (!has_usage(*image, barrier.oldLayout) || !has_usage(*image, barrier.newLayout))
    call.violate(Rule::barrier_layout_usage, "usage " + std::to_string(image->usage));
}

void check_stages(Call& call, const CommandBuffer& commands, VkPipelineStageFlags stages) {
  if (stages == 0 || (stages & ~stages_of(commands.queue_flags())) != 0) {
    call.violate(Rule::barrier_stages, "stages " + std::to_string(stages) + " on family " +
                                           std::to_string(commands.family));
  }
}

/// The part of the memory that a region touches.
struct Touched {
  std::uint64_t memory;
  VkDeviceSize begin;
  VkDeviceSize end;
};

Touched touched(const Resource& buffer, VkDeviceSize offset, VkDeviceSize size) {
  const BindPoint& point = buffer.parts[0];
  return {point.memory, point.offset + offset, point.offset + offset + size};
}

/// False if nothing can be copied.
bool check_region(Call& call, const Resource& source, const Resource& destination,
                  const VkBufferCopy& region) {
  const std::string text = std::to_string(region.srcOffset) + " to " +
                           std::to_string(region.dstOffset) + ", " + std::to_string(region.size) +
                           " bytes";
  if (region.size == 0) {
    call.violate(Rule::transfer_size_zero, text);
    return false;
  }
  const auto within = [&](VkDeviceSize offset, VkDeviceSize size) {
    return offset <= size && region.size <= size - offset;
  };
  if (within(region.srcOffset, source.size) && within(region.dstOffset, destination.size))
    return true;
  call.violate(Rule::transfer_region, text);
  return false;
}

void check_overlap(Call& call, std::vector<Touched> sources, std::vector<Touched> destinations) {
  const auto before = [](const Touched& a, const Touched& b) {
    return a.memory != b.memory ? a.memory < b.memory : a.begin < b.begin;
  };
  std::ranges::sort(sources, before);
  std::ranges::sort(destinations, before);
  auto source = sources.begin();
  for (const Touched& destination : destinations) {
    while (source != sources.end() &&
           (source->memory < destination.memory ||
            (source->memory == destination.memory && source->end <= destination.begin))) {
      ++source;
    }
    if (source != sources.end() && source->memory == destination.memory &&
        source->begin < destination.end) {
      call.violate(Rule::transfer_overlap, "at " + std::to_string(destination.begin));
      return;
    }
  }
}

void run_copy(State& state, std::uint64_t from, std::uint64_t to,
              const std::vector<VkBufferCopy>& regions, std::uint32_t family) {
  Resource* source = state.find_buffer(from);
  Resource* destination = state.find_buffer(to);
  state.use_resource(source, "vkCmdCopyBuffer");
  state.use_resource(destination, "vkCmdCopyBuffer");
  if (source == nullptr || destination == nullptr) return;
  state.check_owner(*source, family, "vkCmdCopyBuffer");
  MemoryObject* read = state.find_memory(source->parts[0].memory);
  MemoryObject* written = state.find_memory(destination->parts[0].memory);
  if (read == nullptr || written == nullptr) return;
  for (const VkBufferCopy& region : regions) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(region.size));
    read->backing.device_read(source->parts[0].offset + region.srcOffset, bytes);
    written->backing.device_write(destination->parts[0].offset + region.dstOffset, bytes);
  }
}

bool query_in_range(Call& call, VkQueryPool pool, std::uint64_t first, std::uint64_t count) {
  const auto it = call->query_pools.find(id_of(pool));
  if (it != call->query_pools.end() && first + count <= it->second.size()) return true;
  call.violate(Rule::query_range, std::to_string(first) + ", " + std::to_string(count));
  return false;
}

}  // namespace

void cmd_pipeline_barrier(VkCommandBuffer commands, VkPipelineStageFlags source,
                          VkPipelineStageFlags destination, VkDependencyFlags,
                          std::uint32_t memory_count, const VkMemoryBarrier* memory,
                          std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers,
                          std::uint32_t image_count, const VkImageMemoryBarrier* images) {
  Call call(state_of(commands), Function::cmd_pipeline_barrier);
  CommandBuffer* recording = call.recording(commands);
  if (recording == nullptr) return;
  check_stages(call, *recording, source);
  check_stages(call, *recording, destination);
  const auto check_access = [&](VkAccessFlags from, VkAccessFlags to) {
    if (!stages_can(source, from) || !stages_can(destination, to))
      call.violate(Rule::barrier_access, std::to_string(from) + " to " + std::to_string(to));
  };
  for (std::uint32_t i = 0; i < memory_count; ++i) {
    call.check_type(memory[i].sType, VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    check_access(memory[i].srcAccessMask, memory[i].dstAccessMask);
  }
  const std::uint32_t family = recording->family;
  for (std::uint32_t i = 0; i < buffer_count; ++i) {
    call.check_type(buffers[i].sType, VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER);
    check_access(buffers[i].srcAccessMask, buffers[i].dstAccessMask);
    if (call.buffer(buffers[i].buffer) == nullptr) continue;
    recording->uses.insert(id_of(buffers[i].buffer));
    recording->commands.emplace_back([barrier = buffers[i], family](State& state) {
      Resource* buffer = state.find_buffer(id_of(barrier.buffer));
      state.use_resource(buffer, "vkCmdPipelineBarrier");
      if (buffer != nullptr)
        transfer_ownership(state, *buffer, family, barrier.srcQueueFamilyIndex,
                           barrier.dstQueueFamilyIndex);
    });
  }
  for (std::uint32_t i = 0; i < image_count; ++i) {
    check_image_barrier(call, images[i]);
    check_access(images[i].srcAccessMask, images[i].dstAccessMask);
    recording->uses.insert(id_of(images[i].image));
    recording->commands.emplace_back(
        [barrier = images[i], family](State& state) { run_image_barrier(state, barrier, family); });
  }
}

void cmd_copy_buffer(VkCommandBuffer commands, VkBuffer source, VkBuffer destination,
                     std::uint32_t count, const VkBufferCopy* regions) {
  Call call(state_of(commands), Function::cmd_copy_buffer);
  CommandBuffer* recording = call.recording(commands);
  const Resource* from = call.buffer(source);
  const Resource* to = call.buffer(destination);
  if (recording == nullptr || from == nullptr || to == nullptr) return;
  if ((from->usage & VK_BUFFER_USAGE_TRANSFER_SRC_BIT) == 0 ||
      (to->usage & VK_BUFFER_USAGE_TRANSFER_DST_BIT) == 0) {
    call.violate(Rule::transfer_usage,
                 std::to_string(from->usage) + ", " + std::to_string(to->usage));
  }
  std::vector<VkBufferCopy> kept;
  std::vector<Touched> sources;
  std::vector<Touched> destinations;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!check_region(call, *from, *to, regions[i])) continue;
    kept.push_back(regions[i]);
    sources.push_back(touched(*from, regions[i].srcOffset, regions[i].size));
    destinations.push_back(touched(*to, regions[i].dstOffset, regions[i].size));
  }
  check_overlap(call, std::move(sources), std::move(destinations));
  recording->uses.insert({id_of(source), id_of(destination)});
  recording->commands.emplace_back([from_id = id_of(source), to_id = id_of(destination),
                                    copied = std::move(kept),
                                    family = recording->family](State& state) {
    run_copy(state, from_id, to_id, copied, family);
  });
}

void cmd_reset_query_pool(VkCommandBuffer commands, VkQueryPool pool, std::uint32_t first,
                          std::uint32_t count) {
  Call call(state_of(commands), Function::cmd_reset_query_pool);
  CommandBuffer* recording = call.recording(commands);
  if (recording == nullptr || !query_in_range(call, pool, first, count)) return;
  recording->commands.emplace_back([id = id_of(pool), first, count](State& state) {
    std::vector<std::uint64_t>& values = state.query_pools[id];
    std::fill_n(values.begin() + first, count, ~std::uint64_t{0});
  });
}

void cmd_write_timestamp(VkCommandBuffer commands, VkPipelineStageFlagBits, VkQueryPool pool,
                         std::uint32_t query) {
  Call call(state_of(commands), Function::cmd_write_timestamp);
  CommandBuffer* recording = call.recording(commands);
  if (recording == nullptr || !query_in_range(call, pool, query, 1)) return;
  recording->commands.emplace_back([id = id_of(pool), query](State& state) {
    state.query_pools[id].at(query) = state.timestamp += 1000;
  });
}

}  // namespace quarry::fakes::calls
