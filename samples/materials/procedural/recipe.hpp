// SPDX-License-Identifier: MIT
// The procedural materials: each recipe draws its colours and proportions once from dice and
// returns a function that fills any window of the texture. Such a function may be called by several
// threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "materials/procedural/shading.hpp"
#include "materials/procedural/window.hpp"

namespace quarry::materials {

/// What a recipe says about each pixel of a window.
struct SurfaceTile {
  explicit SurfaceTile(const Window& of)
      : window(of),
        height(of.pixels()),
        red(of.pixels()),
        green(of.pixels()),
        blue(of.pixels()),
        occlusion(of.pixels(), 1.0f),
        roughness(of.pixels()),
        metalness(of.pixels()) {}

  void set_color(std::size_t pixel, Rgb color) {
    red[pixel] = color.r;
    green[pixel] = color.g;
    blue[pixel] = color.b;
  }

  Window window;
  Field height;  ///< in widths of the texture, so that slopes do not depend on its size
  Field red;     ///< linear light
  Field green;
  Field blue;
  Field occlusion;
  Field roughness;
  Field metalness;
};

using Shader = std::function<void(SurfaceTile&)>;

struct Recipe {
  const char* name;
  Shader (*make)(Dice dice);
};

/// All recipes, the most different ones first.
std::span<const Recipe> recipes();

/// Remembers what was drawn for the last key: neighbouring pixels mostly lie on the same board,
/// brick or tile.
template <class Drawn>
class Remembered {
 public:
  template <class Draw>
  const Drawn& get(std::uint32_t key, Draw draw) {
    if (!known_ || key != key_) drawn_ = draw();
    known_ = true;
    key_ = key;
    return drawn_;
  }

 private:
  bool known_ = false;
  std::uint32_t key_ = 0;
  Drawn drawn_{};
};

/// Calls body(pixel, u, v) for each pixel of a window.
template <class Body>
void for_each_pixel(const Window& window, Body body) {
  std::size_t pixel = 0;
  for (std::uint32_t y = 0; y < window.height; ++y) {
    const float v = window.v(y);
    for (std::uint32_t x = 0; x < window.width; ++x, ++pixel)
      body(pixel, window.u(x), v);
  }
}

}  // namespace quarry::materials
