// SPDX-License-Identifier: MIT
// Polished marble: veins are the zero lines of noise that other noise has bent; laid in slabs or
// whole.
#include <array>
#include <memory>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"
#include "materials/procedural/sampled_noise.hpp"

namespace quarry::materials {

Shader make_marble(Dice dice) {
  struct Palette {
    Rgb ground;
    Rgb cloud;
    Rgb vein;
  };
  const std::array palettes = {
      Palette{srgb(236, 234, 228), srgb(206, 206, 204), srgb(110, 110, 114)},  // Carrara
      Palette{srgb(24, 24, 27), srgb(44, 42, 44), srgb(214, 196, 160)},        // black and gold
      Palette{srgb(28, 62, 50), srgb(50, 92, 74), srgb(196, 210, 196)},        // green
      Palette{srgb(226, 208, 178), srgb(206, 178, 140), srgb(150, 104, 66)},   // cream
      Palette{srgb(176, 108, 96), srgb(196, 140, 124), srgb(240, 226, 214)},   // rose
  };
  const Palette palette = dice.pick(palettes);
  const float slabs = dice.below(2) == 0 ? 0.0f : 4.0f;
  const auto bend = std::make_shared<SampledNoise>(Octaves{{2, 2, dice.seed()}, 6, 0.5f});
  const auto veins = std::make_shared<SampledNoise>(Octaves{{2, 4, dice.seed()}, 3, 0.5f});
  const std::uint32_t cloud_seed = dice.seed();
  const std::uint32_t crystal_seed = dice.seed();
  const std::uint32_t slab_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field clouds = fractal_noise(tile.window, {{4, 4, cloud_seed}, 6, 0.6f});
    const Field crystals = fractal_noise(tile.window, {{512, 512, crystal_seed}, 4, 0.9f});
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const auto column = static_cast<std::uint32_t>(u * slabs);
      const auto row = static_cast<std::uint32_t>(v * slabs);
      const float shift = hash_unit(column, row, slab_seed);
      const float bent = bend->at(u + shift, v + 0.37f * shift);
      const float side = bend->at(v + 0.5f, u + 0.25f + shift);
      const float first = veins->at(u + 0.16f * bent + shift, v + 0.16f * side + shift);
      const float second = veins->at(2.0f * u + 0.2f * side + 0.3f, 2.0f * v - 0.2f * bent + shift);
      const float thin = 0.012f + 0.02f * smooth_step(-0.5f, 1.0f, clouds[i]);
      const float main_vein = thin / (thin + std::abs(first));
      const float side_vein = 0.5f * thin / (0.5f * thin + std::abs(second));
      const float vein =
          saturate(0.95f * main_vein * main_vein + 0.3f * main_vein + 0.5f * side_vein * side_vein);

      float seam = 0.0f;
      if (slabs > 0.0f) {
        const float edge = 0.5f - 0.5f * std::max(std::abs(2.0f * fraction(u * slabs) - 1.0f),
                                                  std::abs(2.0f * fraction(v * slabs) - 1.0f));
        seam = smooth_step(0.005f, 0.003f, edge);
      }
      const Rgb ground =
          mix(palette.ground, palette.cloud, saturate(0.4f + 0.4f * clouds[i] + 0.2f * bent));
      const Rgb stone = mix(ground, palette.vein, vein) * (1.0f + 0.07f * crystals[i]);
      tile.set_color(i, stone * (1.0f - 0.6f * seam));
      tile.height[i] = -0.0005f * seam + 0.000003f * crystals[i] - 0.00002f * vein;
      tile.roughness[i] = saturate(0.09f + 0.05f * vein + 0.015f * clouds[i] + 0.6f * seam);
      tile.occlusion[i] = 1.0f - 0.5f * seam;
    });
  };
}

}  // namespace quarry::materials
