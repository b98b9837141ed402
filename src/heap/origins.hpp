// SPDX-License-Identifier: MIT
// How requests were worded, for explain(): the few wordings that a program uses, each once, so that
// a record holds a number of ten bits. Lookup takes no lock.
#pragma once

#include <atomic>
#include <cstdint>

#include <quarry/allocation.hpp>
#include <quarry/explain.hpp>

#include "base/chunked_array.hpp"
#include "base/mutex.hpp"
#include "heap/record.hpp"

namespace quarry::heap {

struct Origin {
  std::uint32_t type_bits = 0;
  std::uint16_t required_flags = 0;
  std::uint16_t preferred_flags = 0;
  std::uint16_t forbidden_flags = 0;
  MemoryIntent intent = MemoryIntent::device;
  ResourceKind kind = ResourceKind::unknown;
  MovableVerdict movable = MovableVerdict::not_requested;
  bool transient_image = false;
  bool wants_protected = false;
  friend bool operator==(const Origin&, const Origin&) = default;
};

/// Thread-safe.
class Origins {
 public:
  explicit Origins(const HostMemory& host) : origins_(host) {}

  /// The number of this wording; 0 when the table is full or there is no host memory.
  std::uint32_t find_or_add(const Origin& origin);
  /// Precondition: a number that find_or_add gave, not 0.
  const Origin& operator[](std::uint32_t number) const { return origins_[number - 1]; }

 private:
  static constexpr std::uint32_t kMost = (1u << Record::kOriginBits) - 1;
  static constexpr std::uint32_t kPlaces = 2 * (kMost + 1);

  std::uint32_t place_of(const Origin& origin, std::uint32_t& found) const;

  std::atomic<std::uint16_t> places_[kPlaces]{};  ///< open addressing; numbers, 0: vacant
  base::ChunkedArray<Origin> origins_;
  base::Mutex mutex_;  ///< a leaf: only the host callbacks are called with it held
};

}  // namespace quarry::heap
