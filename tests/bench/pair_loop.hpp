// SPDX-License-Identifier: MIT
// The steady state that every pair figure measures: a number of live allocations, of which one at
// random is freed and one is allocated anew. The loop is a function of its own, `measured_loop`, so
// that callgrind can count it alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "bench/random.hpp"
#include "bench/workload.hpp"

namespace quarry::bench {

/// Bytes that the blocks of a filled rig have in all: 4,096 blocks of 4 MiB.
constexpr std::uint64_t kFilledBytes = std::uint64_t{16} << 30;

struct PairDesc {
  Workload workload = Workload::fixed_4k;
  std::size_t live = 10'000;
  /// Before the live set, blocks are filled with 64 KiB-1 MiB allocations until there are this many
  /// VkDeviceMemory objects; 15 % of them, at random, are then freed. 0: none.
  std::uint64_t filled_blocks = 0;
  std::uint64_t seed = 1;
  std::uint64_t filled_bytes = kFilledBytes;  ///< that those blocks have in all
};

/// The live set and what comes next.
struct PairState {
  explicit PairState(const PairDesc& desc)
      : requests(make_requests(desc.workload, kRequests, desc.seed)), random(desc.seed + 1) {}

  static constexpr std::size_t kRequests = 16'384;  ///< a power of two
  std::vector<Request> requests;
  std::vector<std::uint64_t> live;
  Random random;
  std::size_t next = 0;
  std::uint64_t refused = 0;

  const Request& next_request() { return requests[next++ & (kRequests - 1)]; }
  std::uint64_t& victim() { return live[random.below(static_cast<std::uint32_t>(live.size()))]; }
};

template <class Subject>
[[gnu::noinline]] void measured_loop(Subject& subject, PairState& state, std::uint64_t pairs) {
  for (std::uint64_t i = 0; i < pairs; ++i) {
    std::uint64_t& slot = state.victim();
    state.refused += subject.free(slot) ? 0 : 1;
    slot = subject.allocate(state.next_request());
    state.refused += slot != 0 ? 0 : 1;
  }
}

/// A subject in the steady state. What it holds at the end goes with its fake GPU.
template <class Subject>
class PairRig {
 public:
  PairRig(Subject& subject, const PairDesc& desc) : subject_(subject), state_(desc) {
    fill_blocks(desc);
    state_.live.reserve(desc.live);
    while (state_.live.size() < desc.live)
      state_.live.push_back(subject_.allocate(state_.next_request()));
    // Freed in an order that has nothing to do with the order of allocation.
    for (std::size_t i = state_.live.size(); i > 1; --i)
      std::swap(state_.live[i - 1],
                state_.live[state_.random.below(static_cast<std::uint32_t>(i))]);
    check(std::count(state_.live.begin(), state_.live.end(), 0u) == 0);
  }

  void run(std::uint64_t pairs) {
    measured_loop(subject_, state_, pairs);
    check(state_.refused == 0);
  }

  PairState& state() { return state_; }

 private:
  static void check(bool served) {
    if (served) return;
    std::fprintf(stderr, "%s refused an operation\n", Subject::kName);
    std::abort();
  }

  void fill_blocks(const PairDesc& desc) {
    if (desc.filled_blocks == 0) return;
    const std::vector<Request> requests = make_requests(Workload::large, 4096, desc.seed + 2);
    std::vector<std::uint64_t> filling;
    // Short of what a single block holds, so that no second one is opened.
    const std::uint64_t bytes_wanted = desc.filled_bytes / 16 * 15;
    std::uint64_t bytes = 0;
    while (bytes < bytes_wanted || subject_.memory_count() < desc.filled_blocks) {
      const Request& request = requests[filling.size() % requests.size()];
      filling.push_back(subject_.allocate(request));
      bytes += request.requirements.size;
    }
    for (const std::uint64_t handle : filling) {
      if (state_.random.below(100) < 15) check(subject_.free(handle));
    }
  }

  Subject& subject_;
  PairState state_;
};

}  // namespace quarry::bench
