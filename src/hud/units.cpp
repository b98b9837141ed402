// SPDX-License-Identifier: MIT
// Byte and count texts. See units.hpp.
#include "hud/units.hpp"

#include <cinttypes>
#include <cstddef>
#include <cstdio>

namespace quarry::hud {

Text bytes_text(std::uint64_t bytes) {
  static constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  Text text;
  if (bytes < 1024) {
    std::snprintf(text.characters.data(), text.characters.size(), "%" PRIu64 " B", bytes);
    return text;
  }
  // Tenths in integers, rounded half up; a value that rounds to 1024.0 takes the next unit.
  std::size_t unit = 0;
  std::uint64_t unit_bytes = 1024;
  std::uint64_t tenths = 0;
  for (;; ++unit, unit_bytes *= 1024) {
    const std::uint64_t whole = bytes / unit_bytes;
    // The largest rest, 2^60 - 1, times ten still fits.
    const std::uint64_t tenth = ((bytes % unit_bytes) * 10 + unit_bytes / 2) / unit_bytes;
    tenths = whole * 10 + tenth;
    if (tenths < 10240 || unit + 1 == kUnits.size()) break;
  }
  std::snprintf(text.characters.data(), text.characters.size(), "%" PRIu64 ".%" PRIu64 " %s",
                tenths / 10, tenths % 10, kUnits[unit]);
  return text;
}

Text count_text(std::uint64_t count) {
  std::array<char, 24> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "%" PRIu64, count);
  Text text;
  std::size_t out = 0;
  for (int i = 0; i < length; ++i) {
    if (i > 0 && (length - i) % 3 == 0) text.characters[out++] = ',';
    text.characters[out++] = digits[static_cast<std::size_t>(i)];
  }
  return text;
}

Text hex_text(std::uint64_t value) {
  Text text;
  std::snprintf(text.characters.data(), text.characters.size(), "0x%" PRIx64, value);
  return text;
}

}  // namespace quarry::hud
