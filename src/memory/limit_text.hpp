// SPDX-License-Identifier: MIT
// Limits of heaps as people write them into the environment: "0:2GiB,1:50%".
#pragma once

#include <array>
#include <string_view>

#include <vulkan/vulkan_core.h>

#include <quarry/budget.hpp>

namespace quarry::memory {

struct HeapLimits {
  std::array<ProcessLimit, VK_MAX_MEMORY_HEAPS> limits{};
  std::uint32_t count = 0;
};

/// Reads heap:amount pairs with commas between them, blanks anywhere between the parts. An amount
/// is a whole or decimal number and B, KiB, MiB, GiB, TiB or %; at most 100 %, and above 0. An
/// empty text has no limits. Of several for one heap each holds. False where the text says anything
/// else.
bool read_limits(std::string_view text, HeapLimits& limits);

}  // namespace quarry::memory
