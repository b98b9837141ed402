// SPDX-License-Identifier: MIT
// Procedural materials on disk: one folder a material with albedo.ktx2, normal.ktx2 and arm.ktx2,
// each file marked with the description that made it.
#pragma once

#include <array>
#include <filesystem>

#include "materials/problem.hpp"
#include "materials/procedural/generator.hpp"

namespace quarry::materials {

/// The file of each map below the folder of a set, by MapKind.
std::array<std::filesystem::path, kMapKinds> material_files(const std::filesystem::path& folder,
                                                            const ProceduralMaterial& material);

/// Whether all three files are there, whole, and made from the same description, size and formats.
bool is_written(const std::filesystem::path& folder, const ProceduralMaterial& material,
                const RenderOptions& options);

/// Bytes of the three files' textures.
std::uint64_t material_bytes(const RenderOptions& options);

/// Writes what render_material() made; makes the material's folder. What was written before an
/// error stays, each file whole.
Status write_material(const std::filesystem::path& folder, const ProceduralMaterial& material,
                      const std::vector<TextureChain>& maps);

}  // namespace quarry::materials
