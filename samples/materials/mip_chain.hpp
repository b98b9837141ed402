// SPDX-License-Identifier: MIT
// One step down a mip chain: a box filter that averages colour in linear light, keeps normals at
// unit length and weighs the three texels under a texel rightly where an extent is odd. O(pixels
// read).
#pragma once

#include <cstdint>

#include "materials/pixels.hpp"

namespace quarry::materials {

/// Computes rows [first_row, end_row) of `smaller`, whose extents must be those of the next level
/// below `larger`. Different rows may be computed by different threads.
void downsample_rows(PixelView larger, MutablePixelView smaller, Meaning meaning,
                     std::uint32_t first_row, std::uint32_t end_row);

/// The whole of `smaller`.
inline void downsample(PixelView larger, MutablePixelView smaller, Meaning meaning) {
  downsample_rows(larger, smaller, meaning, 0, smaller.height);
}

}  // namespace quarry::materials
