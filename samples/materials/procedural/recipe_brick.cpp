// SPDX-License-Identifier: MIT
// A brick wall in running bond: chipped edges, pitted faces, mortar with sand.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

namespace {

/// What one brick has to itself.
struct Brick {
  float tone;
  float burnt;
  float depth;
};

}  // namespace

Shader make_brick(Dice dice) {
  struct Palette {
    Rgb bright;
    Rgb dark;
    Rgb mortar;
  };
  const std::array palettes = {
      Palette{srgb(172, 84, 58), srgb(112, 50, 40), srgb(176, 168, 156)},
      Palette{srgb(202, 160, 106), srgb(150, 108, 70), srgb(188, 180, 164)},
      Palette{srgb(96, 92, 92), srgb(56, 54, 58), srgb(146, 142, 136)},
      Palette{srgb(206, 200, 188), srgb(170, 160, 146), srgb(120, 114, 106)},
      Palette{srgb(138, 60, 58), srgb(72, 36, 42), srgb(84, 80, 78)},
  };
  const Palette palette = dice.pick(palettes);
  const float rows = static_cast<float>(16 + 4 * dice.below(3));
  const float columns = rows * 0.375f;
  const float whole_columns = whole_part(columns + 0.5f);
  const std::uint32_t seed = dice.seed();
  const std::uint32_t chip_seed = dice.seed();
  const std::uint32_t face_seed = dice.seed();
  const std::uint32_t sand_seed = dice.seed();
  const std::uint32_t stain_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field chips = fractal_noise(tile.window, {{64, 64, chip_seed}, 5, 0.6f});
    const Field face = fractal_noise(tile.window, {{128, 128, face_seed}, 5, 0.65f});
    const Field sand = fractal_noise(tile.window, {{1024, 1024, sand_seed}, 2, 0.9f});
    const Field stains = fractal_noise(tile.window, {{4, 2, stain_seed}, 5, 0.5f});
    Remembered<Brick> drawn;
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const float y = v * rows;
      const auto row = static_cast<std::uint32_t>(y);
      const float x = u * whole_columns + (row % 2 == 0 ? 0.0f : 0.5f);
      const auto column = static_cast<std::uint32_t>(x) % static_cast<std::uint32_t>(whole_columns);
      // Distances in brick heights; a brick is rows / columns heights long.
      const float edge_v = 0.5f - std::abs(fraction(y) - 0.5f);
      const float edge_u = (0.5f - std::abs(fraction(x) - 0.5f)) * (rows / whole_columns);
      const float smallest = std::min(edge_u, edge_v);
      // Corners are rounded by what both distances lack together.
      const float lack_u = std::max(0.0f, 0.2f - edge_u);
      const float lack_v = std::max(0.0f, 0.2f - edge_v);
      const float rounded =
          smallest < 0.2f ? 0.2f - std::sqrt(lack_u * lack_u + lack_v * lack_v) : smallest;
      const float edge = rounded + 0.022f * chips[i];
      const float face_share = smooth_step(0.055f, 0.085f, edge);
      const float bulge = smooth_step(0.05f, 0.22f, edge);

      const Brick& brick = drawn.get(row << 8 | column, [&] {
        return Brick{hash_unit(column, row, seed),
                     smooth_step(0.75f, 1.0f, hash_unit(column, row, seed + 1)),
                     hash_unit(column, row, seed + 2) - 0.5f};
      });
      const float pit = smooth_step(0.7f, 1.5f, face[i]);
      Rgb color = mix(palette.dark, palette.bright,
                      saturate(0.25f + 0.6f * brick.tone + 0.12f * face[i] - 0.6f * brick.burnt));
      color = color * (1.0f + 0.08f * sand[i]) * (1.0f - 0.35f * pit);
      const Rgb mortar = palette.mortar * saturate(0.74f + 0.1f * sand[i] + 0.1f * chips[i]);
      const float soot = 1.0f - 0.22f * smooth_step(0.0f, 1.4f, stains[i]);
      tile.set_color(i, mix(mortar, color, face_share) * soot);
      const float unit = 1.0f / rows;
      tile.height[i] = mix(
          unit * 0.012f * chips[i] + 0.00010f * sand[i],
          unit * (0.10f + 0.035f * bulge + 0.02f * brick.depth + 0.010f * face[i] - 0.03f * pit) +
              0.00005f * sand[i],
          face_share);
      tile.roughness[i] = saturate(mix(0.93f, 0.78f + 0.05f * face[i], face_share));
      tile.occlusion[i] = saturate(mix(0.6f, 1.0f, smooth_step(0.0f, 0.14f, edge)) - 0.25f * pit);
    });
  };
}

}  // namespace quarry::materials
