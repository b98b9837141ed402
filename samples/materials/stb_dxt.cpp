// SPDX-License-Identifier: MIT
// The one place where stb_dxt is compiled; warnings are off for it.
#include <string.h>  // stb_dxt.h uses memcpy and does not include it for C++

#define STB_DXT_STATIC
#define STB_DXT_IMPLEMENTATION
#include <stb/stb_dxt.h>

#include "materials/stb_dxt.hpp"

namespace quarry::materials::stb {
namespace {

unsigned char* bytes(std::byte* block) {
  return reinterpret_cast<unsigned char*>(block);
}
int mode(bool thorough) {
  return thorough ? STB_DXT_HIGHQUAL : STB_DXT_NORMAL;
}

}  // namespace

void encode_bc1(const std::uint8_t* rgba, bool thorough, std::byte* block) {
  stb_compress_dxt_block(bytes(block), rgba, 0, mode(thorough));
}

void encode_bc3(const std::uint8_t* rgba, bool thorough, std::byte* block) {
  stb_compress_dxt_block(bytes(block), rgba, 1, mode(thorough));
}

void encode_bc4(const std::uint8_t* r, std::byte* block) {
  stb_compress_bc4_block(bytes(block), r);
}

void encode_bc5(const std::uint8_t* rg, std::byte* block) {
  stb_compress_bc5_block(bytes(block), rg);
}

}  // namespace quarry::materials::stb
