// SPDX-License-Identifier: MIT
// Cobbles worn round, with earth and moss between them.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_cobblestone(Dice dice) {
  struct Palette {
    Rgb dark;
    Rgb light;
    Rgb joint;
  };
  const std::array palettes = {
      Palette{srgb(88, 88, 90), srgb(152, 148, 142), srgb(74, 84, 44)},
      Palette{srgb(112, 92, 74), srgb(184, 160, 128), srgb(88, 72, 52)},
      Palette{srgb(58, 62, 72), srgb(112, 118, 128), srgb(120, 112, 96)},
      Palette{srgb(124, 78, 62), srgb(178, 130, 106), srgb(66, 74, 44)},
      Palette{srgb(150, 146, 136), srgb(208, 204, 190), srgb(96, 104, 60)},
  };
  const Palette palette = dice.pick(palettes);
  const std::uint32_t across = 8u << dice.below(2);
  const float regular = dice.between(0.55f, 0.85f);
  const std::uint32_t stone_seed = dice.seed();
  const std::uint32_t wear_seed = dice.seed();
  const std::uint32_t grain_seed = dice.seed();
  const std::uint32_t moss_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Cells stones = cellular_noise(tile.window, {across, across, stone_seed}, regular);
    const Field wear = fractal_noise(tile.window, {{32, 32, wear_seed}, 6, 0.6f});
    const Field grain = fractal_noise(tile.window, {{512, 512, grain_seed}, 4, 0.85f});
    const Field moss = fractal_noise(tile.window, {{8, 8, moss_seed}, 8, 0.7f});
    const float unit = 1.0f / static_cast<float>(across);
    for (std::size_t i = 0; i < tile.height.size(); ++i) {
      const float border = stones.border[i] + 0.035f * wear[i];
      const float stone = smooth_step(0.09f, 0.15f, border);
      const float t = saturate((border - 0.08f) / 0.5f);
      const float dome = std::sqrt(t * (2.0f - t));
      const float green = smooth_step(0.05f, 0.45f, moss[i]) * smooth_step(0.34f, 0.1f, border);

      const float tone = saturate(0.1f + 0.75f * stones.id[i] + 0.2f * wear[i] + 0.14f * grain[i]);
      const Rgb rock = mix(palette.dark, palette.light, tone);
      const Rgb earth = palette.joint * saturate(0.65f + 0.3f * moss[i] + 0.15f * grain[i]);
      tile.set_color(i, mix(mix(earth, rock, stone), earth, 0.85f * green));
      tile.height[i] =
          unit * (0.2f * dome + 0.04f * (stones.id[i] - 0.5f) * stone + 0.012f * wear[i] * stone) +
          0.0001f * grain[i] + (1.0f - stone) * 0.0008f * moss[i] +
          0.0006f * green * (1.0f + moss[i]);
      tile.roughness[i] =
          saturate(mix(0.95f, 0.62f - 0.08f * wear[i] + 0.05f * grain[i], stone * (1.0f - green)));
      tile.occlusion[i] = saturate(0.4f + 0.6f * smooth_step(0.0f, 0.32f, border));
    }
  };
}

}  // namespace quarry::materials
