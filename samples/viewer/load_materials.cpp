// SPDX-License-Identifier: MIT
// Problems are told as they are met; one bad map leaves the rest.
#include "viewer/load_materials.hpp"

#include <cstdio>
#include <numeric>

#include <unistd.h>

#include "materials/prepared_material.hpp"
#include "viewer/interrupt.hpp"

namespace quarry::viewer {

namespace {

void note(LoadedMaterials& loaded, const std::string& problem) {
  (void)std::fprintf(stderr, "quarry-viewer: %s\n", problem.c_str());
  loaded.problems.push_back(problem);
}

MapSlot load_map(LoadedMaterials& loaded, const materials::PreparedMaterial& material,
                 materials::MapKind kind, Gpu& gpu, Memory& memory) {
  const materials::PreparedMap& map = material.map(kind);
  if (map.problem) {
    note(loaded, map.problem->to_string());
    return {MapSlot::kNoTexture, true};
  }
  if (!map.file) return {};
  auto file = materials::TextureFile::open(*map.file);
  if (!file) {
    note(loaded, file.error().to_string());
    return {MapSlot::kNoTexture, true};
  }
  auto source =
      make_texture_source(material.name + ' ' + materials::to_string(kind),
                          static_cast<MapRole>(kind), std::move(*file), gpu.facts().handle, memory);
  if (!source) {
    note(loaded, source.error());
    return {MapSlot::kNoTexture, true};
  }
  const auto& bytes = source->file.info().mip_bytes;
  loaded.bytes += std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  loaded.sources.push_back(std::move(*source));
  return {static_cast<std::uint32_t>(loaded.sources.size() - 1), false};
}

}  // namespace

Outcome<LoadedMaterials> load_materials(const Options& options, Gpu& gpu, Memory& memory) {
  auto set = materials::scan_materials(options.materials);
  if (!set) return failure(set.error().to_string());
  LoadedMaterials loaded;
  for (const materials::Problem& problem : set->problems)
    note(loaded, problem.to_string());
  materials::PrepareOptions prepare;
  prepare.cache_folder = options.cache.empty() ? materials::default_cache_folder() : options.cache;
  prepare.cancelled = interrupted;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  prepare.progress = [terminal](std::size_t done, std::size_t total, const std::string& what) {
    if (!terminal) return;
    (void)std::fprintf(stderr, "\rquarry-viewer: preparing %zu of %zu: %-40.40s", done, total,
                       what.c_str());
    if (done == total) (void)std::fputc('\n', stderr);
  };
  for (const materials::PreparedMaterial& material :
       materials::prepare_materials(set->materials, prepare)) {
    MaterialSlots slots;
    for (std::size_t i = 0; i < materials::kMapKinds; ++i) {
      slots[i] = load_map(loaded, material, static_cast<materials::MapKind>(i), gpu, memory);
    }
    loaded.names.push_back(material.name);
    loaded.slots.push_back(slots);
  }
  return loaded;
}

}  // namespace quarry::viewer
