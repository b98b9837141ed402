// SPDX-License-Identifier: MIT
// The image of a texture with the mips that are resident, and the files that textures come from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <volk.h>

#include <quarry/allocator.hpp>

#include "materials/ktx2.hpp"
#include "viewer/device_object.hpp"
#include "viewer/outcome.hpp"
#include "viewer/placeholder.hpp"
#include "viewer/slices.hpp"

namespace quarry::viewer {

class Memory;

/// A sampled 2D image that is written by copies.
VkImageCreateInfo texture_image_info(VkFormat format, std::uint32_t width, std::uint32_t height,
                                     std::uint32_t mips);
VkImageViewCreateInfo texture_view_info(VkImage image, VkFormat format);

/// An image and its view; plain ownership is with whoever holds it (see TextureLoader::dispose).
struct TextureImage {
  Image image;
  DeviceObject<VkImageView> view;
  std::uint64_t bytes = 0;  ///< of device memory: TextureSource::level_bytes
};

/// A texture on disk. Constant once made; read by several threads.
struct TextureSource {
  std::string name;  ///< "material albedo"
  MapRole role = MapRole::albedo;
  materials::TextureFile file;
  ImageShape shape;          ///< of level 0 of the file
  std::uint32_t finest = 0;  ///< file level that the device can take
  std::uint32_t last = 0;    ///< file level: the last in the file
  /// Device bytes of an image whose finest mip is file level finest + i, down to the coarsest that
  /// streaming starts with.
  std::vector<std::uint64_t> level_bytes;

  std::uint32_t width(std::uint32_t level) const;  ///< texels of file level
  std::uint32_t height(std::uint32_t level) const;
  VkFormat format() const { return file.info().format; }
  /// The create-info of the image whose finest mip is `level` steps from the finest.
  VkImageCreateInfo image_info(std::uint32_t level) const;
};

/// Fails when the device cannot sample the format.
Outcome<TextureSource> make_texture_source(std::string name, MapRole role,
                                           materials::TextureFile file, VkPhysicalDevice device,
                                           Memory& memory);

}  // namespace quarry::viewer
