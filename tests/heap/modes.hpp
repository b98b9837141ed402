// SPDX-License-Identifier: MIT
// The ways in which small requests can be served. What holds for an allocator's user holds in each.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <quarry/allocator.hpp>

namespace quarry::test {

struct Mode {
  std::string name;
  HotPathPolicy policy;

  bool has_caches() const {
    return !policy.deterministic && policy.largest_slot != 0 && policy.thread_cache_bytes != 0;
  }
  void apply(AllocatorDesc& desc) const { desc.hot_path = policy; }
};

inline std::vector<Mode> modes() {
  return {
      {"standard", {}},
      {"deterministic", {.deterministic = true}},
      {"no_slabs", {.largest_slot = 0}},
      {"small_slots", {.largest_slot = 1'000}},
      {"no_caches", {.thread_cache_bytes = 0}},
      {"tiny_caches", {.thread_cache_bytes = VkDeviceSize{256} << 10}},
  };
}

inline std::string name_of_mode(const testing::TestParamInfo<Mode>& info) {
  return info.param.name;
}

inline void PrintTo(const Mode& mode, std::ostream* stream) {
  *stream << mode.name;
}

}  // namespace quarry::test
