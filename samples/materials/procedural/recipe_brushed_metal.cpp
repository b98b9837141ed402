// SPDX-License-Identifier: MIT
// Plates of brushed metal with bevelled joints and a few scratches; the brush turns from plate to
// plate.
#include <array>

#include "materials/procedural/metals.hpp"
#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_brushed_metal(Dice dice) {
  const std::array colors = {metals::kIron, metals::kBrass, metals::kAluminium, metals::kCopper,
                             metals::kTitanium};
  const Rgb color = dice.pick(colors);
  const float plates = static_cast<float>(2u << dice.below(2));
  const float base_roughness = dice.between(0.26f, 0.38f);
  const std::uint32_t across_seed = dice.seed();
  const std::uint32_t down_seed = dice.seed();
  const std::uint32_t smudge_seed = dice.seed();
  const std::uint32_t scratch_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field across = fractal_noise(tile.window, {{8, 512, across_seed}, 4, 0.9f});
    const Field down = fractal_noise(tile.window, {{512, 8, down_seed}, 4, 0.9f});
    const Field smudges = fractal_noise(tile.window, {{4, 4, smudge_seed}, 6, 0.6f});
    const Field scratches =
        fractal_noise(tile.window, {{16, 8, scratch_seed}, 3, 0.5f, Shape::ridged});
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const float plate_u = u * plates;
      const float plate_v = v * plates;
      const bool turned = static_cast<int>(whole_part(plate_u) + whole_part(plate_v)) % 2 != 0;
      const float streak = turned ? down[i] : across[i];
      const float edge = 0.5f - 0.5f * std::max(std::abs(2.0f * fraction(plate_u) - 1.0f),
                                                std::abs(2.0f * fraction(plate_v) - 1.0f));
      const float groove = smooth_step(0.008f, 0.002f, edge);
      const float bevel = smooth_step(0.0f, 0.014f, edge);
      const float scratch = smooth_step(1.66f, 1.72f, scratches[i]);
      tile.height[i] = 0.0012f * bevel + 0.000016f * streak - 0.00008f * scratch;
      const float wear = 1.0f + 0.05f * streak - 0.06f * smudges[i];
      tile.set_color(i, color * saturate(wear * 0.93f) * (1.0f - 0.8f * groove));
      tile.metalness[i] = 1.0f - 0.9f * groove;
      tile.roughness[i] = saturate(base_roughness + 0.06f * streak + 0.07f * smudges[i] +
                                   0.5f * groove + 0.15f * scratch);
      tile.occlusion[i] = 1.0f - 0.7f * groove;
    });
  };
}

}  // namespace quarry::materials
