// SPDX-License-Identifier: MIT
// Gradient and cellular noise. The inner loops run over pixels of one row inside one cell, without
// branches, so that the compiler turns them into vector code.
#include "materials/procedural/noise.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace quarry::materials {
namespace {

constexpr std::size_t kDirections = 64;

/// Unit vectors, stretched so that the noise reaches about 1 (gradient noise of unit vectors stays
/// below 0.71).
const std::array<std::array<float, 2>, kDirections>& directions() {
  static const auto table = [] {
    std::array<std::array<float, 2>, kDirections> vectors{};
    for (std::size_t i = 0; i < kDirections; ++i) {
      const double angle = 6.283185307179586 * (static_cast<double>(i) + 0.5) / kDirections;
      vectors[i] = {static_cast<float>(1.41 * std::cos(angle)),
                    static_cast<float>(1.41 * std::sin(angle))};
    }
    return vectors;
  }();
  return table;
}

float fade(float t) {
  return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

/// Where a window lies on one side of a lattice. Cells are powers of two wide.
struct Span {
  unsigned shift;      // log2 of the cell's pixels
  std::int32_t first;  // cell of the window's first pixel, may be negative
  std::size_t cells;   // that the window touches
  std::uint32_t mask;  // of cell numbers across the texture

  Span(std::uint32_t size, std::uint32_t count, std::int32_t origin, std::uint32_t extent)
      : shift(static_cast<unsigned>(std::countr_zero(size / count))),
        first(origin >> shift),
        cells(static_cast<std::size_t>(((origin + static_cast<std::int32_t>(extent) - 1) >> shift) -
                                       first) +
              1),
        mask(count - 1) {}

  std::uint32_t cell_pixels() const { return 1u << shift; }
  std::uint32_t wrap(std::int32_t cell) const { return static_cast<std::uint32_t>(cell) & mask; }
};

/// Calls run(cell, first pixel of the window, pixels, first pixel's place in the cell) for each
/// cell along a row.
template <class Run>
void for_each_run(const Span& span, std::int32_t origin, std::uint32_t extent, Run run) {
  auto place = static_cast<std::uint32_t>(
      origin - span.first * static_cast<std::int32_t>(span.cell_pixels()));
  std::size_t cell = 0;
  for (std::uint32_t x = 0; x < extent; ++cell) {
    const std::uint32_t pixels = std::min(span.cell_pixels() - place, extent - x);
    run(cell, x, pixels, place);
    x += pixels;
    place = 0;
  }
}

/// The gradients on one row of lattice points under a window.
struct GradientRow {
  std::vector<float> x;
  std::vector<float> y;

  void fill(const Span& columns, std::uint32_t row, std::uint32_t seed) {
    x.resize(columns.cells + 1);
    y.resize(columns.cells + 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint32_t column = columns.wrap(columns.first + static_cast<std::int32_t>(i));
      const auto& direction = directions()[hash(column, row, seed) % kDirections];
      x[i] = direction[0];
      y[i] = direction[1];
    }
  }
};

/// Adds the pixels between two lattice columns: each side is a line, blended by the fade curve.
template <Shape kShape>
void add_run(float* sum, std::uint32_t pixels, std::uint32_t place, float cell_scale,
             float amplitude, std::array<float, 2> left, std::array<float, 2> right) {
  for (std::uint32_t i = 0; i < pixels; ++i) {
    const float t = (static_cast<float>(place + i) + 0.5f) * cell_scale;
    const float from = left[0] * t + left[1];
    const float to = right[0] * (t - 1.0f) + right[1];
    const float value = from + fade(t) * (to - from);
    sum[i] += amplitude * (kShape == Shape::ridged ? 1.0f - 2.0f * std::abs(value) : value);
  }
}

template <Shape kShape>
void add_octave(const Window& window, const Lattice& lattice, float amplitude, Field& sum) {
  const Span columns(window.size, lattice.columns, window.left, window.width);
  const Span rows(window.size, lattice.rows, window.top, window.height);
  const float column_scale = 1.0f / static_cast<float>(columns.cell_pixels());
  const float row_scale = 1.0f / static_cast<float>(rows.cell_pixels());
  GradientRow upper;
  GradientRow lower;
  std::vector<std::array<float, 2>> lines(columns.cells +
                                          1);  // slope and value at the lattice column
  std::int32_t current = std::numeric_limits<std::int32_t>::min();
  for (std::uint32_t y = 0; y < window.height; ++y) {
    const std::int32_t position = window.top + static_cast<std::int32_t>(y);
    const std::int32_t row = position >> rows.shift;
    if (row != current) {
      if (row == current + 1)
        std::swap(upper, lower);
      else
        upper.fill(columns, rows.wrap(row), lattice.seed);
      lower.fill(columns, rows.wrap(row + 1), lattice.seed);
      current = row;
    }
    const float t = (static_cast<float>(position - (row << rows.shift)) + 0.5f) * row_scale;
    const float weight = fade(t);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const float above = upper.y[i] * t;
      const float below = lower.y[i] * (t - 1.0f);
      lines[i] = {upper.x[i] + weight * (lower.x[i] - upper.x[i]),
                  above + weight * (below - above)};
    }
    float* sum_row = sum.data() + std::size_t{y} * window.width;
    for_each_run(columns, window.left, window.width,
                 [&](std::size_t cell, std::uint32_t x, std::uint32_t pixels, std::uint32_t first) {
                   add_run<kShape>(sum_row + x, pixels, first, column_scale, amplitude, lines[cell],
                                   lines[cell + 1]);
                 });
  }
}

/// The scattered points of three lattice rows around the current one.
struct PointRows {
  struct Point {
    float x;  // in cells, from the left border of its cell
    float y;
    float id;
  };
  std::array<std::vector<Point>, 3> rows;  // each one cell wider than the window on both sides

