// SPDX-License-Identifier: MIT
// RGBA8 pixels to the blocks of a format: BC1, BC3, BC4 and BC5 through stb_dxt, BC7 through our
// own mode 6 encoder, RGBA8 by copying. Blocks that reach over the edge repeat the last row and
// column.
#pragma once

#include <cstddef>
#include <cstdint>

#include "materials/pixels.hpp"
#include "materials/texture_format.hpp"

namespace quarry::materials {

enum class Effort : std::uint8_t { quick, thorough };

/// Compresses all of `pixels`. The first block goes to `blocks`, block rows are `row_bytes` apart:
/// a part of a larger texture is compressed in place when its origin stands on a block border.
void compress(PixelView pixels, const FormatInfo& format, Effort effort, std::byte* blocks,
              std::size_t row_bytes);

}  // namespace quarry::materials
