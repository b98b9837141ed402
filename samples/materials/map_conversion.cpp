// SPDX-License-Identifier: MIT
// Loads, combines and compresses the files of a map.
#include "materials/map_conversion.hpp"

#include <algorithm>
#include <utility>

#include "materials/image_file.hpp"
#include "materials/parallel.hpp"

namespace quarry::materials {
namespace {

bool uses_alpha(PixelView view) {
  for (std::uint32_t y = 0; y < view.height; ++y)
    for (std::uint32_t x = 0; x < view.width; ++x)
      if (view.row(y)[kPixelBytes * x + 3] != 255) return true;
  return false;
}

void flip_green(MutablePixelView view) {
  for (std::uint32_t y = 0; y < view.height; ++y)
    for (std::uint32_t x = 0; x < view.width; ++x) {
      std::uint8_t& green = view.row(y)[kPixelBytes * x + 1];
      green = static_cast<std::uint8_t>(255 - green);
    }
}

TextureChain compress_chain(VkFormat format, Image image, Meaning meaning, unsigned threads) {
  TextureChain chain(format, image.width(), image.height());
  chain.put_from(0, std::move(image), meaning, Effort::thorough, threads);
  return chain;
}

/// Copies red of `from` into a channel of `to`, nearest texel where the extents differ.
void put_channel(PixelView from, std::size_t channel, MutablePixelView to) {
  for (std::uint32_t y = 0; y < to.height; ++y) {
    const auto from_y = static_cast<std::uint32_t>(std::uint64_t{y} * from.height / to.height);
    const std::uint8_t* row = from.row(from_y);
    std::uint8_t* out = to.row(y) + channel;
    for (std::uint32_t x = 0; x < to.width; ++x) {
      const auto from_x = static_cast<std::uint32_t>(std::uint64_t{x} * from.width / to.width);
      out[kPixelBytes * x] = row[kPixelBytes * from_x];
    }
  }
}

/// Packs single maps; a missing one takes the neutral value. The largest file sets the extent.
Result<Image> combine_surface(const MapSource& source) {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  for (const std::filesystem::path& path : source_files(source)) {
    auto info = inspect_image(path);
    if (!info) return Unexpected(info.error());
    width = std::max(width, info->width);
    height = std::max(height, info->height);
  }
  Image packed(width, height);
  const MutablePixelView out = packed.view();
  const auto neutral = neutral_texel(MapKind::surface);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      std::copy(neutral.begin(), neutral.end(), out.row(y) + kPixelBytes * x);
  const std::filesystem::path* const files[] = {&source.occlusion, &source.roughness,
                                                &source.metalness};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    if (files[channel]->empty()) continue;
    auto image = load_image(*files[channel]);
    if (!image) return Unexpected(image.error());
    put_channel(std::as_const(*image).view(), channel, out);
  }
  return packed;
}

}  // namespace

std::vector<std::filesystem::path> source_files(const MapSource& source) {
  std::vector<std::filesystem::path> files = {source.main, source.occlusion, source.roughness,
                                              source.metalness};
  std::erase_if(files, [](const std::filesystem::path& path) { return path.empty(); });
  return files;
}

Result<std::uint64_t> conversion_bytes(const MapSource& source) {
  std::uint64_t decoding = 0;
  std::uint64_t largest = 0;
  for (const std::filesystem::path& path : source_files(source)) {
    auto info = inspect_image(path);
    if (!info) return Unexpected(info.error());
    decoding = std::max(decoding, info->peak_bytes);
    largest = std::max(largest, kPixelBytes * std::uint64_t{info->width} * info->height);
  }
  // A packed image beside the one being decoded; later the image, its next level and the compressed
  // chain.
  return decoding + 2 * largest;
}

Result<TextureChain> convert_map(MapKind kind, const MapSource& source, unsigned threads) {
  auto image = source.main.empty() ? combine_surface(source) : load_image(source.main);
  if (!image) return Unexpected(image.error());
  switch (kind) {
    case MapKind::albedo: {
      const bool alpha = uses_alpha(std::as_const(*image).view());
      return compress_chain(alpha ? VK_FORMAT_BC3_SRGB_BLOCK : VK_FORMAT_BC1_RGB_SRGB_BLOCK,
                            std::move(*image), Meaning::color, threads);
    }
    case MapKind::normal:
      if (source.flip_green) flip_green(image->view());
      return compress_chain(VK_FORMAT_BC5_UNORM_BLOCK, std::move(*image), Meaning::normal, threads);
    case MapKind::surface:
      break;
  }
  return compress_chain(VK_FORMAT_BC1_RGB_UNORM_BLOCK, std::move(*image), Meaning::linear, threads);
}

}  // namespace quarry::materials
