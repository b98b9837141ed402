// SPDX-License-Identifier: MIT
// From a folder to textures that can be streamed: scans, converts image files where needed, opens.
#pragma once

#include <string>
#include <vector>

#include "viewer/material_bindings.hpp"
#include "viewer/options.hpp"
#include "viewer/texture_image.hpp"

namespace quarry::viewer {

struct LoadedMaterials {
  std::vector<std::string> names;
  std::vector<MaterialSlots> slots;  ///< numbers into `sources`
  std::vector<TextureSource> sources;
  std::vector<std::string> problems;  ///< what cannot be shown, and why
  std::uint64_t bytes = 0;            ///< of all textures with all mips
};

/// Fails when there is nothing to show at all.
Outcome<LoadedMaterials> load_materials(const Options& options, Gpu& gpu, Memory& memory);

}  // namespace quarry::viewer
