// SPDX-License-Identifier: MIT
// The basic data format descriptor that a KTX2 file carries: the texel layout told in terms that
// need no knowledge of Vulkan. Layout: Khronos Data Format Specification 1.3, "The Khronos Basic
// Data Format Descriptor Block".
#pragma once

#include <cstdint>
#include <vector>

#include "materials/texture_format.hpp"

namespace quarry::materials {

/// The words of the descriptor, the leading total size included.
std::vector<std::uint32_t> data_format_descriptor(const FormatInfo& format);

}  // namespace quarry::materials
