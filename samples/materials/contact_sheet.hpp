// SPDX-License-Identifier: MIT
// A picture of materials for people: a row for each, decoded from the compressed blocks in its
// files.
#pragma once

#include <vector>

#include "materials/pixels.hpp"
#include "materials/prepared_material.hpp"

namespace quarry::materials {

/// Five squares a row: the whole material lit from the upper left, a corner of its mip of 2048
/// texels lit, a corner of mip 0 lit, the albedo and normal maps. A map that is missing or bad
/// appears as its neutral texel.
Image contact_sheet(const std::vector<PreparedMaterial>& materials);

}  // namespace quarry::materials
