// SPDX-License-Identifier: MIT
// Painted steel that rusts: paint flakes off around rust that eats in from blotches and runs down.
#include <array>

#include "materials/procedural/metals.hpp"
#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_rusted_metal(Dice dice) {
  const std::array paints = {srgb(38, 92, 110), srgb(188, 142, 40), srgb(70, 96, 62),
                             srgb(158, 52, 40), srgb(196, 196, 188)};
  const Rgb paint = dice.pick(paints);
  const float spread = dice.between(-0.02f, 0.26f);
  const Rgb rust_dark = srgb(66, 30, 18);
  const Rgb rust_bright = srgb(176, 88, 38);
  const std::uint32_t blotch_seed = dice.seed();
  const std::uint32_t run_seed = dice.seed();
  const std::uint32_t crust_seed = dice.seed();
  const std::uint32_t peel_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field blotches = fractal_noise(tile.window, {{4, 4, blotch_seed}, 8, 0.58f});
    const Field runs = fractal_noise(tile.window, {{64, 4, run_seed}, 4, 0.6f});
    const Field crust = fractal_noise(tile.window, {{64, 64, crust_seed}, 7, 0.68f});
    const Field peel = fractal_noise(tile.window, {{256, 256, peel_seed}, 4, 0.7f});
    for (std::size_t i = 0; i < tile.height.size(); ++i) {
      const float attack = blotches[i] + 0.22f * runs[i] + 0.12f * crust[i];
      const float rust = smooth_step(spread, spread + 0.16f, attack);
      const float bare = smooth_step(spread - 0.07f, spread - 0.03f, attack) * (1.0f - rust);
      const float stained = smooth_step(spread - 0.45f, spread - 0.04f, attack + 0.35f * runs[i]);
      const float whole = (1.0f - rust) * (1.0f - bare);

      const Rgb rusty =
          mix(rust_dark, rust_bright, saturate(0.42f + 0.55f * crust[i] + 0.3f * peel[i]));
      const Rgb painted = mix(paint * (1.0f + 0.06f * peel[i] + 0.08f * blotches[i]),
                              rust_bright * 0.6f, 0.45f * stained);
      tile.set_color(i, rusty * rust + metals::kIron * (0.6f * bare) + painted * whole);
      tile.height[i] = 0.0007f * whole + 0.00004f * whole * peel[i] +
                       rust * (0.0012f * crust[i] + 0.0002f * peel[i] + 0.0004f);
      tile.metalness[i] = bare;
      tile.roughness[i] = saturate(0.92f * rust + 0.42f * bare +
                                   whole * (0.36f + 0.2f * stained + 0.03f * peel[i]));
      tile.occlusion[i] = saturate(1.0f - rust * (0.22f - 0.25f * crust[i]));
    }
  };
}

}  // namespace quarry::materials
