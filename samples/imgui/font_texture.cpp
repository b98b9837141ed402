// SPDX-License-Identifier: MIT
// The font atlas as an image. See font_texture.hpp.
#include "imgui/font_texture.hpp"

#include <cstring>

#include <imgui.h>

namespace quarry::imgui {
namespace {

constexpr VkFormat kFormat = VK_FORMAT_R8_UNORM;

/// ImGui keeps the texels; this builds them the first time.
const unsigned char* texels(VkExtent3D& extent) {
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  extent = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), 1};
  return pixels;
}

VkImageMemoryBarrier barrier(VkImage image, VkImageLayout from, VkImageLayout to,
                             VkAccessFlags source, VkAccessFlags destination) {
  VkImageMemoryBarrier result{};
  result.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  result.srcAccessMask = source;
  result.dstAccessMask = destination;
  result.oldLayout = from;
  result.newLayout = to;
  result.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  result.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  result.image = image;
  result.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  return result;
}

}  // namespace

FontTexture::~FontTexture() {
  if (view_ != VK_NULL_HANDLE) vkDestroyImageView(device_, view_, nullptr);
}

Status FontTexture::create(Allocator& allocator, VkDevice device, Tag tag) {
  device_ = device;
  texels(extent_);
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = kFormat;
  info.extent = extent_;
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  AllocationDesc desc;
  desc.tag = tag;
  desc.name = "ImGui font";
  Result<Image> image = allocator.create_image(info, desc);
  if (!image) return Unexpected(image.error());
  image_ = UniqueImage(allocator, *image);

  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = image->image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = kFormat;
  view.components = {VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_ONE,
                     VK_COMPONENT_SWIZZLE_R};
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  const VkResult result = vkCreateImageView(device, &view, nullptr, &view_);
  if (result != VK_SUCCESS) return Unexpected(Error{result, Reason::driver});
  return {};
}

Status FontTexture::upload(VkCommandBuffer commands, UploadRing& ring) {
  if (uploaded_) return {};
  VkExtent3D extent{};
  const unsigned char* pixels = texels(extent);
  const VkDeviceSize bytes = VkDeviceSize{extent.width} * extent.height;
  // Copies from buffers need offsets on multiples of 4.
  Result<UploadSpan> span = ring.allocate(bytes, 4);
  if (!span) return Unexpected(span.error());
  std::memcpy(span->mapped, pixels, static_cast<std::size_t>(bytes));

  const VkImageMemoryBarrier before =
      barrier(image_->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
              VK_ACCESS_TRANSFER_WRITE_BIT);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       0, 0, nullptr, 0, nullptr, 1, &before);
  VkBufferImageCopy region{};
  region.bufferOffset = span->offset;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = extent;
  vkCmdCopyBufferToImage(commands, span->buffer, image_->image,
                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  const VkImageMemoryBarrier after = barrier(
      image_->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
      VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, 0, nullptr, 0, nullptr, 1, &after);
  uploaded_ = true;
  return {};
}

}  // namespace quarry::imgui
