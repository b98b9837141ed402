// SPDX-License-Identifier: MIT
// From a material's files to textures that can be uploaded as they stand: KTX2 files are checked
// and used in place, image files are converted once (mips, block compression) into a cache folder
// and found there the next time. The cache key is made of path, size, modification time and encoder
// version.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "materials/material_set.hpp"
#include "materials/problem.hpp"

namespace quarry::materials {

/// Exactly one of three: a file; a problem (draw the visible placeholder); neither (use
/// neutral_texel()).
struct PreparedMap {
  std::optional<std::filesystem::path> file;  ///< a KTX2 file that has been opened and checked
  std::optional<Problem> problem;
};

struct PreparedMaterial {
  std::string name;
  std::array<PreparedMap, kMapKinds> maps;  ///< by MapKind

  const PreparedMap& map(MapKind kind) const { return maps[static_cast<std::size_t>(kind)]; }
};

struct PrepareOptions {
  std::filesystem::path
      cache_folder;      ///< made when missing; default_cache_folder() is the usual one
  unsigned threads = 0;  ///< 0: one for each core
  /// Called from worker threads, one call at a time, after each map: maps done, maps in all, what
  /// was done.
  std::function<void(std::size_t done, std::size_t total, const std::string& what)> progress;
  /// Asked between maps; true ends the work early: what is left gets a problem that says so.
  std::function<bool()> cancelled;
};

/// Prepares every map of every material; the answer has the same order. Blocks until done.
std::vector<PreparedMaterial> prepare_materials(const std::vector<Material>& materials,
                                                const PrepareOptions& options);

/// $XDG_CACHE_HOME/quarry/materials, or ~/.cache/quarry/materials, or a folder below the temporary
/// one.
std::filesystem::path default_cache_folder();

}  // namespace quarry::materials
