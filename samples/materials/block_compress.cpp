// SPDX-License-Identifier: MIT
// Gathers blocks of 4x4 pixels and hands them to the encoders.
#include "materials/block_compress.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "materials/bc7.hpp"
#include "materials/stb_dxt.hpp"

namespace quarry::materials {
namespace {

constexpr std::uint32_t kEdge = 4;
using BlockPixels = std::array<std::uint8_t, kEdge * kEdge * kPixelBytes>;

void gather(PixelView pixels, std::uint32_t left, std::uint32_t top, BlockPixels& block) {
  for (std::uint32_t y = 0; y < kEdge; ++y) {
    const std::uint8_t* row = pixels.row(std::min(top + y, pixels.height - 1));
    std::uint8_t* out = block.data() + y * kEdge * kPixelBytes;
    if (left + kEdge <= pixels.width) {
      std::memcpy(out, row + kPixelBytes * left, kEdge * kPixelBytes);
      continue;
    }
    for (std::uint32_t x = 0; x < kEdge; ++x)
      std::memcpy(out + kPixelBytes * x, row + kPixelBytes * std::min(left + x, pixels.width - 1),
                  kPixelBytes);
  }
}

/// The first `Channels` channels of a block, tightly packed.
template <std::size_t Channels>
std::array<std::uint8_t, 16 * Channels> first_channels(const BlockPixels& block) {
  std::array<std::uint8_t, 16 * Channels> packed;
  for (std::size_t p = 0; p < 16; ++p)
    for (std::size_t c = 0; c < Channels; ++c)
      packed[Channels * p + c] = block[kPixelBytes * p + c];
  return packed;
}

template <class Encode>
void for_each_block(PixelView pixels, std::uint32_t block_bytes, std::byte* blocks,
                    std::size_t row_bytes, Encode encode) {
  BlockPixels block;
  for (std::uint32_t top = 0; top < pixels.height; top += kEdge, blocks += row_bytes) {
    std::byte* out = blocks;
    for (std::uint32_t left = 0; left < pixels.width; left += kEdge, out += block_bytes) {
      gather(pixels, left, top, block);
      encode(block, out);
    }
  }
}

void copy_rows(PixelView pixels, std::byte* out, std::size_t row_bytes) {
  for (std::uint32_t y = 0; y < pixels.height; ++y)
    std::memcpy(out + y * row_bytes, pixels.row(y), kPixelBytes * pixels.width);
}

}  // namespace

void compress(PixelView pixels, const FormatInfo& format, Effort effort, std::byte* blocks,
              std::size_t row_bytes) {
  const bool thorough = effort == Effort::thorough;
  const auto each = [&](auto encode) {
    for_each_block(pixels, format.block_bytes, blocks, row_bytes, encode);
  };
  switch (format.format) {
    case VK_FORMAT_BC1_RGB_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGB_SRGB_BLOCK:
    case VK_FORMAT_BC1_RGBA_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGBA_SRGB_BLOCK:
      return each([&](const BlockPixels& in, std::byte* out) {
        stb::encode_bc1(in.data(), thorough, out);
      });
    case VK_FORMAT_BC3_UNORM_BLOCK:
    case VK_FORMAT_BC3_SRGB_BLOCK:
      return each([&](const BlockPixels& in, std::byte* out) {
        stb::encode_bc3(in.data(), thorough, out);
      });
    case VK_FORMAT_BC4_UNORM_BLOCK:
      return each([](const BlockPixels& in, std::byte* out) {
        stb::encode_bc4(first_channels<1>(in).data(), out);
      });
    case VK_FORMAT_BC5_UNORM_BLOCK:
      return each([](const BlockPixels& in, std::byte* out) {
        stb::encode_bc5(first_channels<2>(in).data(), out);
      });
    case VK_FORMAT_BC7_UNORM_BLOCK:
    case VK_FORMAT_BC7_SRGB_BLOCK:
      return each([](const BlockPixels& in, std::byte* out) { bc7::encode(in.data(), out); });
    default:
      return copy_rows(pixels, blocks, row_bytes);
  }
}

}  // namespace quarry::materials
