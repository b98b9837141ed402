// SPDX-License-Identifier: MIT
// Reflectances of metals at normal incidence, linear light.
#pragma once

#include "materials/procedural/shading.hpp"

namespace quarry::materials::metals {

inline constexpr Rgb kIron = {0.56f, 0.57f, 0.58f};
inline constexpr Rgb kAluminium = {0.91f, 0.92f, 0.92f};
inline constexpr Rgb kCopper = {0.95f, 0.64f, 0.54f};
inline constexpr Rgb kGold = {1.00f, 0.77f, 0.34f};
inline constexpr Rgb kBrass = {0.91f, 0.78f, 0.42f};
inline constexpr Rgb kTitanium = {0.54f, 0.50f, 0.45f};
inline constexpr Rgb kBronze = {0.71f, 0.52f, 0.29f};

}  // namespace quarry::materials::metals
