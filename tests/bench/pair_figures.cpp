// SPDX-License-Identifier: MIT
#include "bench/pair_figures.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include "bench/clock.hpp"

namespace quarry::bench {

namespace {

template <class Body>
double time_each(Body&& body, std::uint64_t count) {
  const std::uint64_t start = now_ns();
  body(count);
  return static_cast<double>(now_ns() - start) / static_cast<double>(count);
}

/// One subject in its steady state, with its own length of turn.
template <class Subject>
class Contender {
 public:
  explicit Contender(const PairPlan& plan)
      : subject_(std::make_unique<Subject>(plan.subject)), rig_(*subject_, plan.pair) {
    const double ns = time_each([&](std::uint64_t n) { rig_.run(n); }, 1000);
    pairs_ = std::max<std::uint64_t>(
        100, static_cast<std::uint64_t>(static_cast<double>(plan.turn_ns) / ns));
    rig_.run(pairs_);
  }
  void turn() {
    times_.push_back(time_each([&](std::uint64_t n) { rig_.run(n); }, pairs_));
  }
  double result() const { return median(times_); }

 private:
  std::unique_ptr<Subject> subject_;
  PairRig<Subject> rig_;
  std::uint64_t pairs_ = 0;
  std::vector<double> times_;
};

constexpr std::uint32_t kTableLines = 1'000'000;

struct alignas(64) Line {
  std::uint64_t value = 0;
};

[[gnu::noinline]] void touching_loop(QuarrySubject& subject, PairState& state,
                                     std::vector<Line>& table, std::uint64_t pairs) {
  for (std::uint64_t i = 0; i < pairs; ++i) {
    std::uint64_t& slot = state.victim();
    ++table[state.random.below(kTableLines)].value;
    state.refused += subject.free(slot) ? 0 : 1;
    slot = subject.allocate(state.next_request());
    state.refused += slot != 0 ? 0 : 1;
  }
}

[[gnu::noinline]] std::uint64_t touch_alone(std::vector<Line>& table, Random& random,
                                            std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i)
    ++table[random.below(kTableLines)].value;
  return table[0].value;
}

[[gnu::noinline]] std::uint64_t touch_chained(std::vector<Line>& table, Random& random,
                                              std::uint64_t count) {
  std::uint32_t before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Line& line = table[random.below(kTableLines - 1) + before];
    before = static_cast<std::uint32_t>(++line.value & 1);
  }
  return before;
}

}  // namespace

PairTimes time_pairs(const PairPlan& plan) {
  Contender<QuarrySubject> quarry(plan);
  Contender<ReferenceSubject> reference(plan);
  for (std::uint32_t i = 0; i < plan.turns; ++i) {
    quarry.turn();
    reference.turn();
  }
  return {quarry.result(), reference.result()};
}

BlockCountRatios time_block_counts(std::uint64_t seed) {
  constexpr std::array<Workload, 3> kWorkloads = {Workload::fixed_4k, Workload::mixed,
                                                  Workload::large};
  BlockCountRatios worst;
  for (const Workload workload : kWorkloads) {
    std::array<PairTimes, 2> times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      PairPlan plan;
      const std::uint64_t blocks = i == 0 ? 1 : 4096;
      plan.pair = {workload, 2000, blocks, seed};
      plan.subject.first_block = kFilledBytes / blocks;
      plan.subject.largest_block = plan.subject.first_block;
      plan.turns = 15;
      times[i] = time_pairs(plan);
      std::printf("  %-8s %5llu blocks: quarry %8.1f ns, reference %8.1f ns\n", to_string(workload),
                  static_cast<unsigned long long>(blocks), times[i].quarry, times[i].reference);
    }
    worst.quarry = std::max(worst.quarry, times[1].quarry / times[0].quarry);
    worst.reference = std::max(worst.reference, times[1].reference / times[0].reference);
  }
  return worst;
}

ManyLive time_many_live(std::uint64_t seed) {
  ManyLive result;
  PairPlan plan;
  plan.pair = {Workload::mixed, kTableLines, 0, seed};
  plan.turn_ns = 20'000'000;
  plan.turns = 15;
  result.pair = time_pairs(plan);

  QuarrySubject subject(SubjectDesc{});
  PairRig<QuarrySubject> rig(subject, {Workload::mixed, 10'000, 0, seed});
  rig.run(10'000);
  std::vector<Line> table(kTableLines);
  Random random(seed);
  std::vector<double> with_pairs;
  std::vector<double> alone;
  std::vector<double> chained;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < plan.turns; ++i) {
    with_pairs.push_back(
        time_each([&](std::uint64_t n) { touching_loop(subject, rig.state(), table, n); }, 30'000));
    alone.push_back(
        time_each([&](std::uint64_t n) { sum += touch_alone(table, random, n); }, 200'000));
    chained.push_back(
        time_each([&](std::uint64_t n) { sum += touch_chained(table, random, n); }, 50'000));
  }
  volatile std::uint64_t keep = sum;
  (void)keep;
  result.touch = median(with_pairs);
  result.touch_alone = median(alone);
  result.touch_chained = median(chained);
  return result;
}

}  // namespace quarry::bench
