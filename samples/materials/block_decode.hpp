// SPDX-License-Identifier: MIT
// Blocks back to RGBA8: for pictures of what was written, for tests, and for KTX2 maps that must be
// combined. BC7 is decoded for mode 6 alone (see bc7.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "materials/pixels.hpp"
#include "materials/texture_format.hpp"

namespace quarry::materials {

/// Absent channels are 0, absent alpha 255; BC4 fills R alone. Empty when the byte count does not
/// match the extent or a BC7 block is of another mode than 6.
std::optional<Image> decode_blocks(const FormatInfo& format, std::uint32_t width,
                                   std::uint32_t height, std::span<const std::byte> blocks);

}  // namespace quarry::materials
