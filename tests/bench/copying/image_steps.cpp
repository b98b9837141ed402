// SPDX-License-Identifier: MIT
#include "bench/copying/image_steps.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "copy/engine.hpp"
#include "copy/image_regions.hpp"

namespace quarry::bench {

namespace {

struct Kind {
  const char* name;
  VkFormat format;
  std::uint32_t bits;  ///< of a texel
  bool mips;
  VkImageUsageFlags more;
};

constexpr Kind kKinds[] = {
    {"RGBA8", VK_FORMAT_R8G8B8A8_UNORM, 32, false, 0},
    {"RGBA8 with mips", VK_FORMAT_R8G8B8A8_UNORM, 32, true, 0},
    {"RGBA8 render target", VK_FORMAT_R8G8B8A8_UNORM, 32, false,
     VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
    {"RGBA8 storage", VK_FORMAT_R8G8B8A8_UNORM, 32, false, VK_IMAGE_USAGE_STORAGE_BIT},
    {"RGBA16F", VK_FORMAT_R16G16B16A16_SFLOAT, 64, false, 0},
    {"BC1 with mips", VK_FORMAT_BC1_RGB_UNORM_BLOCK, 4, true, 0},
    {"BC7", VK_FORMAT_BC7_UNORM_BLOCK, 8, false, 0},
    {"BC7 with mips", VK_FORMAT_BC7_UNORM_BLOCK, 8, true, 0},
};

VkImageCreateInfo info_of(const Kind& kind, std::uint32_t side) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = kind.format;
  info.extent = {side, side, 1};
  info.mipLevels = kind.mips ? static_cast<std::uint32_t>(std::bit_width(side)) : 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
               VK_IMAGE_USAGE_TRANSFER_DST_BIT | kind.more;
  return info;
}

VkDeviceSize bytes_of(const Kind& kind, const VkImageCreateInfo& info) {
  VkDeviceSize bytes = 0;
  for (std::uint32_t mip = 0; mip < info.mipLevels; ++mip) {
    const VkDeviceSize side = std::max(1u, info.extent.width >> mip);
    bytes += side * side * kind.bits / 8;
  }
  return bytes;
}

void change(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                              VK_REMAINING_ARRAY_LAYERS};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

/// Pairs of images of one kind, sources in SHADER_READ_ONLY_OPTIMAL with noise-like contents.
class Pairs {
 public:
  Pairs(copy::CopyDevice& device, const VkImageCreateInfo& info, std::uint32_t count)
      : device_(device) {
    for (std::uint32_t i = 0; i < count; ++i) {
      sources.push_back(device.image(info));
      destinations.push_back(device.image(info));
    }
  }
  ~Pairs() {
    for (const copy::DeviceImage& image : sources)
      device_.free(image);
    for (const copy::DeviceImage& image : destinations)
      device_.free(image);
  }
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;

