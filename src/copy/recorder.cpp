// SPDX-License-Identifier: MIT
#include "copy/recorder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "copy/barriers.hpp"
#include "copy/image_regions.hpp"
#include "copy/share.hpp"

namespace quarry::copy {

namespace {

VkDeviceSize bytes_of(const WindowEntry& entry) {
  const VkDeviceSize unit = (entry.units & kWordUnits) != 0 ? kWordBytes : kQuadBytes;
  return VkDeviceSize{entry.units & ~kWordUnits} * unit;
}

/// How many neighbours from `begin` on go to the same place.
std::size_t run_length(std::span<const CommandRegion> regions, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < regions.size() && regions[end].source == regions[begin].source &&
         regions[end].destination == regions[begin].destination)
    ++end;
  return end - begin;
}
std::size_t run_length(std::span<const WindowChunk> chunks, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < chunks.size() && chunks[end].pair == chunks[begin].pair)
    ++end;
  return end - begin;
}

struct Runs {
  std::size_t count = 0;
  std::size_t longest = 0;
};

template <class Items>
Runs runs_of(Items items) {
  Runs runs;
  for (std::size_t i = 0; i < items.size(); ++runs.count) {
    const std::size_t length = run_length(items, i);
    runs.longest = std::max(runs.longest, length);
    i += length;
  }
  return runs;
}

}  // namespace

VkResult Recorder::prepare(const Pipelines& pipelines, std::span<const ImageMove> images) {
  const Runs regions = runs_of(std::as_const(step_.regions).span());
  const Runs windows = runs_of(std::as_const(step_.windows).span());
  const bool some_by_command = windows.count > kMostWindowSets;
  std::size_t largest_image = 0;
  for (const ImageMove& move : images)
    largest_image = std::max(largest_image, region_count(move.shape));
  if (!step_.touched.reserve(regions.count + windows.count) ||
      !step_.copies.reserve(
          std::max(regions.longest, some_by_command ? windows.longest : std::size_t{0})) ||
      !step_.image_copies.reserve(largest_image)) {
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
  return make_sets(
      pipelines, static_cast<std::uint32_t>(std::min<std::size_t>(windows.count, kMostWindowSets)));
}

void Recorder::separate(const Touched& touched) {
  const bool meets =
      std::any_of(step_.touched.begin(), step_.touched.end(), [&](const Touched& earlier) {
        return earlier.destination == touched.source ||
               earlier.destination == touched.destination || earlier.source == touched.destination;
      });
  if (meets) {
    barrier_between(device_, commands_);
    step_.touched.clear();
  }
  (void)step_.touched.push_back(touched);
}

VkResult Recorder::make_pool(std::uint32_t sets) {
  const VulkanFunctions& fn = device_.fn();
  if (sets <= step_.pool_sets) return fn.vkResetDescriptorPool(device_.handle(), step_.pool, 0);
  fn.vkDestroyDescriptorPool(device_.handle(), step_.pool, device_.callbacks());
  step_.pool = VK_NULL_HANDLE;
  step_.pool_sets = 0;
  const std::uint32_t rounded = std::bit_ceil(sets);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, rounded * kWindowBindings};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = rounded;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  const VkResult result =
      fn.vkCreateDescriptorPool(device_.handle(), &info, device_.callbacks(), &step_.pool);
  if (result == VK_SUCCESS) step_.pool_sets = rounded;
  return result;
}

VkResult Recorder::make_sets(const Pipelines& pipelines, std::uint32_t count) {
  step_.sets.clear();
  if (count == 0) return VK_SUCCESS;
  if (!step_.sets.reserve(count)) return VK_ERROR_OUT_OF_HOST_MEMORY;
  VkResult result = make_pool(count);
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = step_.pool;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &pipelines.window_set;
  while (result == VK_SUCCESS && step_.sets.size() < count) {
    VkDescriptorSet set = VK_NULL_HANDLE;
    result = device_.fn().vkAllocateDescriptorSets(device_.handle(), &info, &set);
    (void)step_.sets.push_back(set);
  }
  return result;
}

void Recorder::copy_regions() {
  const std::span<const CommandRegion> regions = step_.regions.span();
  for (std::size_t i = 0; i < regions.size();) {
    const CommandRegion& first = regions[i];
    const std::size_t end = i + run_length(regions, i);
    step_.copies.clear();
    for (; i < end; ++i)
      (void)step_.copies.push_back(regions[i].region);
    separate({first.source, first.destination});
    device_.fn().vkCmdCopyBuffer(commands_.copy, first.source, first.destination,
                                 static_cast<std::uint32_t>(step_.copies.size()),
                                 step_.copies.data());
    ++figures_.copy_commands;
  }
}

