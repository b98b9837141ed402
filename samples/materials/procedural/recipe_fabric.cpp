// SPDX-License-Identifier: MIT
// Woven cloth, plain or twill, with twisted threads and a pattern of coloured stripes.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_fabric(Dice dice) {
  using Stripes = std::array<Rgb, 3>;
  const std::array palettes = {
      Stripes{srgb(128, 30, 34), srgb(30, 40, 62), srgb(196, 176, 128)},       // tartan
      Stripes{srgb(56, 78, 112), srgb(62, 86, 122), srgb(196, 198, 196)},      // denim
      Stripes{srgb(188, 172, 144), srgb(204, 190, 164), srgb(150, 130, 100)},  // linen
      Stripes{srgb(44, 82, 62), srgb(24, 48, 40), srgb(208, 186, 92)},         // hunting green
      Stripes{srgb(92, 54, 96), srgb(128, 84, 130), srgb(214, 202, 214)},      // heather
  };
  const Stripes stripes = dice.pick(palettes);
  const std::uint32_t twill = 2 + 2 * dice.below(2);  // 2: plain weave, 4: two over, two under
  const float threads = static_cast<float>(128 + 32 * dice.below(3));
  const std::uint32_t wide = 12 + 4 * dice.below(4);
  const std::uint32_t seed = dice.seed();
  const std::uint32_t fuzz_seed = dice.seed();
  const std::uint32_t fold_seed = dice.seed();

  const auto stripe_of = [=](std::uint32_t thread) -> Rgb {
    const std::uint32_t place = thread % (2 * wide);
    if (place < 2 || (place >= wide && place < wide + 2)) return stripes[2];
    return place < wide ? stripes[0] : stripes[1];
  };

  return [=](SurfaceTile& tile) {
    const Field fuzz = fractal_noise(tile.window, {{512, 512, fuzz_seed}, 3, 0.8f});
    const Field folds = fractal_noise(tile.window, {{2, 2, fold_seed}, 3, 0.5f});
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const float x = u * threads;
      const float y = v * threads;
      const auto column = static_cast<std::uint32_t>(x);
      const auto row = static_cast<std::uint32_t>(y);
      const bool warp_on_top = (column + row) % twill < twill / 2;
      // Along the thread on top: `side` runs across it, `length` along it.
      const float side = 2.0f * fraction(warp_on_top ? x : y) - 1.0f;
      const float along = fraction(warp_on_top ? y : x);
      const std::uint32_t thread = warp_on_top ? column : row + 4096;
      // Two plies twisted around each other, and the fibres of which they are spun.
      const float length = (warp_on_top ? y : x) + 0.08f * fuzz[i];
      const float twist = wave(1.5f * length + 0.8f * side);
      const float fibre = wave(5.0f * length + 4.0f * side + 0.6f * fuzz[i]);
      const float dome = 1.0f - side * side;
      const float over = twill == 4 ? 0.75f + 0.25f * triangle(along)
                                    : 0.5f + 0.5f * triangle(along) * (2.0f - triangle(along));
      const float lift = std::max(0.0f, dome) * (0.35f + 0.65f * over);
      const float uneven = hash_unit(thread, 0, seed) - 0.5f;

      tile.height[i] =
          (0.42f * lift + (0.06f * twist + 0.02f * fibre) * lift + 0.012f * fuzz[i]) / threads +
          0.004f * folds[i];
      const Rgb dyed = stripe_of(warp_on_top ? column : row);
      const float shade = (0.5f + 0.5f * lift) *
                          (1.0f + 0.22f * uneven + 0.1f * twist + 0.12f * fibre + 0.12f * fuzz[i]);
      tile.set_color(i, dyed * std::max(0.05f, shade));
      tile.roughness[i] = saturate(0.86f + 0.05f * fuzz[i] - 0.06f * lift);
      tile.occlusion[i] = saturate(0.45f + 0.6f * lift);
    });
  };
}

}  // namespace quarry::materials
