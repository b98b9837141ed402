// SPDX-License-Identifier: MIT
// Decoders of BC1, BC3, BC4 and BC5 after the Khronos Data Format Specification 1.3, "S3TC" and
// "RGTC".
#include "materials/block_decode.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "materials/bc7.hpp"

namespace quarry::materials {
namespace {

using BlockPixels = std::array<std::uint8_t, 16 * kPixelBytes>;

std::uint64_t load_bytes(const std::byte* from, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = count; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint64_t>(from[i]);
  return value;
}

std::array<std::uint32_t, 4> expand_565(std::uint32_t packed) {
  const std::uint32_t r = packed >> 11 & 31;
  const std::uint32_t g = packed >> 5 & 63;
  const std::uint32_t b = packed & 31;
  return {r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255};
}

/// `punch_through`: BC1 knows a second layout with black (transparent) as its fourth entry; BC3
/// does not.
void decode_color(const std::byte* block, bool punch_through, bool alpha, BlockPixels& out) {
  const auto first = static_cast<std::uint32_t>(load_bytes(block, 2));
  const auto second = static_cast<std::uint32_t>(load_bytes(block + 2, 2));
  std::array<std::array<std::uint32_t, 4>, 4> palette = {expand_565(first), expand_565(second)};
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint32_t a = palette[0][c];
    const std::uint32_t b = palette[1][c];
    const bool four = first > second || !punch_through;
    palette[2][c] = four ? (2 * a + b) / 3 : (a + b) / 2;
    palette[3][c] = four ? (a + 2 * b) / 3 : 0;
  }
  palette[2][3] = 255;
  palette[3][3] = punch_through && alpha && first <= second ? 0 : 255;
  const auto indices = static_cast<std::uint32_t>(load_bytes(block + 4, 4));
  for (std::size_t p = 0; p < 16; ++p)
    for (std::size_t c = 0; c < 4; ++c)
      out[kPixelBytes * p + c] = static_cast<std::uint8_t>(palette[indices >> (2 * p) & 3][c]);
}

void decode_channel(const std::byte* block, std::size_t channel, BlockPixels& out) {
  const auto first = std::to_integer<std::uint32_t>(block[0]);
  const auto second = std::to_integer<std::uint32_t>(block[1]);
  std::array<std::uint32_t, 8> palette = {first, second};
  const std::uint32_t steps = first > second ? 7 : 5;
  for (std::uint32_t i = 1; i < steps; ++i)
    palette[i + 1] = ((steps - i) * first + i * second) / steps;
  if (steps == 5) {
    palette[6] = 0;
    palette[7] = 255;
  }
  const std::uint64_t indices = load_bytes(block + 2, 6);
  for (std::size_t p = 0; p < 16; ++p)
    out[kPixelBytes * p + channel] = static_cast<std::uint8_t>(palette[indices >> (3 * p) & 7]);
}

bool decode_block(const FormatInfo& format, const std::byte* block, BlockPixels& out) {
  out.fill(0);
  for (std::size_t p = 0; p < 16; ++p)
    out[kPixelBytes * p + 3] = 255;
  switch (format.format) {
    case VK_FORMAT_BC3_UNORM_BLOCK:
    case VK_FORMAT_BC3_SRGB_BLOCK:
      decode_color(block + 8, false, false, out);
      decode_channel(block, 3, out);
      return true;
    case VK_FORMAT_BC4_UNORM_BLOCK:
      decode_channel(block, 0, out);
      return true;
    case VK_FORMAT_BC5_UNORM_BLOCK:
      decode_channel(block, 0, out);
      decode_channel(block + 8, 1, out);
      return true;
    case VK_FORMAT_BC7_UNORM_BLOCK:
    case VK_FORMAT_BC7_SRGB_BLOCK:
      return bc7::decode(block, out.data());
    default:
      decode_color(block, true, format.channels == 4, out);
      return true;
  }
}

void scatter(const BlockPixels& block, std::uint32_t left, std::uint32_t top,
             MutablePixelView out) {
  const std::uint32_t columns = std::min(4u, out.width - left);
  const std::uint32_t rows = std::min(4u, out.height - top);
  for (std::uint32_t y = 0; y < rows; ++y)
    std::memcpy(out.row(top + y) + kPixelBytes * left, block.data() + 4 * kPixelBytes * y,
                kPixelBytes * columns);
}

}  // namespace

std::optional<Image> decode_blocks(const FormatInfo& format, std::uint32_t width,
                                   std::uint32_t height, std::span<const std::byte> blocks) {
  if (blocks.size() != image_bytes(format, width, height)) return std::nullopt;
  Image image(width, height);
  const MutablePixelView out = image.view();
  if (format.block_edge == 1) {
    std::memcpy(out.pixels, blocks.data(), blocks.size());
    return image;
  }
  BlockPixels block;
  const std::byte* next = blocks.data();
  for (std::uint32_t top = 0; top < height; top += 4)
    for (std::uint32_t left = 0; left < width; left += 4, next += format.block_bytes) {
      if (!decode_block(format, next, block)) return std::nullopt;
      scatter(block, left, top, out);
    }
  return image;
}

}  // namespace quarry::materials