template <class Push>
void Recorder::dispatch(VkPipelineLayout layout, Push push, std::uint32_t first,
                        std::uint32_t count) {
  const std::uint32_t most = most_groups_ > ~0u / rows_ ? ~0u : most_groups_ * rows_;
  while (count != 0) {
    push.first = first;
    push.count = std::min(count, most);
    device_.fn().vkCmdPushConstants(commands_.copy, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                    sizeof push, &push);
    const std::uint32_t groups = push.count / rows_ + (push.count % rows_ != 0 ? 1 : 0);
    device_.fn().vkCmdDispatch(commands_.copy, groups, 1, 1);
    ++figures_.dispatches;
    first += push.count;
    count -= push.count;
  }
}

void Recorder::dispatch_addresses(const Pipelines& pipelines, const ListMemory& list,
                                  const WrittenList& written) {
  if (written.address_entries == 0) return;
  device_.fn().vkCmdBindPipeline(commands_.copy, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines.address);
  dispatch(pipelines.address_layout, AddressPush{.list = list.address}, 0, written.address_entries);
}

void Recorder::bind_windows(VkDescriptorSet set, const Pipelines& pipelines, const ListMemory& list,
                            const WrittenList& written, VkDeviceSize window,
                            const WindowPair& pair) {
  const auto range_of = [&](const BlockBuffer& block, std::uint32_t index) {
    const VkDeviceSize begin = index * window;
    return VkDescriptorBufferInfo{block.buffer, begin, std::min(window, block.size - begin)};
  };
  const std::array<VkDescriptorBufferInfo, kWindowBindings> ranges{
      range_of(*pair.source, pair.source_window),
      range_of(*pair.destination, pair.destination_window),
      VkDescriptorBufferInfo{list.buffer, list.offset + written.window_offset,
                             VkDeviceSize{written.window_entries} * sizeof(WindowEntry)}};
  std::array<VkWriteDescriptorSet, kWindowBindings> writes{};
  for (std::uint32_t i = 0; i < kWindowBindings; ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &ranges[i];
  }
  device_.fn().vkUpdateDescriptorSets(device_.handle(), kWindowBindings, writes.data(), 0, nullptr);
  device_.fn().vkCmdBindDescriptorSets(commands_.copy, VK_PIPELINE_BIND_POINT_COMPUTE,
                                       pipelines.window_layout, 0, 1, &set, 0, nullptr);
}

void Recorder::copy_chunks(std::span<const WindowChunk> chunks, VkDeviceSize window) {
  step_.copies.clear();
  for (const WindowChunk& chunk : chunks) {
    const VkDeviceSize size = bytes_of(chunk.entry);
    const VkBufferCopy region{
        chunk.pair.source_window * window + VkDeviceSize{chunk.entry.source} * kWordBytes,
        chunk.pair.destination_window * window + VkDeviceSize{chunk.entry.destination} * kWordBytes,
        size};
    (void)step_.copies.push_back(region);
    bytes_by_command_instead_ += size;
  }
  device_.fn().vkCmdCopyBuffer(
      commands_.copy, chunks.front().pair.source->buffer, chunks.front().pair.destination->buffer,
      static_cast<std::uint32_t>(step_.copies.size()), step_.copies.data());
  ++figures_.copy_commands;
}

void Recorder::dispatch_windows(const Pipelines& pipelines, const ListMemory& list,
                                const WrittenList& written, VkDeviceSize window) {
  const std::span<const WindowChunk> chunks = step_.windows.span();
  if (chunks.empty()) return;
  device_.fn().vkCmdBindPipeline(commands_.copy, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines.window);
  std::size_t sets = 0;
  for (std::size_t begin = 0; begin < chunks.size();) {
    const WindowPair& pair = chunks[begin].pair;
    const std::size_t length = run_length(chunks, begin);
    separate({pair.source->buffer, pair.destination->buffer});
    if (sets == step_.sets.size()) {
      copy_chunks(chunks.subspan(begin, length), window);
    } else {
      bind_windows(step_.sets[sets++], pipelines, list, written, window, pair);
      dispatch(pipelines.window_layout, WindowPush{}, static_cast<std::uint32_t>(begin),
               static_cast<std::uint32_t>(length));
    }
    begin += length;
  }
}

void Recorder::copy_image(const ImageMove& move) {
  if (move.layout == VK_IMAGE_LAYOUT_UNDEFINED) return;
  (void)whole_image_regions(move.shape, step_.image_copies);
  device_.fn().vkCmdCopyImage(commands_.copy, move.source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                              move.destination, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                              static_cast<std::uint32_t>(step_.image_copies.size()),
                              step_.image_copies.data());
  ++figures_.copy_commands;
}

}  // namespace quarry::copy
