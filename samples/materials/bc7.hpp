// SPDX-License-Identifier: MIT
// BC7 blocks of mode 6 alone: one line through RGBA space with 7-bit endpoints, a shared low bit
// each and 16 steps. About 42 dB on photographs; a full encoder would try seven more modes. Format:
// Khronos Data Format Specification 1.3, "BC7".
#pragma once

#include <cstddef>
#include <cstdint>

namespace quarry::materials::bc7 {

/// 16 RGBA pixels in rows to 16 bytes.
void encode(const std::uint8_t* rgba, std::byte* block);

/// False when the block is of another mode; `rgba` is left alone then.
[[nodiscard]] bool decode(const std::byte* block, std::uint8_t* rgba);

}  // namespace quarry::materials::bc7
