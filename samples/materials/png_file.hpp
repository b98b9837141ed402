// SPDX-License-Identifier: MIT
// Writes pictures as PNG, atomically.
#pragma once

#include <filesystem>

#include "materials/pixels.hpp"
#include "materials/problem.hpp"

namespace quarry::materials {

Status write_png(const std::filesystem::path& path, const Image& image);

}  // namespace quarry::materials
