// SPDX-License-Identifier: MIT
// Hammered metal with patina in the hollows, polished on the ridges.
#include <array>

#include "materials/procedural/metals.hpp"
#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_hammered_metal(Dice dice) {
  struct Palette {
    Rgb metal;
    Rgb patina;
  };
  const std::array palettes = {
      Palette{metals::kCopper, srgb(74, 142, 122)}, Palette{metals::kGold, srgb(86, 62, 30)},
      Palette{metals::kBronze, srgb(66, 92, 72)},   Palette{metals::kIron, srgb(48, 42, 40)},
      Palette{metals::kBrass, srgb(78, 70, 42)},
  };
  const Palette palette = dice.pick(palettes);
  const std::uint32_t dents_across = 32u << dice.below(2);
  const float patina_level = dice.between(-0.1f, 0.55f);
  const float polish = dice.between(0.16f, 0.3f);
  const std::uint32_t dent_seed = dice.seed();
  const std::uint32_t patina_seed = dice.seed();
  const std::uint32_t scratch_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Cells dents = cellular_noise(tile.window, {dents_across, dents_across, dent_seed}, 0.85f);
    const Field blotches = fractal_noise(tile.window, {{8, 8, patina_seed}, 7, 0.62f});
    const Field scratches = fractal_noise(tile.window, {{256, 128, scratch_seed}, 5, 0.85f});
    const float unit = 1.0f / static_cast<float>(dents_across);
    for (std::size_t i = 0; i < tile.height.size(); ++i) {
      const float bowl = std::min(1.0f, dents.nearest[i] * dents.nearest[i] * 1.6f);
      const float hollow = 1.0f - bowl;
      const float patina = smooth_step(patina_level + 0.25f, patina_level + 0.6f,
                                       blotches[i] + 0.5f * hollow - 0.25f + 0.12f * scratches[i]);
      tile.height[i] = unit * 0.11f * bowl + 0.00001f * scratches[i] +
                       patina * (0.00006f * scratches[i] + 0.0001f * blotches[i]);
      const Rgb shiny =
          palette.metal * saturate(0.93f + 0.05f * scratches[i] + 0.05f * blotches[i]);
      const Rgb dull = palette.patina * saturate(0.8f + 0.18f * scratches[i] + 0.25f * blotches[i]);
      tile.set_color(i, mix(shiny, dull, patina));
      tile.metalness[i] = 1.0f - patina;
      tile.roughness[i] =
          saturate(mix(polish + 0.05f * scratches[i] + 0.08f * hollow, 0.82f, patina));
      tile.occlusion[i] = saturate(1.0f - 0.18f * hollow - 0.1f * patina);
    }
  };
}

}  // namespace quarry::materials
