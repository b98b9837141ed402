// SPDX-License-Identifier: MIT
#include "heap/allocator_ids.hpp"

#include <bitset>
#include <cstddef>

#include "base/mutex.hpp"

namespace quarry::heap {

namespace {

constexpr std::size_t kIds = 255;

// NOLINTBEGIN(*-avoid-non-const-global-variables): process-wide by purpose
base::Mutex mutex;  // a leaf: nothing is called with it held
std::bitset<kIds> taken QUARRY_GUARDED_BY(mutex);
std::size_t last QUARRY_GUARDED_BY(mutex) = kIds - 1;
// NOLINTEND(*-avoid-non-const-global-variables)

}  // namespace

std::uint8_t take_allocator_id() {
  const base::MutexLock lock(mutex);
  for (std::size_t i = 1; i <= kIds; ++i) {
    const std::size_t index = (last + i) % kIds;
    if (taken[index]) continue;
    taken[index] = true;
    last = index;
    return static_cast<std::uint8_t>(index + 1);
  }
  return 0;
}

void give_back_allocator_id(std::uint8_t id) {
  const base::MutexLock lock(mutex);
  taken[id - 1u] = false;
}

}  // namespace quarry::heap
