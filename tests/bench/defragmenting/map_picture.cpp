// SPDX-License-Identifier: MIT
#include "bench/defragmenting/map_picture.hpp"

#include <algorithm>
#include <cstdio>

namespace quarry::bench {

namespace {

constexpr int kRow = 6;
constexpr int kGap = 2;
constexpr int kPart = 2;
constexpr int kTop = 24;
constexpr int kWidth = static_cast<int>(BlockMap::kParts) * kPart;
constexpr int kBetween = 24;

/// Sixteen steps from the background to a full block's colour.
std::string colour_of(int step) {
  constexpr int kFrom[] = {0x22, 0x26, 0x2c};
  constexpr int kTo[] = {0x5a, 0xb4, 0xe6};
  char text[8];
  (void)std::snprintf(text, sizeof text, "#%02x%02x%02x",
                      static_cast<unsigned>(kFrom[0] + (kTo[0] - kFrom[0]) * step / 15),
                      static_cast<unsigned>(kFrom[1] + (kTo[1] - kFrom[1]) * step / 15),
                      static_cast<unsigned>(kFrom[2] + (kTo[2] - kFrom[2]) * step / 15));
  return text;
}

std::string rectangle(int x, int y, int width, int height, const std::string& colour) {
  return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
         std::to_string(width) + "\" height=\"" + std::to_string(height) + "\" fill=\"" + colour +
         "\"/>\n";
}

std::string caption(int x, const std::string& text) {
  return "<text x=\"" + std::to_string(x) +
         "\" y=\"16\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#d8dde3\">" + text +
         "</text>\n";
}

void draw(std::string& svg, const BlockMap& map, int left) {
  int y = kTop;
  for (const std::vector<std::uint8_t>& row : map.blocks) {
    // Neighbours of one colour are one rectangle.
    for (std::size_t begin = 0; begin < row.size();) {
      const int step = row[begin] / 16;
      std::size_t end = begin;
      while (end < row.size() && row[end] / 16 == step)
        ++end;
      svg += rectangle(left + static_cast<int>(begin) * kPart, y,
                       static_cast<int>(end - begin) * kPart, kRow, colour_of(step));
      begin = end;
    }
    y += kRow + kGap;
  }
}

}  // namespace

std::string block_map_svg(const BlockMap& before, const BlockMap& after) {
  const auto rows = static_cast<int>(std::max(before.blocks.size(), after.blocks.size()));
  const int width = 2 * kWidth + 3 * kBetween;
  const int height = kTop + rows * (kRow + kGap) + kBetween / 2;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) +
                    "\" height=\"" + std::to_string(height) + "\">\n";
  svg += rectangle(0, 0, width, height, "#14171b");
  svg += caption(kBetween, "before: " + std::to_string(before.blocks.size()) + " blocks");
  svg +=
      caption(2 * kBetween + kWidth, "after: " + std::to_string(after.blocks.size()) + " blocks");
  draw(svg, before, kBetween);
  draw(svg, after, 2 * kBetween + kWidth);
  return svg + "</svg>\n";
}

}  // namespace quarry::bench
