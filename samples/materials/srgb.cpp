// SPDX-License-Identifier: MIT
// Fills the tables from the definition in IEC 61966-2-1.
#include "materials/srgb.hpp"

#include <cmath>

namespace quarry::materials {

const SrgbTables& SrgbTables::instance() {
  static const SrgbTables tables;
  return tables;
}

SrgbTables::SrgbTables() : decode_(), encode_() {
  for (std::uint32_t code = 0; code < decode_.size(); ++code) {
    const double value = code / 255.0;
    decode_[code] = static_cast<float>(value <= 0.04045 ? value / 12.92
                                                        : std::pow((value + 0.055) / 1.055, 2.4));
  }
  for (std::uint32_t step = 0; step < encode_.size(); ++step) {
    const double linear = static_cast<double>(step) / kSteps;
    const double value =
        linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
    encode_[step] = static_cast<std::uint8_t>(std::lround(255.0 * value));
  }
}

}  // namespace quarry::materials
