// SPDX-License-Identifier: MIT
#include "viewer/placeholder.hpp"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

namespace quarry::viewer {
namespace {

std::size_t expected_bytes(VkFormat format, std::uint32_t size) {
  const std::size_t blocks = (size + 3) / 4;
  switch (format) {
    case VK_FORMAT_BC5_UNORM_BLOCK:
      return blocks * blocks * 16;
    case VK_FORMAT_R8G8B8A8_SRGB:
    case VK_FORMAT_R8G8B8A8_UNORM:
      return std::size_t{size} * size * 4;
    default:
      return blocks * blocks * 8;
  }
}

TEST(Placeholder, EveryFormatHasAFullMipChain) {
  for (const bool compressed : {true, false}) {
    for (const MapRole role : {MapRole::albedo, MapRole::normal, MapRole::surface}) {
      const VkFormat format = placeholder_format(role, compressed);
      for (const PlaceholderImage& image :
           {neutral_placeholder(format, {128, 128, 255, 255}), checker_placeholder(role, format)}) {
        std::uint32_t size = image.edge;
        for (const auto& level : image.levels) {
          EXPECT_EQ(level.size(), expected_bytes(format, size));
          size /= 2;
        }
        EXPECT_EQ(size, 0u) << "the chain ends at one texel";
      }
    }
  }
}

TEST(Placeholder, ANeutralOneHasOneColour) {
  const auto image = neutral_placeholder(VK_FORMAT_R8G8B8A8_UNORM, {1, 2, 3, 4});
  for (const auto& level : image.levels) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      EXPECT_EQ(std::to_integer<unsigned>(level[i]), i % 4 + 1);
    }
  }
}

TEST(Placeholder, TheCheckerHasTwoColoursUntilItsFieldsVanish) {
  const auto image = checker_placeholder(MapRole::albedo, VK_FORMAT_BC1_RGB_SRGB_BLOCK);
  const auto colours = [&](std::size_t level) {
    std::set<std::uint64_t> found;
    for (std::size_t i = 0; i < image.levels[level].size(); i += sizeof(std::uint64_t)) {
      std::uint64_t block = 0;
      std::memcpy(&block, image.levels[level].data() + i, sizeof block);
      found.insert(block);
    }
    return found.size();
  };
  EXPECT_EQ(colours(0), 2u);
  EXPECT_EQ(colours(2), 2u);
  EXPECT_EQ(colours(3), 1u);
}

}  // namespace
}  // namespace quarry::viewer
