// SPDX-License-Identifier: MIT
// Finds materials in a folder: one sub-folder, or one file-name prefix, is one material, and
// file-name endings tell its maps apart, as downloads from ambientCG and Poly Haven name them.
// Looks at names alone and opens no file; see prepared_material.hpp for what comes next.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "materials/problem.hpp"

namespace quarry::materials {

/// The three textures that a material is drawn with.
enum class MapKind : std::uint8_t {
  albedo,   ///< base colour, sRGB; alpha where the source has it
  normal,   ///< tangent-space normal, +Y up (OpenGL): R = X, G = Y; Z is reconstructed by whoever
            ///< samples it
  surface,  ///< R = ambient occlusion, G = roughness, B = metalness, linear
};
inline constexpr std::size_t kMapKinds = 3;

const char* to_string(MapKind kind);

/// What one file holds, as its name says.
enum class FileRole : std::uint8_t {
  albedo,
  normal,          ///< +Y up, or not said
  normal_flipped,  ///< +Y down (DirectX): green is inverted on conversion
  roughness,
  metalness,
  occlusion,
  surface,  ///< R = occlusion, G = roughness, B = metalness in one file
  ignored,  ///< displacement, opacity, a preview, ...
};

/// What a file name says: the role and the material's name in front of it.
struct NameParts {
  std::string material;  ///< the name without map, resolution and file endings; may be empty inside
                         ///< a folder
  FileRole role = FileRole::ignored;
};

/// Empty when no word of the name is known as a map. `file_name` is without folders, with its
/// ending.
std::optional<NameParts> parse_file_name(std::string_view file_name);

/// The files that one map is made of. All empty: the material has no such map, the neutral texel
/// stands in.
struct MapSource {
  std::filesystem::path main;       ///< albedo, normal or packed surface file
  bool flip_green = false;          ///< `main` is a normal map with +Y down
  std::filesystem::path occlusion;  ///< single maps of a surface without a packed file
  std::filesystem::path roughness;
  std::filesystem::path metalness;

  bool empty() const {
    return main.empty() && occlusion.empty() && roughness.empty() && metalness.empty();
  }
};

struct Material {
  std::string name;
  std::array<MapSource, kMapKinds> maps;  ///< by MapKind

  const MapSource& map(MapKind kind) const { return maps[static_cast<std::size_t>(kind)]; }
};

struct MaterialSet {
  std::vector<Material> materials;  ///< by name, each with at least one map
  std::vector<Problem> problems;    ///< files and folders that were passed over, and why
};

/// Fails when the folder cannot be read or holds no material at all.
Result<MaterialSet> scan_materials(const std::filesystem::path& folder);

/// The RGBA8 texel that stands in for a map that a material does not have.
std::array<std::uint8_t, 4> neutral_texel(MapKind kind);

}  // namespace quarry::materials
