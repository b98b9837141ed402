// SPDX-License-Identifier: MIT
// How many bytes of empty blocks to keep ready, from how fast blocks were taken into use lately.
// Pure arithmetic, O(1).
#pragma once

#include <cstdint>

namespace quarry::plan {

class GrowthAhead {
 public:
  /// While blocks were taken into use within as many leads, one is kept ready at least.
  static constexpr std::uint64_t kLeadsOfInterest = 8;

  /// Takes note that `used_bytes` of blocks are in use (not empty) at the time `now`. Returns the
  /// bytes to have ready: what was newly taken into use in the last `lead` milliseconds or in those
  /// before them, whichever is more; at least 1 while any was in the last kLeadsOfInterest leads;
  /// else 0. The first call only takes note. Times are milliseconds and must not decrease; `lead`
  /// is not 0.
  std::uint64_t observe(std::uint64_t used_bytes, std::uint64_t now, std::uint64_t lead);

 private:
  bool started_ = false;
  std::uint64_t used_ = 0;
  std::uint64_t window_start_ = 0;
  std::uint64_t in_window_ = 0;
  std::uint64_t in_window_before_ = 0;
  std::uint64_t last_growth_ = 0;
  bool grew_ = false;
};

}  // namespace quarry::plan
