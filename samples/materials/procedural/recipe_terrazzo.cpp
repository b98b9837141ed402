// SPDX-License-Identifier: MIT
// Polished terrazzo: stone chips of three sizes and several colours in cement.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {
namespace {

using ChipColors = std::array<Rgb, 4>;

struct Chip {
  float share;
  float pick;  // 0 to 1: which colour
};

/// A cell becomes a chip when its number is high enough; chips end at some distance from the cell's
/// border.
Chip chip_at(const Cells& cells, std::size_t i, float frequency, float roughness_of_edge) {
  const float id = cells.id[i];
  const float chosen = id < frequency ? 1.0f : 0.0f;
  const float gap = 0.12f + 0.3f * fraction(id * 37.0f);
  return {chosen * smooth_step(gap, gap + 0.05f, cells.border[i] + roughness_of_edge),
          fraction(id * 91.0f)};
}

}  // namespace

Shader make_terrazzo(Dice dice) {
  struct Palette {
    Rgb cement;
    ChipColors chips;
  };
  const std::array palettes = {
      Palette{srgb(226, 220, 210),
              {srgb(168, 96, 72), srgb(92, 110, 98), srgb(214, 178, 120), srgb(70, 70, 74)}},
      Palette{srgb(64, 66, 70),
              {srgb(226, 222, 214), srgb(150, 150, 152), srgb(206, 170, 120), srgb(110, 130, 140)}},
      Palette{srgb(216, 196, 186),
              {srgb(150, 62, 62), srgb(240, 236, 228), srgb(196, 130, 110), srgb(88, 70, 72)}},
      Palette{srgb(160, 186, 178),
              {srgb(244, 242, 234), srgb(36, 84, 84), srgb(214, 196, 150), srgb(90, 140, 128)}},
      Palette{srgb(206, 206, 200),
              {srgb(40, 40, 44), srgb(250, 248, 244), srgb(124, 124, 126), srgb(176, 172, 164)}},
  };
  const Palette palette = dice.pick(palettes);
  const std::uint32_t large_seed = dice.seed();
  const std::uint32_t middle_seed = dice.seed();
  const std::uint32_t small_seed = dice.seed();
  const std::uint32_t cement_seed = dice.seed();
  const std::uint32_t grain_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Cells large = cellular_noise(tile.window, {32, 32, large_seed}, 1.0f);
    const Cells middle = cellular_noise(tile.window, {64, 64, middle_seed}, 1.0f);
    const Cells small = cellular_noise(tile.window, {256, 256, small_seed}, 1.0f);
    const Field cement = fractal_noise(tile.window, {{8, 8, cement_seed}, 5, 0.55f});
    const Field grain = fractal_noise(tile.window, {{256, 256, grain_seed}, 5, 0.8f});
    for (std::size_t i = 0; i < tile.height.size(); ++i) {
      const float edge = 0.03f * grain[i];
      const std::array chips = {chip_at(small, i, 0.55f, edge), chip_at(middle, i, 0.5f, edge),
                                chip_at(large, i, 0.42f, edge)};
      Rgb color = palette.cement * saturate(0.92f + 0.09f * cement[i] + 0.08f * grain[i]);
      float stone = 0.0f;
      for (const Chip& chip : chips) {
        const float pick = chip.pick * 4.0f;
        const Rgb& chip_color = palette.chips[static_cast<std::size_t>(pick)];
        color =
            mix(color, chip_color * (0.82f + 0.3f * fraction(pick) + 0.12f * grain[i]), chip.share);
        stone = std::max(stone, chip.share);
      }
      tile.set_color(i, color);
      tile.height[i] = 0.00002f * stone + (1.0f - stone) * 0.00001f * grain[i];
      tile.roughness[i] = saturate(mix(0.3f, 0.14f, stone) + 0.03f * cement[i]);
    }
  };
}

}  // namespace quarry::materials
