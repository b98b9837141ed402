// SPDX-License-Identifier: MIT
// What stands above every report, and the flat JSON file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace quarry::bench {

/// Machine, seed and command, one line each.
void print_heading(const std::vector<std::string>& command, std::uint64_t seed);

using Figures = std::vector<std::pair<std::string, double>>;

/// One object, one figure a line, in the order given. False: the file could not be written.
bool write_json(const std::string& path, const Figures& figures);

}  // namespace quarry::bench
