// SPDX-License-Identifier: MIT
// Renders procedural materials tile by tile: shading, normals from heights, mips and block
// compression happen while a tile is in the processor's cache, so that no uncompressed texture ever
// exists as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "materials/material_set.hpp"
#include "materials/problem.hpp"
#include "materials/texture_chain.hpp"

namespace quarry::materials {

/// Changes whenever the same description would give other pixels.
inline constexpr int kGeneratorVersion = 1;

struct ProceduralMaterial {
  std::string name;
  std::size_t recipe = 0;  ///< index into recipes()
  std::uint32_t seed = 0;
  std::uint32_t variant = 0;  ///< how often the recipe was used before in the set
};

/// The first `count` materials of a seed: every recipe in turn, then again with other colours and
/// proportions.
std::vector<ProceduralMaterial> procedural_materials(std::size_t count, std::uint32_t seed);

struct RenderOptions {
  std::uint32_t size = 8192;  ///< a power of two from 64 to kLargestExtent
  bool bc7 = false;           ///< albedo and surface as BC7, else BC1
  unsigned threads = 0;       ///< 0: one for each core
  /// Called by one thread at a time with the share that is done, 0 to 1.
  std::function<void(double done)> progress;
};

/// The format in which a map is written.
VkFormat procedural_format(MapKind kind, bool bc7);

/// The three maps by MapKind. Same description and size, same bytes, whatever the number of
/// threads.
std::vector<TextureChain> render_material(const ProceduralMaterial& material,
                                          const RenderOptions& options);

}  // namespace quarry::materials
