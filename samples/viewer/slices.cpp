// SPDX-License-Identifier: MIT
// Vulkan specification, "Copying Data Between Buffers and Images": an offset is a multiple of the
// queue's granularity; an extent too, or it reaches the mip's border.
#include "viewer/slices.hpp"

#include <algorithm>
#include <numeric>

namespace quarry::viewer {

std::optional<std::vector<Slice>> cut_into_slices(const ImageShape& shape, std::uint32_t finest,
                                                  std::uint32_t last, const SliceRules& rules) {
  std::vector<Slice> slices;
  for (std::uint32_t level = last + 1; level-- > finest;) {
    const std::uint32_t width = std::max(shape.width >> level, 1u);
    const std::uint32_t height = std::max(shape.height >> level, 1u);
    const std::uint32_t rows = (height + shape.block_edge - 1) / shape.block_edge;
    const std::uint64_t row_bytes =
        std::uint64_t{(width + shape.block_edge - 1) / shape.block_edge} * shape.block_bytes;
    std::uint64_t step = std::min<std::uint64_t>(rules.largest / row_bytes, rows);
    if (step < rows) {
      if (rules.granularity.height == 0) return std::nullopt;
      step -= step % rules.granularity.height;
    }
    if (step == 0) return std::nullopt;
    for (std::uint32_t row = 0; row < rows; row += static_cast<std::uint32_t>(step)) {
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(step, rows - row));
      const std::uint32_t y = row * shape.block_edge;
      slices.push_back({level, row * row_bytes, count * row_bytes, y, width,
                        std::min(count * shape.block_edge, height - y)});
    }
  }
  return slices;
}

std::uint64_t slice_alignment(const ImageShape& shape) {
  return std::lcm<std::uint64_t>(shape.block_bytes, 4);
}

}  // namespace quarry::viewer
