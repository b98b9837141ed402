// SPDX-License-Identifier: MIT
// One function for each procedural material, each in a file of its own name.
#pragma once

#include "materials/procedural/recipe.hpp"

namespace quarry::materials {

Shader make_stone(Dice dice);
Shader make_brushed_metal(Dice dice);
Shader make_wood(Dice dice);
Shader make_tiles(Dice dice);
Shader make_fabric(Dice dice);
Shader make_brick(Dice dice);
Shader make_marble(Dice dice);
Shader make_rusted_metal(Dice dice);
Shader make_leather(Dice dice);
Shader make_sand(Dice dice);
Shader make_concrete(Dice dice);
Shader make_hammered_metal(Dice dice);
Shader make_cobblestone(Dice dice);
Shader make_terrazzo(Dice dice);
Shader make_tread_plate(Dice dice);
Shader make_moss(Dice dice);

}  // namespace quarry::materials
