// SPDX-License-Identifier: MIT
// A picture of a heap's blocks before and after: a row for each block, the fuller the brighter.
#pragma once

#include <string>

#include "bench/defragmenting/half_freed.hpp"

namespace quarry::bench {

/// As an SVG document; rows of blocks that are gone are left empty.
std::string block_map_svg(const BlockMap& before, const BlockMap& after);

}  // namespace quarry::bench
