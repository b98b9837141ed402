// SPDX-License-Identifier: MIT
// A picture of replays as SVG: bytes live and reserved over the frames, fragmentation below.
#pragma once

#include <string>
#include <vector>

#include "bench/replay.hpp"

namespace quarry::bench {

struct NamedReplay {
  std::string name;
  ReplayResult result;
};

/// All of the same trace; at least one, with samples.
std::string plot_svg(const std::string& title, const std::vector<NamedReplay>& replays);

}  // namespace quarry::bench
