// SPDX-License-Identifier: MIT
// The order in which sets are made.
#include "materials/procedural/recipe_list.hpp"

#include <array>

namespace quarry::materials {

std::span<const Recipe> recipes() {
  static constexpr std::array kRecipes = {
      Recipe{"stone", make_stone},
      Recipe{"brushed-metal", make_brushed_metal},
      Recipe{"wood", make_wood},
      Recipe{"tiles", make_tiles},
      Recipe{"fabric", make_fabric},
      Recipe{"brick", make_brick},
      Recipe{"marble", make_marble},
      Recipe{"rusted-metal", make_rusted_metal},
      Recipe{"leather", make_leather},
      Recipe{"sand", make_sand},
      Recipe{"concrete", make_concrete},
      Recipe{"hammered-metal", make_hammered_metal},
      Recipe{"cobblestone", make_cobblestone},
      Recipe{"terrazzo", make_terrazzo},
      Recipe{"tread-plate", make_tread_plate},
      Recipe{"moss", make_moss},
  };
  return kRecipes;
}

}  // namespace quarry::materials
