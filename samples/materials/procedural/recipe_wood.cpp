// SPDX-License-Identifier: MIT
// Floorboards: growth rings bent by noise and knots, fibres, pores, and joints between boards.
#include <array>
#include <memory>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"
#include "materials/procedural/sampled_noise.hpp"

namespace quarry::materials {

namespace {

/// What one piece of wood has to itself.
struct Board {
  float shift;  // of the grain
  float tone;
  float knot_along;
  float knot_side;
};

Board draw_board(std::uint32_t part, std::uint32_t seed) {
  return {hash_unit(part, 1, seed), hash_unit(part, 2, seed),
          0.15f + 0.7f * hash_unit(part, 3, seed), 0.6f * (hash_unit(part, 4, seed) - 0.5f)};
}

}  // namespace

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
  const Palette palette = dice.pick(palettes);
  const float boards = static_cast<float>(6 + dice.below(6));
  const float rings = dice.between(5.0f, 9.0f);
  const float gloss = dice.between(0.35f, 0.6f);
  const auto bend = std::make_shared<SampledNoise>(Octaves{{8, 4, dice.seed()}, 4, 0.45f});
  const std::uint32_t board_seed = dice.seed();
  const std::uint32_t fibre_seed = dice.seed();
  const std::uint32_t pore_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field fibres = fractal_noise(tile.window, {{256, 8, fibre_seed}, 5, 0.8f});
    const Field pores = fractal_noise(tile.window, {{1024, 32, pore_seed}, 2, 0.8f});
    Remembered<float> offsets;
    Remembered<Board> drawn;
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const float across = u * boards;
      const auto board = static_cast<std::uint32_t>(across);
      const float offset = offsets.get(board, [&] { return hash_unit(board, 0, board_seed); });
      // Two boards follow one another along v, their joint at another place in each column.
      const float along = v * 2.0f + offset;
      const auto part = board * 2 + static_cast<std::uint32_t>(along) % 2;
      const Board& piece = drawn.get(part, [&] { return draw_board(part, board_seed); });

      const float place = fraction(across) - 0.5f;
      const float from_knot = fraction(along) - piece.knot_along;
      const float knot_side = place - piece.knot_side;
      const float knot_distance =
          knot_side * knot_side * 30.0f + from_knot * from_knot * 140.0f * (boards / 8.0f);
      const float knot = 1.0f / (1.0f + 9.0f * knot_distance);
      const float bent = bend->at(u * 0.7f + piece.shift * 5.0f, v * 0.5f + piece.shift * 3.0f);
      const float ring = fraction(rings * (place + 0.32f * bent + piece.shift) + 4.0f * knot);
      // Slowly darker through the season, then a sharp border.
      const float late = ring * ring * smooth_step(1.0f, 0.93f, ring);

      const float edge_u = 0.5f - std::abs(place);
      const float edge_v = (0.5f - std::abs(fraction(along) - 0.5f)) * boards * 0.5f;
      const float edge = std::min(edge_u, edge_v);
      const float gap = smooth_step(0.014f, 0.005f, edge);
      const float pore = smooth_step(0.35f, 0.75f, pores[i]) * (0.35f + 0.65f * late);
      const float round = smooth_step(0.0f, 0.05f, edge);

      tile.height[i] =
          0.0022f * round + 0.00014f * (0.7f * late + 0.9f * fibres[i]) - 0.0002f * pore;
      Rgb color = mix(palette.early, palette.late, saturate(0.8f * late + 0.3f * fibres[i]));
      color = mix(color, palette.late * 0.45f, saturate(1.3f * knot * knot + 0.35f * pore));
      color = color * (0.72f + 0.5f * piece.tone) * (1.0f - 0.9f * gap);
      tile.set_color(i, color);
      tile.roughness[i] =
          saturate(gloss + 0.08f * fibres[i] + 0.12f * late + 0.2f * pore + 0.4f * gap);
      tile.occlusion[i] = saturate(0.55f + 0.45f * smooth_step(0.0f, 0.03f, edge) - 0.3f * gap);
    });
  };
}

}  // namespace quarry::materials
