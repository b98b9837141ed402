// SPDX-License-Identifier: MIT
#include "plan/growth_ahead.hpp"

#include <algorithm>

namespace quarry::plan {

std::uint64_t GrowthAhead::observe(std::uint64_t used_bytes, std::uint64_t now,
                                   std::uint64_t lead) {
  if (!started_) {
    started_ = true;
    used_ = used_bytes;
    window_start_ = now;
    return 0;
  }
  const std::uint64_t windows = (now - window_start_) / lead;
  if (windows != 0) {
    in_window_before_ = windows == 1 ? in_window_ : 0;
    in_window_ = 0;
    window_start_ += windows * lead;
  }
  if (used_bytes > used_) {
    in_window_ += used_bytes - used_;
    last_growth_ = now;
    grew_ = true;
  }
  used_ = used_bytes;
  const std::uint64_t lately = std::max(in_window_, in_window_before_);
  if (lately != 0) return lately;
  return grew_ && now - last_growth_ <= kLeadsOfInterest * lead ? 1 : 0;
}

}  // namespace quarry::plan
