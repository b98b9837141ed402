// SPDX-License-Identifier: MIT
// Deliberate breaches: for each rule of the oracle a deed that breaks this rule and no other.
#pragma once

#include <functional>
#include <vector>

#include "fakes/bench.hpp"

namespace quarry::fakes {

struct Breach {
  Rule rule = Rule::count;
  FakeProfile profile;
  std::function<void(Bench&)> deed;
};

std::vector<Breach> call_breaches();      ///< calls and structures
std::vector<Breach> memory_breaches();    ///< vkAllocateMemory, vkFreeMemory
std::vector<Breach> mapping_breaches();   ///< map, unmap, flush, invalidate
std::vector<Breach> resource_breaches();  ///< creation and requirements
std::vector<Breach> bind_breaches();      ///< binding
std::vector<Breach> lifetime_breaches();  ///< use, destruction, byte map
std::vector<Breach> command_breaches();   ///< recorded commands
std::vector<Breach> image_command_breaches();

}  // namespace quarry::fakes
