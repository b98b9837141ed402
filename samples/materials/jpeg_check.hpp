// SPDX-License-Identifier: MIT
// Looks through a JPEG file for tables that stb_image 2.27 believes without checking: a Huffman
// table that claims more than 256 codes makes it write behind an array. Decodes nothing; reads the
// file once. Format: ITU-T T.81, annex B.
#pragma once

#include <cstdio>
#include <string>

namespace quarry::materials {

/// Empty when the file's segments are sound, else the reason. Leaves the file at its start.
std::string check_jpeg(std::FILE* file);

}  // namespace quarry::materials
