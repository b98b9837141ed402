// SPDX-License-Identifier: MIT
// Glazed ceramic tiles, square or hexagonal, in sandy grout.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {
namespace {

/// What one tile has to itself.
struct Fired {
  float tilt_u;
  float tilt_v;
  float tone;
};

struct Place {
  float edge;           // distance to the tile's edge, in tiles
  float from_middle_u;  // from the tile's middle
  float from_middle_v;
  std::uint32_t column;
  std::uint32_t row;
};

Place square_tile(float u, float v, float count) {
  const float x = u * count;
  const float y = v * count;
  const float place_u = fraction(x) - 0.5f;
  const float place_v = fraction(y) - 0.5f;
  return {0.5f - std::max(std::abs(place_u), std::abs(place_v)), place_u, place_v,
          static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
}

/// Rows of hexagons, every second one moved by half a tile. `count` columns and 7/6 as many rows,
/// both even, are within 1 % of regular.
Place hexagonal_tile(float u, float v, std::uint32_t count) {
  constexpr float kRowHeight = 0.8660254f;
  const std::uint32_t rows = count * 7 / 6;
  Place best{-1.0f, 0.0f, 0.0f, 0, 0};
  float nearest = 1e9f;
  const float x = u * static_cast<float>(count);
  const float y = v * static_cast<float>(rows);
  for (int candidate = 0; candidate < 2; ++candidate) {
    const int row = static_cast<int>(whole_part(y)) + candidate;
    const float shift = row % 2 != 0 ? 0.5f : 0.0f;
    const float middle = whole_part(x - shift + 0.5f) + shift;
    const float du = x - middle;
    const float dv = (y - static_cast<float>(row)) * kRowHeight;
    const float square = du * du + dv * dv;
    if (square >= nearest) continue;
    nearest = square;
    const float reach = std::max(std::abs(du), 0.5f * std::abs(du) + kRowHeight * std::abs(dv));
    const auto column =
        static_cast<std::uint32_t>(static_cast<int>(middle + static_cast<float>(count)));
    best = {0.5f - reach, du, dv, column % count, static_cast<std::uint32_t>(row) % rows};
  }
  return best;
}

}  // namespace

Shader make_tiles(Dice dice) {
  struct Palette {
    Rgb first;
    Rgb second;
    Rgb grout;
  };
  const std::array palettes = {
      Palette{srgb(34, 92, 122), srgb(220, 226, 222), srgb(188, 182, 170)},
      Palette{srgb(30, 96, 72), srgb(58, 140, 104), srgb(96, 94, 88)},
      Palette{srgb(186, 74, 44), srgb(224, 200, 168), srgb(142, 130, 116)},
      Palette{srgb(28, 28, 32), srgb(232, 230, 224), srgb(120, 118, 114)},
      Palette{srgb(122, 60, 104), srgb(228, 186, 92), srgb(70, 66, 68)},
  };
  const Palette palette = dice.pick(palettes);
  const bool hexagons = dice.below(2) == 0;
  const std::uint32_t count = hexagons ? 12 : 6 + 2 * dice.below(4);
  const std::uint32_t tile_seed = dice.seed();
  const std::uint32_t glaze_seed = dice.seed();
  const std::uint32_t grout_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field glaze = fractal_noise(tile.window, {{16, 16, glaze_seed}, 5, 0.55f});
    const Field sand = fractal_noise(tile.window, {{512, 512, grout_seed}, 4, 0.9f});
    Remembered<Fired> drawn;
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const Place place =
          hexagons ? hexagonal_tile(u, v, count) : square_tile(u, v, static_cast<float>(count));
      const float edge = place.edge + 0.0025f * glaze[i];
      const float inside = smooth_step(0.022f, 0.032f, edge);
      const float pillow = smooth_step(0.02f, 0.085f, edge);
      const std::uint32_t pick =
          hexagons ? (place.column + 2 * place.row) % 3 : (place.column + place.row) % 2;
      // Every tile lies a little askew and was fired a little differently.
      const Fired& fired = drawn.get(place.row << 8 | place.column, [&] {
        return Fired{hash_unit(place.column, place.row, tile_seed) - 0.5f,
                     hash_unit(place.column, place.row, tile_seed + 1) - 0.5f,
                     hash_unit(place.column, place.row, tile_seed + 2)};
      });
      const float tilt =
          (fired.tilt_u * place.from_middle_u + fired.tilt_v * place.from_middle_v) * 0.0035f;

      const Rgb base = pick == 0 ? palette.first : palette.second;
      const Rgb glazed = base * (0.82f + 0.3f * fired.tone + 0.05f * glaze[i] + 0.025f * sand[i]) *
                         (0.8f + 0.2f * pillow);
      const Rgb grout = palette.grout * saturate(0.8f + 0.12f * sand[i] + 0.1f * glaze[i]);
      tile.set_color(i, mix(grout, glazed, inside));
      tile.height[i] = mix(0.00010f * sand[i] + 0.00004f * glaze[i],
                           0.0025f + 0.0022f * pillow + tilt + 0.00006f * glaze[i], inside);
      tile.roughness[i] = mix(0.9f, saturate(0.13f + 0.04f * glaze[i] + 0.02f * sand[i]), inside);
      tile.occlusion[i] = mix(0.62f, 1.0f, smooth_step(-0.01f, 0.05f, edge));
    });
  };
}

}  // namespace quarry::materials
