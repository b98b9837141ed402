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

/// The live set and what comes next. Drawn beforehand, so that the loop counts few instructions of
/// its own.
struct alignas(128) PairState {  // of one thread: its neighbours' are not on its lines
  explicit PairState(const PairDesc& desc)
      : requests(make_requests(desc.workload, kSteps, desc.seed)), random(desc.seed + 1) {}

  static constexpr std::uint64_t kSteps = 16'384;  ///< a power of two
  std::vector<Request> requests;
  std::vector<std::uint32_t> victims;  ///< which of the live ones is freed
  std::vector<std::uint64_t> live;
  Random random;
  std::uint64_t next = 0;
  std::uint64_t refused = 0;

  const Request& next_request() { return requests[next++ % kSteps]; }
  /// Once all that shall live does.
  void draw_victims() {
    victims.resize(kSteps);
    for (std::uint32_t& victim : victims)
      victim = random.below(static_cast<std::uint32_t>(live.size()));
  }
  /// Each time that the requests come round the victims are others.
  std::uint64_t first_victim() const {
    constexpr std::uint64_t kOdd = 5'867;
    return (next + next / kSteps * kOdd) % kSteps;
  }
};

template <class Subject>
[[gnu::noinline]] void measured_loop(Subject& subject, PairState& state, std::uint64_t pairs) {
  std::uint64_t* const live = state.live.data();
  std::uint64_t refused = 0;
  while (pairs != 0) {
    const Request* request = &state.requests[state.next % PairState::kSteps];
    const std::uint32_t* victim = &state.victims[state.first_victim()];
    const std::uint64_t length =
        std::min({pairs, PairState::kSteps - state.next % PairState::kSteps,
                  PairState::kSteps - state.first_victim()});
    for (const Request* const end = request + length; request != end; ++request, ++victim) {
      std::uint64_t& slot = live[*victim];
      if (!subject.free(slot)) ++refused;
      slot = subject.allocate(*request);
      if (slot == 0) ++refused;
    }
    state.next += length;
    pairs -= length;
  }
  state.refused += refused;
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
    state_.draw_victims();
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
