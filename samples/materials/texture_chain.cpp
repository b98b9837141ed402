// SPDX-License-Identifier: MIT
// Fills and writes chains.
#include "materials/texture_chain.hpp"

#include <algorithm>

#include "materials/mip_chain.hpp"
#include "materials/parallel.hpp"

namespace quarry::materials {
namespace {

/// Rows of pixels that one piece of parallel work takes; a multiple of the block edge.
constexpr std::uint32_t kBandRows = 64;

std::uint32_t bands(std::uint32_t height) {
  return (height + kBandRows - 1) / kBandRows;
}

}  // namespace

TextureChain::TextureChain(VkFormat format, std::uint32_t width, std::uint32_t height)
    : format_(find_format(format)), width_(width), height_(height) {
  const std::uint32_t count = full_mip_count(width, height);
  levels_.reserve(count);
  for (std::uint32_t level = 0; level < count; ++level)
    levels_.emplace_back(static_cast<std::size_t>(
        image_bytes(*format_, mip_extent(width, level), mip_extent(height, level))));
}

void TextureChain::put(std::uint32_t level, std::uint32_t left, std::uint32_t top, PixelView pixels,
                       Effort effort) {
  const std::uint32_t edge = format_->block_edge;
  const std::size_t row_bytes =
      std::size_t{(width(level) + edge - 1) / edge} * format_->block_bytes;
  std::byte* first =
      levels_[level].data() + (top / edge) * row_bytes + (left / edge) * format_->block_bytes;
  compress(pixels, *format_, effort, first, row_bytes);
}

void TextureChain::put_from(std::uint32_t first_level, Image image, Meaning meaning, Effort effort,
                            unsigned threads) {
  for (std::uint32_t at = first_level;; ++at) {
    const PixelView pixels = std::as_const(image).view();
    parallel_for(bands(pixels.height), threads, [&](std::size_t band) {
      const auto top = static_cast<std::uint32_t>(band) * kBandRows;
      const std::uint32_t rows = std::min(kBandRows, pixels.height - top);
      put(at, 0, top, {pixels.row(top), pixels.width, rows, pixels.row_bytes}, effort);
    });
    if (at + 1 == mips()) return;
    Image smaller(width(at + 1), height(at + 1));
    const MutablePixelView target = smaller.view();
    parallel_for(bands(target.height), threads, [&](std::size_t band) {
      const auto top = static_cast<std::uint32_t>(band) * kBandRows;
      downsample_rows(pixels, target, meaning, top, std::min(top + kBandRows, target.height));
    });
    image = std::move(smaller);
  }
}

Status TextureChain::write(const std::filesystem::path& path,
                           std::vector<std::pair<std::string, std::string>> metadata) const {
  TextureContent content{format_->format, width_, height_, {}, std::move(metadata)};
  content.mips.assign(levels_.begin(), levels_.end());
  return write_texture(path, content);
}

}  // namespace quarry::materials
