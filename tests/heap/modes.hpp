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
  bool background = false;  ///< a thread of the library's works beside

  bool has_caches() const {
    return !policy.deterministic && policy.largest_slot != 0 && policy.thread_cache_bytes != 0;
  }
  void apply(AllocatorDesc& desc) const {
    desc.hot_path = policy;
    if (!background) return;
    desc.background = {.work = BackgroundWork::own_thread, .interval_milliseconds = 1};
    desc.clock = nullptr;  // a test's clock is no atomic
  }
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

/// For tests that check nothing while something else works: with a thread of the library's, too.
inline std::vector<Mode> modes_of_threads() {
  std::vector<Mode> all = modes();
  all.push_back({"background", {}, true});
  return all;
}

inline std::string name_of_mode(const testing::TestParamInfo<Mode>& info) {
  return info.param.name;
}

inline void PrintTo(const Mode& mode, std::ostream* stream) {
  *stream << mode.name;
}

}  // namespace quarry::test
