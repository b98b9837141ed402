// SPDX-License-Identifier: MIT
// Which of the 255 allocator numbers in handles are taken: process-wide, so that a handle of one
// allocator is never taken for another's. Numbers are given out in turn, so that one comes back as
// late as possible.
#pragma once

#include <cstdint>

namespace quarry::heap {

/// 1 to 255, or 0 when that many allocators live. Any thread.
std::uint8_t take_allocator_id();
void give_back_allocator_id(std::uint8_t id);

}  // namespace quarry::heap
