// SPDX-License-Identifier: MIT
// Floorboards: growth rings bent by noise and knots, fibres, pores, and joints between boards.
#include <array>
#include <memory>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"
#include "materials/procedural/sampled_noise.hpp"

namespace quarry::materials {

Shader make_wood(Dice dice) {
  struct Palette {
    Rgb early;  // wood grown in spring
    Rgb late;
  };
  const std::array palettes = {
      Palette{srgb(196, 150, 98), srgb(140, 92, 50)},    // oak
      Palette{srgb(118, 78, 50), srgb(70, 42, 26)},      // walnut
      Palette{srgb(222, 186, 136), srgb(188, 138, 84)},  // pine
      Palette{srgb(150, 74, 48), srgb(98, 40, 26)},      // mahogany
      Palette{srgb(142, 134, 124), srgb(98, 92, 86)},    // weathered
  };
  const Palette palette = palettes[dice.below(palettes.size())];
  const float boards = static_cast<float>(6 + dice.below(6));
  const float rings = dice.between(5.0f, 9.0f);
  const float gloss = dice.between(0.35f, 0.6f);
  const auto bend = std::make_shared<SampledNoise>(Octaves{{8, 4, dice.seed()}, 4, 0.45f});
  const std::uint32_t board_seed = dice.seed();
  const std::uint32_t fibre_seed = dice.seed();
  const std::uint32_t pore_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field fibres = fractal_noise(tile.window, {{256, 8, fibre_seed}, 4, 0.7f});
    const Field pores = gradient_noise(
        tile.window,
        {std::min(1024u, tile.window.size / 2), std::min(32u, tile.window.size / 2), pore_seed});
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const float across = u * boards;
      const auto board = static_cast<std::uint32_t>(across);
      const float offset = hash_unit(board, 0, board_seed);
      // Two boards follow one another along v, their joint at another place in each column.
      const float along = v * 2.0f + offset;
      const auto part = board * 2 + static_cast<std::uint32_t>(along) % 2;
      const float shift = hash_unit(part, 1, board_seed);
      const float tone = hash_unit(part, 2, board_seed);

      const float place = fraction(across) - 0.5f;
      const float from_knot = fraction(along) - 0.15f - 0.7f * hash_unit(part, 3, board_seed);
      const float knot_side = place - (hash_unit(part, 4, board_seed) - 0.5f) * 0.6f;
      const float knot_distance =
          knot_side * knot_side * 30.0f + from_knot * from_knot * 140.0f * (boards / 8.0f);
      const float knot = 1.0f / (1.0f + 9.0f * knot_distance);
      const float bent = bend->at(u * 0.7f + shift * 5.0f, v * 0.5f + shift * 3.0f);
      const float ring = fraction(rings * (place + 0.32f * bent + shift) + 4.0f * knot);
      // Slowly darker through the season, then a sharp border.
      const float late = ring * ring * smooth_step(1.0f, 0.93f, ring);

      const float edge_u = 0.5f - std::abs(place);
      const float edge_v = (0.5f - std::abs(fraction(along) - 0.5f)) * boards * 0.5f;
      const float edge = std::min(edge_u, edge_v);
      const float gap = smooth_step(0.014f, 0.005f, edge);
      const float pore = smooth_step(0.45f, 0.8f, pores[i]) * (0.35f + 0.65f * late);
      const float round = smooth_step(0.0f, 0.05f, edge);

      tile.height[i] =
          0.0022f * round + 0.00014f * (0.7f * late + 0.5f * fibres[i]) - 0.0002f * pore;
      Rgb color = mix(palette.early, palette.late, saturate(0.8f * late + 0.14f * fibres[i]));
      color = mix(color, palette.late * 0.45f, saturate(1.3f * knot * knot + 0.35f * pore));
      color = color * (0.72f + 0.5f * tone) * (1.0f - 0.9f * gap);
      tile.set_color(i, color);
      tile.roughness[i] =
          saturate(gloss + 0.08f * fibres[i] + 0.12f * late + 0.2f * pore + 0.4f * gap);
      tile.occlusion[i] = saturate(0.55f + 0.45f * smooth_step(0.0f, 0.03f, edge) - 0.3f * gap);
    });
  };
}

}  // namespace quarry::materials
