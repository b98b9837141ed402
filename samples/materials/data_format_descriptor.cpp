// SPDX-License-Identifier: MIT
// Builds the data format descriptor of each supported format.
#include "materials/data_format_descriptor.hpp"

namespace quarry::materials {
namespace {

// Numbers of the Khronos Data Format Specification.
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kPrimariesBt709 = 1;
constexpr std::uint32_t kTransferLinear = 1;
constexpr std::uint32_t kTransferSrgb = 2;
constexpr std::uint32_t kAlphaChannel = 15;
constexpr std::uint32_t kLinearQualifier = 0x10;  // alpha stays linear in an sRGB format
constexpr std::uint32_t kBlockHeaderBytes = 24;
constexpr std::uint32_t kSampleBytes = 16;

struct Sample {
  std::uint32_t channel;
  std::uint32_t bit_offset;
  std::uint32_t bits;
};

struct Layout {
  std::uint32_t color_model;
  std::vector<Sample> samples;
};

Layout layout_of(VkFormat format) {
  switch (format) {
    case VK_FORMAT_BC1_RGB_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGB_SRGB_BLOCK:
      return {128, {{0, 0, 64}}};
    case VK_FORMAT_BC1_RGBA_UNORM_BLOCK:
    case VK_FORMAT_BC1_RGBA_SRGB_BLOCK:
      return {128, {{1, 0, 64}}};  // channel 1: colour with punch-through alpha
    case VK_FORMAT_BC3_UNORM_BLOCK:
    case VK_FORMAT_BC3_SRGB_BLOCK:
      return {130, {{kAlphaChannel, 0, 64}, {0, 64, 64}}};
    case VK_FORMAT_BC4_UNORM_BLOCK:
      return {131, {{0, 0, 64}}};
    case VK_FORMAT_BC5_UNORM_BLOCK:
      return {132, {{0, 0, 64}, {1, 64, 64}}};
    case VK_FORMAT_BC7_UNORM_BLOCK:
    case VK_FORMAT_BC7_SRGB_BLOCK:
      return {134, {{0, 0, 128}}};
    default:
      return {1, {{0, 0, 8}, {1, 8, 8}, {2, 16, 8}, {kAlphaChannel, 24, 8}}};
  }
}

}  // namespace

std::vector<std::uint32_t> data_format_descriptor(const FormatInfo& format) {
  const Layout layout = layout_of(format.format);
  const auto sample_count = static_cast<std::uint32_t>(layout.samples.size());
  const std::uint32_t block_bytes = kBlockHeaderBytes + kSampleBytes * sample_count;
  const std::uint32_t last_texel = format.block_edge - 1;
  std::vector<std::uint32_t> words = {
      block_bytes + 4,
      0,  // vendor Khronos, descriptor type basic
      kVersion | block_bytes << 16,
      layout.color_model | kPrimariesBt709 << 8 |
          (format.srgb ? kTransferSrgb : kTransferLinear) << 16,
      last_texel | last_texel << 8,
      format.block_bytes,
      0,  // no further planes
  };
  for (const Sample& sample : layout.samples) {
    const bool linear_alpha = format.srgb && sample.channel == kAlphaChannel;
    const std::uint32_t channel = sample.channel | (linear_alpha ? kLinearQualifier : 0);
    const std::uint32_t upper = sample.bits >= 32 ? ~0u : (1u << sample.bits) - 1;
    words.insert(words.end(),
                 {sample.bit_offset | (sample.bits - 1) << 16 | channel << 24, 0, 0, upper});
  }
  return words;
}

}  // namespace quarry::materials
