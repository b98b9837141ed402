// SPDX-License-Identifier: MIT
// Names, marks and sizes of a set's files.
#include "materials/procedural/set_writer.hpp"

#include <system_error>

#include "materials/ktx2.hpp"
#include "materials/procedural/recipe.hpp"

namespace quarry::materials {
namespace {

constexpr const char* kRecipeKey = "quarryRecipe";

std::string description(const ProceduralMaterial& material) {
  return std::string(recipes()[material.recipe].name) + " seed " + std::to_string(material.seed) +
         " variant " + std::to_string(material.variant) + " generator " +
         std::to_string(kGeneratorVersion);
}

}  // namespace

std::array<std::filesystem::path, kMapKinds> material_files(const std::filesystem::path& folder,
                                                            const ProceduralMaterial& material) {
  const std::filesystem::path own = folder / material.name;
  return {own / "albedo.ktx2", own / "normal.ktx2", own / "arm.ktx2"};
}

bool is_written(const std::filesystem::path& folder, const ProceduralMaterial& material,
                const RenderOptions& options) {
  const auto files = material_files(folder, material);
  for (std::size_t kind = 0; kind < kMapKinds; ++kind) {
    std::error_code error;
    if (!std::filesystem::exists(files[kind], error)) return false;
    auto texture = TextureFile::open(files[kind]);
    if (!texture || texture->metadata(kRecipeKey) != description(material)) return false;
    const TextureInfo& info = texture->info();
    if (info.format != procedural_format(static_cast<MapKind>(kind), options.bc7) ||
        info.width != options.size || info.height != options.size ||
        info.mips != full_mip_count(options.size, options.size))
      return false;
  }
  return true;
}

std::uint64_t material_bytes(const RenderOptions& options) {
  std::uint64_t bytes = 0;
  for (std::size_t kind = 0; kind < kMapKinds; ++kind) {
    const FormatInfo& format =
        *find_format(procedural_format(static_cast<MapKind>(kind), options.bc7));
    for (std::uint32_t level = 0; level < full_mip_count(options.size, options.size); ++level)
      bytes +=
          image_bytes(format, mip_extent(options.size, level), mip_extent(options.size, level));
  }
  return bytes;
}

Status write_material(const std::filesystem::path& folder, const ProceduralMaterial& material,
                      const std::vector<TextureChain>& maps) {
  const auto files = material_files(folder, material);
  std::error_code error;
  std::filesystem::create_directories(folder / material.name, error);
  if (error)
    return Unexpected(Problem{folder / material.name, "cannot be made: " + error.message()});
  Status status;
  for (std::size_t kind = 0; kind < kMapKinds && status; ++kind)
    status = maps[kind].write(files[kind], {{kRecipeKey, description(material)}});
  return status;
}

}  // namespace quarry::materials
