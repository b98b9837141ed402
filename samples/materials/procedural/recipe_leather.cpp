// SPDX-License-Identifier: MIT
// Grained leather: rounded cells between creases, larger folds, pores.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_leather(Dice dice) {
  const std::array colors = {srgb(112, 62, 34), srgb(38, 34, 34), srgb(142, 40, 36),
                             srgb(172, 122, 76), srgb(42, 58, 70)};
  const Rgb color = dice.pick(colors);
  const std::uint32_t cells_across = 64u << dice.below(2);
  const float gloss = dice.between(0.36f, 0.52f);
  const std::uint32_t cell_seed = dice.seed();
  const std::uint32_t fold_seed = dice.seed();
  const std::uint32_t tone_seed = dice.seed();
  const std::uint32_t pore_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Cells cells = cellular_noise(tile.window, {cells_across, cells_across, cell_seed}, 0.9f);
    const Field folds = fractal_noise(tile.window, {{8, 8, fold_seed}, 3, 0.5f, Shape::ridged});
    const Field tone = fractal_noise(tile.window, {{4, 4, tone_seed}, 5, 0.55f});
    const Field pores = fractal_noise(tile.window, {{512, 512, pore_seed}, 3, 0.8f});
    const float unit = 1.0f / static_cast<float>(cells_across);
    for (std::size_t i = 0; i < tile.height.size(); ++i) {
      const float border = cells.border[i] + 0.06f * pores[i];
      const float crease = smooth_step(0.22f, 0.02f, border);
      const float dome = smooth_step(0.0f, 0.75f, border);
      const float fold = smooth_step(0.9f, 1.6f, folds[i]);
      const float pore = smooth_step(0.55f, 0.95f, pores[i]);
      tile.height[i] =
          unit * (0.09f * dome + 0.02f * cells.id[i] - 0.02f * pore + 0.006f * pores[i]) -
          0.0016f * fold;
      const float shade = (0.78f + 0.16f * cells.id[i] + 0.22f * tone[i] + 0.05f * pores[i]) *
                          (1.0f - 0.5f * crease) * (1.0f - 0.25f * fold);
      tile.set_color(i, color * std::max(0.05f, shade));
      tile.roughness[i] = saturate(gloss + 0.25f * crease - 0.07f * dome + 0.08f * tone[i]);
      tile.occlusion[i] = saturate(1.0f - 0.45f * crease - 0.2f * fold);
    }
  };
}

}  // namespace quarry::materials
