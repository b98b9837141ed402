// SPDX-License-Identifier: MIT
// Wind-blown sand: ripples bent by noise, single grains, a few pebbles.
#include <array>
#include <memory>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"
#include "materials/procedural/sampled_noise.hpp"

namespace quarry::materials {

Shader make_sand(Dice dice) {
  struct Palette {
    Rgb crest;
    Rgb trough;
  };
  const std::array palettes = {
      Palette{srgb(222, 190, 142), srgb(186, 148, 102)},  // desert
      Palette{srgb(206, 122, 78), srgb(160, 84, 54)},     // red
      Palette{srgb(92, 90, 92), srgb(58, 56, 60)},        // volcanic
      Palette{srgb(236, 230, 216), srgb(206, 196, 178)},  // coral
      Palette{srgb(178, 164, 120), srgb(138, 122, 84)},   // olive
  };
  const Palette palette = dice.pick(palettes);
  const float ripples = static_cast<float>(14 + 4 * dice.below(5));
  const auto bend = std::make_shared<SampledNoise>(Octaves{{2, 2, dice.seed()}, 4, 0.4f});
  const std::uint32_t dune_seed = dice.seed();
  const std::uint32_t grain_seed = dice.seed();
  const std::uint32_t pebble_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field dunes = fractal_noise(tile.window, {{2, 2, dune_seed}, 4, 0.45f});
    const Field grains = fractal_noise(tile.window, {{1024, 1024, grain_seed}, 3, 1.0f});
    const Cells pebbles = cellular_noise(tile.window, {64, 64, pebble_seed}, 0.9f);
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const float bent = bend->at(u, v);
      const float phase = fraction(v * ripples + 1.3f * bent + 0.2f * dunes[i]);
      // The windward side rises slowly, the lee side falls quickly.
      const float slope = phase < 0.7f ? phase / 0.7f : (1.0f - phase) / 0.3f;
      const float crest = slope * slope * (3.0f - 2.0f * slope);
      const float strength = smooth_step(-0.7f, 0.5f, dunes[i]);
      const float size = 0.06f + 0.16f * smooth_step(0.85f, 1.0f, pebbles.id[i]);
      const float here = smooth_step(0.8f, 0.9f, pebbles.id[i]);
      const float pebble = here * smooth_step(size, 0.55f * size, pebbles.nearest[i]);

      tile.height[i] = 0.0075f / ripples * 4.0f * crest * strength + 0.01f * dunes[i] +
                       0.00012f * grains[i] + 0.0022f * pebble * size * 4.0f;
      const float tone =
          saturate(0.25f + 0.6f * crest * strength + 0.3f * grains[i] + 0.15f * dunes[i]);
      const Rgb sand = mix(palette.trough, palette.crest, tone) * (1.0f + 0.1f * grains[i]);
      const Rgb stone = mix(palette.trough, palette.crest, pebbles.id[i] * 7.0f - 6.0f) *
                        (0.55f + 0.05f * grains[i]);
      tile.set_color(i, mix(sand, stone, pebble));
      tile.roughness[i] = saturate(0.93f + 0.05f * grains[i] - 0.25f * pebble);
      const float around =
          here * smooth_step(2.0f * size, size, pebbles.nearest[i]) * (1.0f - pebble);
      tile.occlusion[i] = saturate(0.8f + 0.2f * crest - 0.35f * around);
    });
  };
}

}  // namespace quarry::materials
