// SPDX-License-Identifier: MIT
// Attachments live as long as a window's size: Lifetime::long_lived keeps them out of the textures'
// blocks.
#include "viewer/attachment.hpp"

#include "viewer/pipelines.hpp"
#include "viewer/texture_image.hpp"

namespace quarry::viewer {

Outcome<Attachment> Attachment::create(Memory& memory, VkDevice device,
                                       const AttachmentDesc& desc) {
  VkImageCreateInfo info =
      texture_image_info(desc.format, desc.extent.width, desc.extent.height, 1);
  info.usage = desc.usage;
  info.samples = desc.samples;
  const bool transient = (desc.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0;
  AllocationDesc allocation;
  allocation.intent = transient ? MemoryIntent::transient_attachment : MemoryIntent::device;
  allocation.lifetime = Lifetime::long_lived;
  allocation.priority = 1.0f;
  allocation.tag = memory.frame_tag();
  allocation.name = desc.name;
  auto image = memory.create_image(info, allocation);
  if (!image) return failure(std::string(desc.name) + ": " + describe(image.error()));
  Attachment attachment;
  attachment.image = UniqueImage(memory.allocator(), *image);
  VkImageViewCreateInfo view_info = texture_view_info(image->image, desc.format);
  if ((desc.usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0) {
    view_info.subresourceRange.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
  }
  auto view = make_object<VkImageView>(device, vkCreateImageView, view_info, vkDestroyImageView,
                                       "vkCreateImageView");
  if (!view) return failure(view.error());
  attachment.view = std::move(*view);
  return attachment;
}

Outcome<FrameTargets> FrameTargets::create(Memory& memory, VkDevice device, VkExtent2D extent,
                                           VkSampleCountFlagBits samples) {
  FrameTargets targets;
  targets.extent = extent;
  targets.samples = samples;
  const struct {
    Attachment& attachment;
    AttachmentDesc desc;
    bool wanted;
  } all[] = {
      {targets.colour,
       {kColourFormat, extent,
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
        VK_SAMPLE_COUNT_1_BIT, "picture"},
       true},
      {targets.multisampled,
       {kColourFormat, extent,
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT, samples,
        "picture, multisampled"},
       samples != VK_SAMPLE_COUNT_1_BIT},
      {targets.depth,
       {kDepthFormat, extent,
        VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT,
        samples, "depth"},
       true},
  };
  for (const auto& one : all) {
    if (!one.wanted) continue;
    auto made = Attachment::create(memory, device, one.desc);
    if (!made) return failure(made.error());
    one.attachment = std::move(*made);
  }
  return targets;
}

}  // namespace quarry::viewer
