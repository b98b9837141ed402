// SPDX-License-Identifier: MIT
// One map's image files to one compressed chain of mips: albedo to BC1 (BC3 where alpha is used),
// normals to BC5, occlusion, roughness and metalness packed into one BC1.
#pragma once

#include <cstdint>
#include <vector>

#include "materials/material_set.hpp"
#include "materials/problem.hpp"
#include "materials/texture_chain.hpp"

namespace quarry::materials {

/// Changes whenever the same files would give another result.
inline constexpr int kConversionVersion = 1;

/// The files that a map is made of, in a fixed order.
std::vector<std::filesystem::path> source_files(const MapSource& source);

/// Upper bound of the memory that convert_map() needs, from the files' headers. Fails as it would
/// fail.
Result<std::uint64_t> conversion_bytes(const MapSource& source);

/// `source` must not be empty.
Result<TextureChain> convert_map(MapKind kind, const MapSource& source, unsigned threads);

}  // namespace quarry::materials
