// SPDX-License-Identifier: MIT
// Numbers as people read them: bytes in binary units with one decimal, counts with thousands apart.
#pragma once

#include <array>
#include <cstdint>

namespace quarry::hud {

/// A short text without host memory; always terminated.
struct Text {
  std::array<char, 32> characters{};
  const char* c_str() const { return characters.data(); }
};

/// "640 B", "12.3 KiB", "1.0 GiB": never four digits before the point below 1024 TiB.
Text bytes_text(std::uint64_t bytes);
/// "1,234,567".
Text count_text(std::uint64_t count);
/// "0x1a40", for offsets.
Text hex_text(std::uint64_t value);

}  // namespace quarry::hud
