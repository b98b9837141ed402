// SPDX-License-Identifier: MIT
// The three block encoders of stb_dxt, as plain functions. 16 pixels in rows; RGBA, R or RG bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quarry::materials::stb {

void encode_bc1(const std::uint8_t* rgba, bool thorough, std::byte* block);
void encode_bc3(const std::uint8_t* rgba, bool thorough, std::byte* block);
void encode_bc4(const std::uint8_t* r, std::byte* block);
void encode_bc5(const std::uint8_t* rg, std::byte* block);

}  // namespace quarry::materials::stb
