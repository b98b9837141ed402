// SPDX-License-Identifier: MIT
// Numbers for the ids that are live: small, used again latest first, so that a reader who sees the
// same order of events finds the same numbers without being told. A hash table with linear probing;
// all operations O(1) expected. Not thread-safe.
#pragma once

#include <cstdint>

#include <quarry/host_memory.hpp>

#include "base/host_array.hpp"

namespace quarry::observe {

/// The numbers alone: what recorder and reader must agree upon.
class SlotNumbers {
 public:
  explicit SlotNumbers(const HostMemory& host) : free_(host), is_live_(host) {}

  /// False when there is no host memory.
  [[nodiscard]] bool take(std::uint32_t& slot);
  /// False for a number that is not live.
  [[nodiscard]] bool give_back(std::uint64_t slot);

 private:
  base::HostArray<std::uint32_t> free_;  // capacity for every number, so that give_back never fails
  base::HostArray<std::uint8_t> is_live_;
};

class LiveIds {
 public:
  explicit LiveIds(const HostMemory& host) : entries_(host), numbers_(host) {}

  bool contains(std::uint64_t id) const;
  /// Precondition: not contained. False, with nothing changed, when there is no host memory.
  [[nodiscard]] bool add(std::uint64_t id);
  /// The number it had. Precondition: contained.
  std::uint32_t remove(std::uint64_t id);

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::uint32_t slot = kEmpty;
  };
  static constexpr std::uint32_t kEmpty = 0xFFFF'FFFFu;

  std::size_t home(std::uint64_t id) const;
  /// Where the id is, or the empty entry where it would go.
  std::size_t find(std::uint64_t id) const;
  bool make_room();

  base::HostArray<Entry> entries_;  // a power of two, at most half of them in use
  std::size_t count_ = 0;
  SlotNumbers numbers_;
};

}  // namespace quarry::observe
