// SPDX-License-Identifier: MIT
// Forest floor: cushions of moss over soil and small stones.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_moss(Dice dice) {
  struct Palette {
    Rgb deep;
    Rgb fresh;
    Rgb soil;
  };
  const std::array palettes = {
      Palette{srgb(40, 62, 20), srgb(132, 152, 54), srgb(74, 54, 38)},
      Palette{srgb(56, 58, 24), srgb(168, 158, 76), srgb(92, 74, 56)},
      Palette{srgb(28, 54, 38), srgb(92, 140, 92), srgb(54, 44, 40)},
      Palette{srgb(84, 42, 28), srgb(178, 104, 56), srgb(70, 58, 44)},
  };
  const Palette palette = dice.pick(palettes);
  const float cover = dice.between(-0.2f, 0.12f);
  const std::uint32_t cushion_seed = dice.seed();
  const std::uint32_t cover_seed = dice.seed();
  const std::uint32_t leaf_seed = dice.seed();
  const std::uint32_t soil_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Cells cushions = cellular_noise(tile.window, {16, 16, cushion_seed}, 1.0f);
    const Cells leaves = cellular_noise(tile.window, {512, 512, leaf_seed}, 1.0f);
    const Field spread = fractal_noise(tile.window, {{4, 4, cover_seed}, 8, 0.6f});
    const Field soil = fractal_noise(tile.window, {{64, 64, soil_seed}, 6, 0.75f});
    for (std::size_t i = 0; i < tile.height.size(); ++i) {
      const float dome = std::max(0.0f, 1.0f - cushions.nearest[i] * cushions.nearest[i]);
      const float moss = smooth_step(cover - 0.05f, cover + 0.12f,
                                     spread[i] + 0.25f * (dome - 0.6f) + 0.06f * soil[i]);
      const float tip = std::max(0.0f, 1.0f - 1.4f * leaves.nearest[i]);
      const float fresh = saturate(0.1f + 0.45f * tip + 0.3f * dome + 0.2f * leaves.id[i] +
                                   0.25f * spread[i] - 0.2f);
      const Rgb green = mix(palette.deep, palette.fresh, fresh) * (0.6f + 0.5f * tip);
      const Rgb earth = palette.soil * std::max(0.12f, 0.75f + 0.4f * soil[i]);
      tile.set_color(i, mix(earth, green, moss));
      tile.height[i] = 0.008f * spread[i] + moss * (0.008f * dome + 0.0007f * tip + 0.002f) +
                       (1.0f - moss) * 0.0018f * soil[i];
      tile.roughness[i] = saturate(mix(0.9f - 0.08f * soil[i], 0.82f + 0.1f * (1.0f - tip), moss));
      tile.occlusion[i] =
          saturate(mix(0.85f + 0.15f * soil[i], 0.5f + 0.35f * tip + 0.2f * dome, moss));
    }
  };
}

}  // namespace quarry::materials
