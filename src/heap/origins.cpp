// SPDX-License-Identifier: MIT
#include "heap/origins.hpp"

namespace quarry::heap {

namespace {

std::uint64_t hash(const Origin& origin) {
  constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;  // 2^64 over the golden ratio
  std::uint64_t bits =
      std::uint64_t{origin.required_flags} << 48 | std::uint64_t{origin.preferred_flags} << 32 |
      std::uint64_t{origin.forbidden_flags} << 16 | static_cast<std::uint64_t>(origin.intent) << 8 |
      static_cast<std::uint64_t>(origin.movable) << 4 |
      static_cast<std::uint64_t>(origin.kind) << 2 | (origin.transient_image ? 2u : 0u) |
      (origin.wants_protected ? 1u : 0u);
  bits = (bits ^ bits >> 29) * kOdd + origin.type_bits;
  return (bits ^ bits >> 32) * kOdd >> 32;
}

}  // namespace

std::uint32_t Origins::place_of(const Origin& origin, std::uint32_t& found) const {
  auto place = static_cast<std::uint32_t>(hash(origin)) % kPlaces;
  // Half of the places are vacant, so the walk ends.
  for (;; place = (place + 1) % kPlaces) {
    found = places_[place].load(std::memory_order_acquire);
    if (found == 0 || origins_[found - 1] == origin) return place;
  }
}

std::uint32_t Origins::find_or_add(const Origin& origin) {
  std::uint32_t found = 0;
  (void)place_of(origin, found);
  if (found != 0) return found;
  const base::MutexLock lock(mutex_);
  const std::uint32_t place = place_of(origin, found);
  if (found != 0 || origins_.size() == kMost) return found;
  if (origins_.emplace_back(origin) == nullptr) return 0;
  places_[place].store(static_cast<std::uint16_t>(origins_.size()), std::memory_order_release);
  return origins_.size();
}

}  // namespace quarry::heap
