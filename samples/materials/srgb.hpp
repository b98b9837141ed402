// SPDX-License-Identifier: MIT
// The sRGB transfer function by table. Encoding looks up 1/16383 steps of linear light, which keeps
// every byte within half a code of the exact function (the slope near black is 0.2 codes a step).
#pragma once

#include <array>
#include <cstdint>

namespace quarry::materials {

class SrgbTables {
 public:
  static const SrgbTables& instance();

  /// Linear light of a code, 0 to 1.
  float decode(std::uint8_t code) const { return decode_[code]; }

  /// The code of linear light; clamps to 0 to 1.
  std::uint8_t encode(float linear) const {
    const float clamped = linear < 0.0f ? 0.0f : (linear > 1.0f ? 1.0f : linear);
    const float step = clamped * kSteps + 0.5f;  // never negative: cutting off rounds
    return encode_[static_cast<std::uint32_t>(step)];
  }

 private:
  static constexpr float kSteps = 16383.0f;
  SrgbTables();

  std::array<float, 256> decode_;
  std::array<std::uint8_t, 16384> encode_;
};

}  // namespace quarry::materials
