// SPDX-License-Identifier: MIT
// Broken rock: broad shapes, layered ridges, cracks and mineral grain.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_stone(Dice dice) {
  struct Palette {
    Rgb dark;
    Rgb light;
    Rgb stain;
  };
  const std::array palettes = {
      Palette{srgb(74, 72, 70), srgb(158, 153, 146), srgb(120, 104, 78)},     // granite
      Palette{srgb(128, 92, 62), srgb(206, 172, 130), srgb(150, 84, 52)},     // sandstone
      Palette{srgb(44, 50, 58), srgb(108, 118, 126), srgb(88, 84, 74)},       // slate
      Palette{srgb(104, 58, 46), srgb(176, 112, 88), srgb(84, 50, 46)},       // red rock
      Palette{srgb(150, 144, 128), srgb(222, 216, 200), srgb(160, 138, 98)},  // limestone
  };
  const Palette palette = dice.pick(palettes);
  const std::uint32_t broad_seed = dice.seed();
  const std::uint32_t ridge_seed = dice.seed();
  const std::uint32_t crack_seed = dice.seed();
  const std::uint32_t grain_seed = dice.seed();
  const std::uint32_t layers = 1u << dice.below(3);  // squeezes the ridges into strata

  return [=](SurfaceTile& tile) {
    const Field broad = fractal_noise(tile.window, {{4, 4 * layers, broad_seed}, 5});
    const Field ridges =
        fractal_noise(tile.window, {{8, 8 * layers, ridge_seed}, 6, 0.55f, Shape::ridged});
    const Field cracks = fractal_noise(tile.window, {{4, 4, crack_seed}, 4, 0.45f, Shape::ridged});
    const Field grain = fractal_noise(tile.window, {{256, 256, grain_seed}, 5, 0.7f});
    for (std::size_t i = 0; i < tile.height.size(); ++i) {
      const float crack = smooth_step(1.25f, 1.6f, cracks[i]);
      tile.height[i] =
          0.013f * broad[i] + 0.0045f * ridges[i] + 0.0006f * grain[i] - 0.006f * crack;
      const float tone = saturate(0.5f + 0.28f * broad[i] + 0.16f * ridges[i] + 0.13f * grain[i]);
      const float stain = smooth_step(0.3f, 1.3f, broad[i] - 0.5f * ridges[i]);
      const Rgb rock = mix(mix(palette.dark, palette.light, tone), palette.stain, 0.55f * stain);
      tile.set_color(i, rock * (1.0f - 0.65f * crack));
      tile.occlusion[i] = saturate(0.92f + 0.16f * ridges[i] - 0.55f * crack);
      tile.roughness[i] = saturate(0.8f - 0.06f * grain[i] + 0.1f * crack);
    }
  };
}

}  // namespace quarry::materials