  void fill(std::size_t which, const Span& columns, std::uint32_t row, std::uint32_t seed,
            float jitter) {
    std::vector<Point>& points = rows[which];
    points.resize(columns.cells + 2);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::uint32_t column = columns.wrap(columns.first + static_cast<std::int32_t>(i) - 1);
      points[i] = {0.5f + jitter * (hash_unit(column, row, seed) - 0.5f),
                   0.5f + jitter * (hash_unit(column, row, seed + 1) - 0.5f),
                   hash_unit(column, row, seed + 2)};
    }
  }
};

/// Takes one point into the nearest and second-nearest squared distances of a run of pixels.
void take_point(float* nearest, float* second, float* id, std::uint32_t pixels, std::uint32_t place,
                float cell_scale, float dx, float dy, float point_id) {
  for (std::uint32_t i = 0; i < pixels; ++i) {
    const float x = dx - (static_cast<float>(place + i) + 0.5f) * cell_scale;
    const float square = x * x + dy * dy;
    const float before = nearest[i];
    const bool closer = square < before;
    second[i] = closer ? before : std::min(second[i], square);
    id[i] = closer ? point_id : id[i];
    nearest[i] = closer ? square : before;
  }
}

}  // namespace

Field fractal_noise(const Window& window, const Octaves& octaves) {
  Field sum(window.pixels());
  // Octaves are independent: their spread grows with the root of the sum of squares.
  float square = 0.0f;
  float amplitude = 1.0f;
  for (unsigned i = 0; i < octaves.count; ++i, amplitude *= octaves.gain)
    square += amplitude * amplitude;
  amplitude = 1.0f / std::sqrt(square);
  Lattice lattice = octaves.first;
  for (unsigned i = 0; i < octaves.count; ++i, amplitude *= octaves.gain) {
    if (std::max(lattice.columns, lattice.rows) > window.size / 2) break;
    if (octaves.shape == Shape::ridged)
      add_octave<Shape::ridged>(window, lattice, amplitude, sum);
    else
      add_octave<Shape::smooth>(window, lattice, amplitude, sum);
    lattice = {lattice.columns * 2, lattice.rows * 2, hash(i, 0, lattice.seed)};
  }
  return sum;
}

Cells cellular_noise(const Window& window, const Lattice& wanted, float jitter) {
  const Lattice lattice = {std::min(wanted.columns, window.size / 2),
                           std::min(wanted.rows, window.size / 2), wanted.seed};
  const Span columns(window.size, lattice.columns, window.left, window.width);
  const Span rows(window.size, lattice.rows, window.top, window.height);
  const float column_scale = 1.0f / static_cast<float>(columns.cell_pixels());
  const float row_scale = 1.0f / static_cast<float>(rows.cell_pixels());
  constexpr float kFar = 64.0f;
  Cells cells{Field(window.pixels(), kFar), Field(window.pixels(), kFar), Field(window.pixels())};
  PointRows points;
  std::int32_t current = std::numeric_limits<std::int32_t>::min();
  for (std::uint32_t y = 0; y < window.height; ++y) {
    const std::int32_t position = window.top + static_cast<std::int32_t>(y);
    const std::int32_t row = position >> rows.shift;
    if (row != current) {
      for (std::size_t i = 0; i < 3; ++i)
        points.fill(i, columns, rows.wrap(row + static_cast<std::int32_t>(i) - 1), lattice.seed,
                    jitter);
      current = row;
    }
    const float place = (static_cast<float>(position - (row << rows.shift)) + 0.5f) * row_scale;
    const std::size_t row_start = std::size_t{y} * window.width;
    for_each_run(columns, window.left, window.width,
                 [&](std::size_t cell, std::uint32_t x, std::uint32_t pixels, std::uint32_t first) {
                   for (std::size_t j = 0; j < 3; ++j)
                     for (std::size_t i = 0; i < 3; ++i) {
                       const PointRows::Point& point = points.rows[j][cell + i];
                       take_point(&cells.nearest[row_start + x], &cells.border[row_start + x],
                                  &cells.id[row_start + x], pixels, first, column_scale,
                                  point.x + static_cast<float>(i) - 1.0f,
                                  point.y + static_cast<float>(j) - 1.0f - place, point.id);
                     }
                 });
  }
  for (std::size_t i = 0; i < cells.nearest.size(); ++i) {
    cells.nearest[i] = std::sqrt(cells.nearest[i]);
    cells.border[i] = std::sqrt(cells.border[i]) - cells.nearest[i];
  }
  return cells;
}

}  // namespace quarry::materials
