// SPDX-License-Identifier: MIT
// Images that are rendered into.
#pragma once

#include <volk.h>

#include <quarry/unique.hpp>

#include "viewer/device_object.hpp"
#include "viewer/memory.hpp"

namespace quarry::viewer {

struct AttachmentDesc {
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkExtent2D extent{};
  VkImageUsageFlags usage = 0;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  const char* name = "";
};

struct Attachment {
  UniqueImage image;
  DeviceObject<VkImageView> view;  // Destroyed before the image.

  VkImage handle() const { return image->image; }
  static Outcome<Attachment> create(Memory& memory, VkDevice device, const AttachmentDesc& desc);
};

/// What a picture of a size is drawn with.
struct FrameTargets {
  VkExtent2D extent{};
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  Attachment colour;        ///< the picture; one sample
  Attachment multisampled;  ///< only where samples > 1: resolved into `colour`
  Attachment depth;

  static Outcome<FrameTargets> create(Memory& memory, VkDevice device, VkExtent2D extent,
                                      VkSampleCountFlagBits samples);
};

}  // namespace quarry::viewer
