// SPDX-License-Identifier: MIT
#include "heap/allocator_ids.hpp"

#include <atomic>

namespace quarry::heap {

namespace {

constexpr std::uint32_t kIds = 255;
std::atomic<bool>
    taken[kIds + 1];  // NOLINT(*-avoid-non-const-global-variables): process-wide by purpose
std::atomic<std::uint32_t> turn{0};  // NOLINT(*-avoid-non-const-global-variables)

}  // namespace

std::uint8_t take_allocator_id() {
  for (std::uint32_t attempt = 0; attempt < kIds; ++attempt) {
    const std::uint32_t id = turn.fetch_add(1, std::memory_order_relaxed) % kIds + 1;
    bool expected = false;
    if (taken[id].compare_exchange_strong(expected, true, std::memory_order_acq_rel)) {
      return static_cast<std::uint8_t>(id);
    }
  }
  return 0;
}

void give_back_allocator_id(std::uint8_t id) {
  taken[id].store(false, std::memory_order_release);
}

}  // namespace quarry::heap
