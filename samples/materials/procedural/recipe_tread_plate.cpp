// SPDX-License-Identifier: MIT
// Steel or aluminium tread plate: raised bars in alternating directions, worn bright, with dirt
// around them.
#include <array>

#include "materials/procedural/metals.hpp"
#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {
namespace {

/// How deep inside a bar a place is, in cells; below 0 outside. Bars are lenses: the overlap of two
/// circles.
float inside_bar(float x, float y, bool turned) {
  const float along = turned ? x - y : x + y;
  const float across = turned ? x + y : x - y;
  constexpr float kDistance = 0.62f;  // from the lens' axis to the circles' middles
  constexpr float kRadius = 0.76f;
  const float side = std::abs(across) * 0.7071f + kDistance;
  const float reach = along * 0.7071f;
  return kRadius - std::sqrt(side * side + reach * reach);
}

}  // namespace

Shader make_tread_plate(Dice dice) {
  const std::array colors = {metals::kIron, metals::kAluminium, metals::kTitanium, metals::kBronze};
  const Rgb metal = dice.pick(colors);
  const std::array dirts = {srgb(56, 46, 38), srgb(112, 62, 34), srgb(38, 38, 40)};
  const Rgb dirt_color = dice.pick(dirts);
  const float cells = static_cast<float>(12 + 4 * dice.below(3));
  const float dirtiness = dice.between(-0.1f, 0.35f);
  const std::uint32_t wear_seed = dice.seed();
  const std::uint32_t dirt_seed = dice.seed();
  const std::uint32_t scratch_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field wear = fractal_noise(tile.window, {{16, 16, wear_seed}, 6, 0.6f});
    const Field dirt = fractal_noise(tile.window, {{4, 4, dirt_seed}, 9, 0.62f});
    const Field scratches = fractal_noise(tile.window, {{512, 64, scratch_seed}, 4, 0.85f});
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const float x = u * cells;
      const float y = v * cells;
      const bool turned = static_cast<int>(whole_part(x) + whole_part(y)) % 2 != 0;
      const float depth = inside_bar(fraction(x) - 0.5f, fraction(y) - 0.5f, turned);
      const float bar = smooth_step(-0.015f, 0.06f, depth);
      const float around = smooth_step(-0.2f, 0.0f, depth) * (1.0f - bar);
      const float soil =
          smooth_step(0.25f - dirtiness, 0.8f - dirtiness, dirt[i] + 0.5f * around - 0.7f * bar);

      tile.height[i] = 0.09f * bar / cells + 0.00004f * wear[i] + 0.000012f * scratches[i] +
                       0.0001f * soil * dirt[i];
      const Rgb clean =
          metal * saturate(0.84f + 0.12f * bar + 0.06f * wear[i] + 0.05f * scratches[i]);
      tile.set_color(
          i, mix(clean, dirt_color * saturate(0.8f + 0.4f * dirt[i] + 0.1f * wear[i]), soil));
      tile.metalness[i] = 1.0f - soil;
      tile.roughness[i] =
          saturate(mix(0.42f - 0.14f * bar + 0.07f * wear[i] + 0.05f * scratches[i], 0.92f, soil));
      tile.occlusion[i] = saturate(1.0f - 0.35f * around - 0.1f * soil);
    });
  };
}

}  // namespace quarry::materials
