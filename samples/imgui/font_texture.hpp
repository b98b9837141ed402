// SPDX-License-Identifier: MIT
// The font atlas as a one-channel image: its coverage stands in alpha, the colour channels read as
// one.
#pragma once

#include <cstddef>
#include <vector>

#include <volk.h>

#include <quarry/unique.hpp>
#include <quarry/upload_ring.hpp>

namespace quarry::imgui {

class FontTexture {
 public:
  FontTexture() = default;
  FontTexture(const FontTexture&) = delete;
  FontTexture& operator=(const FontTexture&) = delete;
  ~FontTexture();

  /// Builds the current context's atlas and makes the image and its view; once.
  Status create(Allocator& allocator, VkDevice device, Tag tag);
  /// Records the copy of the atlas if that was not done yet.
  Status upload(VkCommandBuffer commands, UploadRing& ring);
  VkImageView view() const { return view_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  UniqueImage image_;
  VkImageView view_ = VK_NULL_HANDLE;
  VkExtent3D extent_{};
  bool uploaded_ = false;
};

}  // namespace quarry::imgui
