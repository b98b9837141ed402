// SPDX-License-Identifier: MIT
// Recording of image copies. Whole subresources move, aspect by aspect, mip by mip, layer by layer.
#include <algorithm>
#include <string>
#include <vector>

#include "fakes/calls.hpp"
#include "fakes/state.hpp"

namespace quarry::fakes::calls {

namespace {

bool equal(const VkExtent3D& a, const VkExtent3D& b) {
  return a.width == b.width && a.height == b.height && a.depth == b.depth;
}

/// Calls visit for each aspect bit and layer.
template <class Visit>
void each_part(const VkImageSubresourceLayers& layers, Visit visit) {
  for (VkImageAspectFlags rest = layers.aspectMask; rest != 0; rest &= rest - 1) {
    const auto aspect = static_cast<VkImageAspectFlagBits>(rest & ~(rest - 1));
    for (std::uint32_t layer = 0; layer < layers.layerCount; ++layer)
      visit(aspect, layers.baseArrayLayer + layer);
  }
}

/// False if the subresources are not the image's.
bool check_subresource(Call& call, const Resource& image, const VkImageSubresourceLayers& layers) {
  const VkImageCreateInfo& info = image.image_info;
  if (layers.mipLevel < info.mipLevels && layers.layerCount != 0 &&
      layers.baseArrayLayer + layers.layerCount <= info.arrayLayers && layers.aspectMask != 0 &&
      (layers.aspectMask & ~aspects_of(info.format)) == 0) {
    return true;
  }
  call.violate(Rule::copy_image_region, "mip " + std::to_string(layers.mipLevel) + ", aspects " +
                                            std::to_string(layers.aspectMask));
  return false;
}

/// False if the region is not a whole subresource.
bool check_extent(Call& call, const Resource& image, const VkImageSubresourceLayers& layers,
                  const VkOffset3D& offset, const VkExtent3D& extent) {
  const auto first =
      static_cast<VkImageAspectFlagBits>(layers.aspectMask & ~(layers.aspectMask - 1));
  const VkExtent3D whole = subresource_extent(image.image_info, first, layers.mipLevel);
  const auto outside = [](std::int32_t at, std::uint32_t size, std::uint32_t all) {
    return at < 0 || static_cast<std::uint32_t>(at) + size > all;
  };
  if (outside(offset.x, extent.width, whole.width) ||
      outside(offset.y, extent.height, whole.height) ||
      outside(offset.z, extent.depth, whole.depth)) {
    call.violate(Rule::copy_image_region, "beyond the mip's extent");
    return false;
  }
  if (equal(extent, whole)) return true;
  call.violate(Rule::copy_image_partial,
               std::to_string(extent.width) + " x " + std::to_string(extent.height));
  return false;
}

void check_layout_kind(Call& call, VkImageLayout layout, VkImageLayout transfer) {
  if (layout != transfer && layout != VK_IMAGE_LAYOUT_GENERAL)
    call.violate(Rule::copy_image_layout_kind, std::to_string(layout));
}

void check_usage(Call& call, const Resource& resource, VkFlags64 usage) {
  if ((resource.usage & usage) == 0)
    call.violate(Rule::transfer_usage, "usage " + std::to_string(resource.usage));
}

void check_queue(Call& call, const CommandBuffer& commands, const Resource& image) {
  constexpr VkImageAspectFlags kDepth = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  const bool needs = (aspects_of(image.image_info.format) & kDepth) != 0 ||
                     image.image_info.samples != VK_SAMPLE_COUNT_1_BIT;
  if (needs && (commands.queue_flags() & VK_QUEUE_GRAPHICS_BIT) == 0)
    call.violate(Rule::queue_lacks_capability, "depth, stencil or several samples");
}

void check_layout(State& state, Resource& image, const VkImageSubresourceLayers& layers,
                  VkImageLayout layout, const char* name) {
  for (std::uint32_t layer = 0; layer < layers.layerCount; ++layer) {
    const VkImageLayout actual = image.layout(layers.mipLevel, layers.baseArrayLayer + layer);
    if (actual != layout) {
      state.violate(Rule::copy_image_layout, name,
                    std::to_string(layout) + " for " + std::to_string(actual));
    }
  }
}

std::vector<std::byte> read(State& state, const Resource& resource, VkDeviceSize offset,
                            VkDeviceSize size) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  MemoryObject* memory = state.find_memory(resource.parts[0].memory);
  if (memory != nullptr) memory->backing.device_read(resource.parts[0].offset + offset, bytes);
  return bytes;
}

void write(State& state, const Resource& resource, VkDeviceSize offset,
           const std::vector<std::byte>& bytes) {
  MemoryObject* memory = state.find_memory(resource.parts[0].memory);
  if (memory != nullptr) memory->backing.device_write(resource.parts[0].offset + offset, bytes);
}

void run_copy(State& state, std::uint64_t from, std::uint64_t to, VkImageLayout source_layout,
              VkImageLayout destination_layout, const std::vector<VkImageCopy>& regions,
              std::uint32_t family) {
  constexpr const char* kName = "vkCmdCopyImage";
  Resource* source = state.find_image(from);
  Resource* destination = state.find_image(to);
  state.use_resource(source, kName);
  state.use_resource(destination, kName);
  if (source == nullptr || destination == nullptr) return;
  state.check_owner(*source, family, kName);
  for (const VkImageCopy& region : regions) {
    check_layout(state, *source, region.srcSubresource, source_layout, kName);
    check_layout(state, *destination, region.dstSubresource, destination_layout, kName);
    each_part(region.srcSubresource, [&](VkImageAspectFlagBits aspect, std::uint32_t layer) {
      const SubresourceBytes at =
          subresource_bytes(source->image_info, aspect, region.srcSubresource.mipLevel, layer);
      const std::uint32_t other =
          layer - region.srcSubresource.baseArrayLayer + region.dstSubresource.baseArrayLayer;
      const SubresourceBytes target =
          subresource_bytes(destination->image_info, aspect, region.dstSubresource.mipLevel, other);
      write(state, *destination, target.offset, read(state, *source, at.offset, at.size));
    });
  }
}

enum class Direction : std::uint8_t { to_buffer, to_image };

void run_buffer_copy(State& state, std::uint64_t image_id, std::uint64_t buffer_id,
                     VkImageLayout layout, const std::vector<VkBufferImageCopy>& regions,
                     Direction direction, std::uint32_t family) {
  const bool to_buffer = direction == Direction::to_buffer;
  const char* name = to_buffer ? "vkCmdCopyImageToBuffer" : "vkCmdCopyBufferToImage";
  Resource* image = state.find_image(image_id);
  Resource* buffer = state.find_buffer(buffer_id);
  state.use_resource(image, name);
  state.use_resource(buffer, name);
  if (image == nullptr || buffer == nullptr) return;
  state.check_owner(to_buffer ? *image : *buffer, family, name);
  for (const VkBufferImageCopy& region : regions) {
    check_layout(state, *image, region.imageSubresource, layout, name);
    VkDeviceSize offset = region.bufferOffset;
    each_part(region.imageSubresource, [&](VkImageAspectFlagBits aspect, std::uint32_t layer) {
      const SubresourceBytes at =
          subresource_bytes(image->image_info, aspect, region.imageSubresource.mipLevel, layer);
      if (offset > buffer->size || at.size > buffer->size - offset) {
        state.violate(Rule::transfer_region, name, "offset " + std::to_string(offset));
        return;
      }
      if (to_buffer) {
        write(state, *buffer, offset, read(state, *image, at.offset, at.size));
      } else {
        write(state, *image, at.offset, read(state, *buffer, offset, at.size));
      }
      offset += at.size;
    });
  }
}

void record_buffer_copy(Call& call, VkCommandBuffer commands, VkImage image, VkBuffer buffer,
                        VkImageLayout layout, std::uint32_t count, const VkBufferImageCopy* regions,
                        Direction direction) {
  CommandBuffer* recording = call.recording(commands);
  const Resource* picture = call.image(image);
  const Resource* bytes = call.buffer(buffer);
  if (recording == nullptr || picture == nullptr || bytes == nullptr) return;
  const bool to_buffer = direction == Direction::to_buffer;
  check_usage(call, to_buffer ? *picture : *bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  check_usage(call, to_buffer ? *bytes : *picture, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  check_queue(call, *recording, *picture);
  check_layout_kind(
      call, layout,
      to_buffer ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  std::vector<VkBufferImageCopy> kept;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (check_subresource(call, *picture, regions[i].imageSubresource) &&
        check_extent(call, *picture, regions[i].imageSubresource, regions[i].imageOffset,
                     regions[i].imageExtent)) {
      kept.push_back(regions[i]);
    }
  }
  recording->uses.insert({id_of(image), id_of(buffer)});
  recording->commands.emplace_back([image_id = id_of(image), buffer_id = id_of(buffer), layout,
                                    copied = std::move(kept), direction,
                                    family = recording->family](State& state) {
    run_buffer_copy(state, image_id, buffer_id, layout, copied, direction, family);
  });
}

}  // namespace

static_assert(static_cast<VkFlags>(VK_BUFFER_USAGE_TRANSFER_SRC_BIT) ==
                  static_cast<VkFlags>(VK_IMAGE_USAGE_TRANSFER_SRC_BIT) &&
              static_cast<VkFlags>(VK_BUFFER_USAGE_TRANSFER_DST_BIT) ==
                  static_cast<VkFlags>(VK_IMAGE_USAGE_TRANSFER_DST_BIT));

void cmd_copy_image(VkCommandBuffer commands, VkImage source, VkImageLayout source_layout,
                    VkImage destination, VkImageLayout destination_layout, std::uint32_t count,
                    const VkImageCopy* regions) {
  Call call(state_of(commands), Function::cmd_copy_image);
  CommandBuffer* recording = call.recording(commands);
  const Resource* from = call.image(source);
  const Resource* to = call.image(destination);
  if (recording == nullptr || from == nullptr || to == nullptr) return;
  check_usage(call, *from, VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  check_usage(call, *to, VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  check_queue(call, *recording, *from);
  check_layout_kind(call, source_layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  check_layout_kind(call, destination_layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  if (from->image_info.format != to->image_info.format ||
      from->image_info.samples != to->image_info.samples) {
    call.violate(Rule::copy_image_compatible, std::to_string(from->image_info.format) + " to " +
                                                  std::to_string(to->image_info.format));
    return;
  }
  std::vector<VkImageCopy> kept;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkImageCopy& region = regions[i];
    if (check_subresource(call, *from, region.srcSubresource) &&
        check_subresource(call, *to, region.dstSubresource) &&
        check_extent(call, *from, region.srcSubresource, region.srcOffset, region.extent) &&
        check_extent(call, *to, region.dstSubresource, region.dstOffset, region.extent)) {
      kept.push_back(region);
    }
  }
  recording->uses.insert({id_of(source), id_of(destination)});
  recording->commands.emplace_back([from_id = id_of(source), to_id = id_of(destination),
                                    source_layout, destination_layout, copied = std::move(kept),
                                    family = recording->family](State& state) {
    run_copy(state, from_id, to_id, source_layout, destination_layout, copied, family);
  });
}

void cmd_copy_image_to_buffer(VkCommandBuffer commands, VkImage source, VkImageLayout layout,
                              VkBuffer destination, std::uint32_t count,
                              const VkBufferImageCopy* regions) {
  Call call(state_of(commands), Function::cmd_copy_image_to_buffer);
  record_buffer_copy(call, commands, source, destination, layout, count, regions,
                     Direction::to_buffer);
}

void cmd_copy_buffer_to_image(VkCommandBuffer commands, VkBuffer source, VkImage destination,
                              VkImageLayout layout, std::uint32_t count,
                              const VkBufferImageCopy* regions) {
  Call call(state_of(commands), Function::cmd_copy_buffer_to_image);
  record_buffer_copy(call, commands, destination, source, layout, count, regions,
                     Direction::to_image);
}

}  // namespace quarry::fakes::calls
