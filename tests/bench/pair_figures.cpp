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
  const std::uint64_t start = thread_ns();
  body(count);
  return static_cast<double>(thread_ns() - start) / static_cast<double>(count);
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
    rig_.run(pairs_ / 8);  // the others' turns emptied the caches
    times_.push_back(time_each([&](std::uint64_t n) { rig_.run(n); }, pairs_));
  }
  double result() const { return median(times_); }

 private:
  std::unique_ptr<Subject> subject_;
  PairRig<Subject> rig_;
  std::uint64_t pairs_ = 0;
  std::vector<double> times_;
};

struct alignas(64) Line {
  std::uint64_t value = 0;
};

[[gnu::noinline]] void touching_loop(QuarrySubject& subject, PairState& state,
                                     std::vector<Line>& table, std::uint64_t pairs) {
  const auto lines = static_cast<std::uint32_t>(table.size());
  for (std::uint64_t i = 0; i < pairs; ++i) {
    ++table[state.random.below(lines)].value;
    measured_loop(subject, state, 1);
  }
}

[[gnu::noinline]] std::uint64_t touch_alone(std::vector<Line>& table, Random& random,
                                            std::uint64_t count) {
  const auto lines = static_cast<std::uint32_t>(table.size());
  for (std::uint64_t i = 0; i < count; ++i)
    ++table[random.below(lines)].value;
  return table[0].value;
}

[[gnu::noinline]] std::uint64_t touch_chained(std::vector<Line>& table, Random& random,
                                              std::uint64_t count) {
  const auto lines = static_cast<std::uint32_t>(table.size());
  std::uint32_t before = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Line& line = table[random.below(lines - 1) + before];
    before = static_cast<std::uint32_t>(++line.value & 1);
  }
  return before;
}

}  // namespace

std::vector<PairTimes> time_pairs(std::span<const PairPlan> plans) {
  std::vector<std::unique_ptr<Contender<QuarrySubject>>> quarry;
  std::vector<std::unique_ptr<Contender<ReferenceSubject>>> reference;
  std::uint32_t turns = 0;
  for (const PairPlan& plan : plans) {
    quarry.push_back(std::make_unique<Contender<QuarrySubject>>(plan));
    reference.push_back(std::make_unique<Contender<ReferenceSubject>>(plan));
    turns = std::max(turns, plan.turns);
  }
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      quarry[i]->turn();
      reference[i]->turn();
    }
  }
  std::vector<PairTimes> times;
  for (std::size_t i = 0; i < plans.size(); ++i)
    times.push_back({quarry[i]->result(), reference[i]->result()});
  return times;
}

BlockCountRatios time_block_counts(std::uint64_t seed, Effort effort) {
  constexpr std::array<Workload, 3> kWorkloads = {Workload::fixed_4k, Workload::mixed,
                                                  Workload::large};
  // A smoke run makes do with 64 blocks of 4 MiB.
  const std::uint64_t many = effort.divisor == 1 ? 4096 : 64;
  const std::array<std::uint64_t, 2> blocks = {1, many};
  BlockCountRatios worst;
  for (const Workload workload : kWorkloads) {
    std::array<PairPlan, 2> plans;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const std::uint64_t filled_bytes = kFilledBytes / 4096 * many;
      plans[i].pair = {workload, effort.count(2000), blocks[i], seed, filled_bytes};
      plans[i].subject.first_block = filled_bytes / blocks[i];
      plans[i].subject.largest_block = plans[i].subject.first_block;
      plans[i].turns = effort.turns(15);
      // Long enough that most pairs find their block in the cache again.
      plans[i].turn_ns = effort.nanoseconds(10'000'000);
    }
    const std::vector<PairTimes> times = time_pairs(plans);
    for (std::size_t i = 0; i < plans.size(); ++i)
      std::printf("  %-8s %5llu blocks: quarry %8.1f ns, reference %8.1f ns\n", to_string(workload),
                  static_cast<unsigned long long>(blocks[i]), times[i].quarry, times[i].reference);
    worst.quarry = std::max(worst.quarry, times[1].quarry / times[0].quarry);
    worst.reference = std::max(worst.reference, times[1].reference / times[0].reference);
  }
  return worst;
}

ManyLive time_many_live(std::uint64_t seed, Effort effort) {
  const std::uint32_t live = effort.count(1'000'000);
  PairPlan plan;
  plan.pair = {Workload::mixed, live, 0, seed};
  plan.turn_ns = effort.nanoseconds(10'000'000);
  Contender<QuarrySubject> quarry(plan);
  Contender<ReferenceSubject> reference(plan);

  QuarrySubject subject(SubjectDesc{});
  PairRig<QuarrySubject> rig(subject, {Workload::mixed, 10'000, 0, seed});
  rig.run(10'000);
  std::vector<Line> table(live);
  Random random(seed);
  std::vector<double> with_pairs;
  std::vector<double> alone;
  std::vector<double> chained;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < effort.turns(21); ++i) {
    quarry.turn();
    reference.turn();
    with_pairs.push_back(
        time_each([&](std::uint64_t n) { touching_loop(subject, rig.state(), table, n); },
                  effort.count(30'000)));
    alone.push_back(time_each([&](std::uint64_t n) { sum += touch_alone(table, random, n); },
                              effort.count(200'000)));
    chained.push_back(time_each([&](std::uint64_t n) { sum += touch_chained(table, random, n); },
                                effort.count(50'000)));
  }
  volatile std::uint64_t keep = sum;
  (void)keep;
  return {
      {quarry.result(), reference.result()}, median(with_pairs), median(alone), median(chained)};
}

}  // namespace quarry::bench