  /// Texels that no lossless compression of the driver makes small.
  void fill(const VkImageCreateInfo& info, const copy::DeviceBuffer& noise) {
    for (const copy::DeviceImage& image : sources) {
      device_.run(0, [&](VkCommandBuffer commands) {
        change(commands, image.image, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        VkBufferImageCopy region{};
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        region.imageExtent = info.extent;
        vkCmdCopyBufferToImage(commands, noise.buffer, image.image,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        change(commands, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
               VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
      });
    }
  }

  std::vector<copy::DeviceImage> sources;
  std::vector<copy::DeviceImage> destinations;

 private:
  copy::CopyDevice& device_;
};

copy::DeviceBuffer make_noise(copy::CopyDevice& device, VkDeviceSize bytes) {
  const copy::DeviceBuffer host =
      device.buffer(bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, copy::Place::host);
  std::uint64_t state = 88172645463325252u;
  for (VkDeviceSize i = 0; i + 8 <= bytes; i += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    *reinterpret_cast<std::uint64_t*>(host.mapped + i) = state;
  }
  return host;
}

/// The engine's way.
StepTimes time_engine(copy::CopyDevice& device, const copy::Engine& engine, copy::Step& step,
                      const Pairs& pairs, const VkImageCreateInfo& info, std::uint32_t family,
                      std::uint32_t repetitions) {
  std::vector<copy::ImageMove> moves;
  for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
    moves.push_back({pairs.sources[i].image, pairs.destinations[i].image, copy::shape_of(info),
                     VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL});
  }
  copy::Commands commands;
  commands.copy_family = family;
  commands.owner_family = family;
  commands.copy_queue = device.families().at(family).queueFlags;
  return time_steps(device, family, repetitions, [&](VkCommandBuffer recording) {
    commands.copy = recording;
    if (!engine.record(commands, {}, moves, {}, step)) throw std::runtime_error("recording failed");
    for (const copy::ImageMove& move : moves)
      change(recording, move.source, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, move.layout);
  });
}

/// Mip 0 alone, by commands that the engine does not use.
enum class Other : std::uint8_t { bands, through_buffer, general, blit };

void record_other(VkCommandBuffer commands, Other way, VkImage source, VkImage destination,
                  const VkExtent3D& extent, const copy::DeviceBuffer& scratch) {
  constexpr std::uint32_t kBands = 64;
  const bool general = way == Other::general;
  const VkImageLayout from =
      general ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkImageLayout to = general ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  change(commands, source, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, from);
  change(commands, destination, VK_IMAGE_LAYOUT_UNDEFINED, to);
  const VkImageSubresourceLayers layers{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  if (way == Other::through_buffer) {
    VkBufferImageCopy region{};
    region.imageSubresource = layers;
    region.imageExtent = extent;
    vkCmdCopyImageToBuffer(commands, source, from, scratch.buffer, 1, &region);
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                 VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         0, 1, &memory, 0, nullptr, 0, nullptr);
    vkCmdCopyBufferToImage(commands, scratch.buffer, destination, to, 1, &region);
  } else if (way == Other::blit) {
    const VkOffset3D end{static_cast<std::int32_t>(extent.width),
                         static_cast<std::int32_t>(extent.height), 1};
    const VkImageBlit region{layers, {{}, end}, layers, {{}, end}};
    vkCmdBlitImage(commands, source, from, destination, to, 1, &region, VK_FILTER_NEAREST);
  } else {
    const std::uint32_t bands = way == Other::bands ? kBands : 1;
    std::vector<VkImageCopy> regions(bands);
    for (std::uint32_t i = 0; i < bands; ++i) {
      const auto row = static_cast<std::int32_t>(extent.height / bands * i);
      regions[i] = {
          layers, {0, row, 0}, layers, {0, row, 0}, {extent.width, extent.height / bands, 1}};
    }
    vkCmdCopyImage(commands, source, from, destination, to, bands, regions.data());
  }
  change(commands, source, from, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  change(commands, destination, to, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

bool can_blit(const copy::CopyDevice& device, VkFormat format, std::uint32_t family) {
  constexpr VkFormatFeatureFlags kBoth =
      VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT;
  VkFormatProperties properties{};
  vkGetPhysicalDeviceFormatProperties(device.physical_device(), format, &properties);
  return (properties.optimalTilingFeatures & kBoth) == kBoth &&
         (device.families().at(family).queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
}

void measure_kind(copy::CopyDevice& device, const Kind& kind, const ImagePlan& plan,
                  const copy::DeviceBuffer& noise, const copy::DeviceBuffer& scratch,
                  Report& report) {
  const VkImageCreateInfo info = info_of(kind, plan.side);
  if (!device.supports(info)) return;
  copy::Engine engine(device.opened());
  copy::Step step(device.opened().host());
  if (!engine.open()) throw std::runtime_error("no copy engine");
  {
    Pairs pairs(device, info, plan.images);
    pairs.fill(info, noise);
    const VkDeviceSize bytes = bytes_of(kind, info) * plan.images;
    for (std::uint32_t family = 0; family < device.families().size(); ++family) {
      const std::string where = std::string(kind.name) + ", family " + std::to_string(family);
      report.row(where + ", engine", bytes,
                 time_engine(device, engine, step, pairs, info, family, plan.repetitions));
      if (kind.mips || kind.more != 0) continue;
      const std::pair<Other, const char*> others[] = {{Other::bands, ", 64 bands"},
                                                      {Other::through_buffer, ", through a buffer"},
                                                      {Other::general, ", layout GENERAL"},
                                                      {Other::blit, ", blit"}};
      for (const auto& [way, name] : others) {
        if (way == Other::blit && !can_blit(device, kind.format, family)) continue;
        report.row(where + name, bytes,
                   time_steps(device, family, plan.repetitions,
                              [&, chosen = way](VkCommandBuffer commands) {
                                for (std::size_t i = 0; i < pairs.sources.size(); ++i) {
                                  record_other(commands, chosen, pairs.sources[i].image,
                                               pairs.destinations[i].image, info.extent, scratch);
                                }
                              }));
      }
    }
  }
  engine.close_step(step);
}

}  // namespace

void measure_images(copy::CopyDevice& device, const ImagePlan& plan, Report& report) {
  report.heading(std::to_string(plan.images) + " images of " + std::to_string(plan.side) +
                 " squared a step");
  const VkDeviceSize largest = VkDeviceSize{plan.side} * plan.side * 8;
  const copy::DeviceBuffer noise = make_noise(device, largest);
  const copy::DeviceBuffer scratch =
      device.buffer(largest, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                    copy::Place::device);
  for (const Kind& kind : kKinds)
    measure_kind(device, kind, plan, noise, scratch, report);
  device.free(noise);
  device.free(scratch);
}

}  // namespace quarry::bench
