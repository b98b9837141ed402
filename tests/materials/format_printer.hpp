// SPDX-License-Identifier: MIT
// Lets GoogleTest print formats by name, also in the names of tests.
#pragma once

#include <ostream>

#include "materials/texture_format.hpp"

namespace quarry::materials {

inline void PrintTo(const FormatInfo& format,
                    std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << format.name;
}

}  // namespace quarry::materials
