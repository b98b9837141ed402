// SPDX-License-Identifier: MIT
// Repeating noise over windows, made row by row: along a row between two lattice points gradient
// noise is one polynomial, so an octave costs about a nanosecond a pixel. Everything is determined
// by seeds and positions. Gradient noise: Perlin, "Improving Noise", 2002. Cellular noise: Worley,
// "A Cellular Texture Basis Function", 1996.
#pragma once

#include <cstdint>

#include "materials/procedural/window.hpp"

namespace quarry::materials {

/// A well mixed number for a pair and a seed.
constexpr std::uint32_t hash(std::uint32_t a, std::uint32_t b, std::uint32_t seed) {
  std::uint32_t h = a * 0x8da6b343u ^ b * 0xd8163841u ^ seed * 0xcb1ab31fu;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return h ^ h >> 15;
}

/// The same as a number from 0 up to 1.
constexpr float hash_unit(std::uint32_t a, std::uint32_t b, std::uint32_t seed) {
  return static_cast<float>(hash(a, b, seed) >> 8) * (1.0f / 16777216.0f);
}

/// Lattice cells across and down the texture, powers of two.
struct Lattice {
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;
  std::uint32_t seed = 0;
};

enum class Shape : std::uint8_t {
  smooth,  ///< the noise itself
  ridged,  ///< 1 - 2|noise|: sharp crests
};

struct Octaves {
  Lattice first;       ///< each further octave doubles both counts
  unsigned count = 1;  ///< ends early where cells would be smaller than two pixels
  float gain = 0.5f;   ///< amplitude from one octave to the next
  Shape shape = Shape::smooth;
};

/// A sum of octaves of gradient noise; its spread does not depend on their number: about -1 to 1,
/// seldom 1.7.
Field fractal_noise(const Window& window, const Octaves& octaves);

struct Cells {
  Field nearest;  ///< distance to the nearest of the scattered points, in cells
  Field border;   ///< distance to the next point less `nearest`: 0 on the borders between cells
  Field id;       ///< 0 to 1, one number for each cell
};

/// One point in each lattice cell; `jitter` from 0 (a grid) to 1. Cells are made at least two
/// pixels wide.
Cells cellular_noise(const Window& window, const Lattice& lattice, float jitter);

}  // namespace quarry::materials
