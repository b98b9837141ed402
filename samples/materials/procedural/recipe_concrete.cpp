// SPDX-License-Identifier: MIT
// Cast concrete: stains, air holes, the joints and anchor holes of its formwork.
#include <array>

#include "materials/procedural/noise.hpp"
#include "materials/procedural/recipe_list.hpp"

namespace quarry::materials {

Shader make_concrete(Dice dice) {
  const std::array colors = {srgb(158, 156, 150), srgb(122, 122, 124), srgb(188, 180, 166),
                             srgb(146, 150, 142), srgb(172, 150, 134)};
  const Rgb color = dice.pick(colors);
  const float panels_u = static_cast<float>(2 + dice.below(2));
  const float panels_v = static_cast<float>(1 + dice.below(3));
  const std::uint32_t stain_seed = dice.seed();
  const std::uint32_t run_seed = dice.seed();
  const std::uint32_t grain_seed = dice.seed();
  const std::uint32_t hole_seed = dice.seed();
  const std::uint32_t panel_seed = dice.seed();

  return [=](SurfaceTile& tile) {
    const Field stains = fractal_noise(tile.window, {{4, 4, stain_seed}, 7, 0.58f});
    const Field runs = fractal_noise(tile.window, {{64, 2, run_seed}, 4, 0.6f});
    const Field grain = fractal_noise(tile.window, {{256, 256, grain_seed}, 5, 0.8f});
    const Cells holes = cellular_noise(tile.window, {128, 128, hole_seed}, 0.95f);
    Remembered<float> tones;
    for_each_pixel(tile.window, [&](std::size_t i, float u, float v) {
      const float x = u * panels_u;
      const float y = v * panels_v;
      const auto panel = static_cast<std::uint32_t>(x) + 8 * static_cast<std::uint32_t>(y);
      const float tone = tones.get(panel, [&] { return hash_unit(panel, 0, panel_seed) - 0.5f; });
      // Distances in widths of the texture.
      const float edge_u = (0.5f - std::abs(fraction(x) - 0.5f)) / panels_u;
      const float edge_v = (0.5f - std::abs(fraction(y) - 0.5f)) / panels_v;
      const float joint =
          smooth_step(0.0022f, 0.0014f, std::min(edge_u, edge_v) + 0.0001f * grain[i]);
      // Anchors sit at a fixed distance from each corner.
      const float anchor_u = edge_u - 0.09f;
      const float anchor_v = edge_v - 0.09f;
      const float anchor_distance = std::sqrt(anchor_u * anchor_u + anchor_v * anchor_v);
      const float anchor = smooth_step(0.0105f, 0.0095f, anchor_distance);

      const float radius = 0.5f * smooth_step(0.88f, 1.0f, holes.id[i]);
      const float hole = smooth_step(radius, 0.5f * radius - 0.01f, holes.nearest[i]);
      const float depth = std::max({hole * 0.6f, joint, anchor});

      const float shade = 0.94f + 0.16f * tone + 0.2f * stains[i] + 0.09f * grain[i] +
                          0.1f * runs[i] * smooth_step(0.6f, -0.6f, stains[i]);
      tile.set_color(i, color * std::max(0.08f, shade) * (1.0f - 0.55f * depth));
      tile.height[i] = 0.00016f * grain[i] + 0.0006f * stains[i] - 0.0012f * hole -
                       0.0016f * joint - 0.005f * anchor;
      tile.roughness[i] = saturate(0.78f + 0.06f * grain[i] - 0.08f * stains[i] + 0.1f * depth);
      tile.occlusion[i] = 1.0f - 0.6f * depth;
    });
  };
}

}  // namespace quarry::materials
