// SPDX-License-Identifier: MIT
#include "bench/thread_figures.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "bench/clock.hpp"
#include "bench/pair_loop.hpp"
#include "bench/record_passing.hpp"
#include "bench/spsc_ring.hpp"
#include "bench/subjects.hpp"

namespace quarry::bench {

namespace {

/// Runs `prepare(index)` on each thread, then, on all at once, `body(index, stop)` for about the
/// time given. It returns how often it got round. Million rounds a second in total.
template <class Prepare, class Body>
double throughput(unsigned threads, std::uint32_t milliseconds, Prepare&& prepare, Body&& body) {
  std::atomic<unsigned> ready{0};
  std::atomic<bool> start{false};
  std::atomic<bool> stop{false};
  std::vector<std::uint64_t> rounds(threads);
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      prepare(i);
      ready.fetch_add(1);
      while (!start.load(std::memory_order_acquire))
        std::this_thread::yield();
      rounds[i] = body(i, stop);
    });
  }
  while (ready.load() != threads)
    std::this_thread::yield();
  const std::uint64_t begin = now_ns();
  start.store(true, std::memory_order_release);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  stop.store(true);
  const std::uint64_t elapsed = now_ns() - begin;
  for (std::thread& thread : running)
    thread.join();
  std::uint64_t total = 0;
  for (const std::uint64_t each : rounds)
    total += each;
  return static_cast<double>(total) * 1e3 / static_cast<double>(elapsed);
}

constexpr std::uint64_t kBatch = 64;  // rounds between two looks at the stop flag

double empty_throughput(unsigned threads, const ThreadPlan& plan) {
  const auto run = [&](unsigned index, const std::atomic<bool>& stop) {
    Random random(plan.seed + index);
    std::uint64_t rounds = 0;
    std::uint64_t sum = 0;
    do {
      for (std::uint64_t i = 0; i < kBatch; ++i)
        sum += random.next();
      rounds += kBatch;
    } while (!stop.load(std::memory_order_relaxed));
    volatile std::uint64_t keep = sum;
    (void)keep;
    return rounds;
  };
  return throughput(
      threads, plan.milliseconds, [](unsigned) {}, run);
}

template <class Subject>
double own_throughput(Subject& subject, unsigned threads, const ThreadPlan& plan) {
  std::vector<std::unique_ptr<PairState>> states;
  for (unsigned i = 0; i < threads; ++i) {
    PairDesc desc{plan.workload, 1000, 0, plan.seed + i};
    states.push_back(std::make_unique<PairState>(desc));
  }
  const auto fill = [&](unsigned index) {
    PairState& state = *states[index];
    for (std::size_t i = 0; i < 1000; ++i)
      state.live.push_back(subject.allocate(state.next_request()));
    state.draw_victims();
  };
  const auto run = [&](unsigned index, const std::atomic<bool>& stop) {
    PairState& state = *states[index];
    std::uint64_t rounds = 0;
    do {
      measured_loop(subject, state, kBatch);
      rounds += kBatch;
    } while (!stop.load(std::memory_order_relaxed));
    for (const std::uint64_t handle : state.live)
      (void)subject.free(handle);
    return rounds;
  };
  return throughput(threads, plan.milliseconds, fill, run);
}

/// Sends to one ring, receives from another; each side only if there is one. Returns what it freed.
template <class Subject>
std::uint64_t hand_over(Subject& subject, SpscRing* out, SpscRing* in, PairState& state,
                        const std::atomic<bool>& stop) {
  std::uint64_t freed = 0;
  std::uint64_t pending = 0;  // allocated, but there was no room
  do {
    bool idle = true;
    for (std::uint64_t i = 0; i < kBatch; ++i) {
      if (out != nullptr) {
        if (pending == 0) pending = subject.allocate(state.next_request());
        if (out->push(pending)) {
          pending = 0;
          idle = false;
        }
      }
      std::uint64_t handle = 0;
      if (in != nullptr && in->pop(handle)) {
        (void)subject.free(handle);
        ++freed;
        idle = false;
      }
    }
    if (out != nullptr) out->publish();
    if (idle) std::this_thread::yield();
  } while (!stop.load(std::memory_order_relaxed));
  if (pending != 0) (void)subject.free(pending);
  return freed;
}

/// `one_way`: even threads send to the odd one after them; else all send round in a circle.
template <class Subject>
double handing_throughput(Subject& subject, unsigned threads, bool one_way,
                          const ThreadPlan& plan) {
  std::vector<std::unique_ptr<PairState>> states;
  std::vector<std::unique_ptr<SpscRing>> rings;  // rings[i] is what thread i sends to
  for (unsigned i = 0; i < threads; ++i) {
    states.push_back(std::make_unique<PairState>(PairDesc{plan.workload, 0, 0, plan.seed + i}));
    rings.push_back(std::make_unique<SpscRing>());
  }
  const auto run = [&](unsigned index, const std::atomic<bool>& stop) {
    SpscRing* out = rings[index].get();
    SpscRing* in = rings[(index + threads - 1) % threads].get();
    if (one_way && threads > 1) (index % 2 == 0 ? in : out) = nullptr;
    return hand_over(subject, out, in, *states[index], stop);
  };
  const double result = throughput(
      threads, plan.milliseconds, [](unsigned) {}, run);
  std::uint64_t handle = 0;
  for (const std::unique_ptr<SpscRing>& ring : rings) {
    while (ring->pop(handle))
      (void)subject.free(handle);
  }
  return result;
}

/// Medians over the half of the rounds in which the empty loop got furthest: in the others the
/// processors were busy with something else.
ThreadTimes of_quiet_rounds(const std::vector<ThreadTimes>& rounds) {
  const auto median_of = [](const std::vector<ThreadTimes>& times, double ThreadTimes::*figure) {
    std::vector<double> values;
    for (const ThreadTimes& each : times)
      values.push_back(each.*figure);
    return median(values);
  };
  const double usual = median_of(rounds, &ThreadTimes::empty);
  std::vector<ThreadTimes> quiet;
  for (const ThreadTimes& each : rounds) {
    if (each.empty >= usual) quiet.push_back(each);
  }
  return {rounds.front().threads,
          median_of(quiet, &ThreadTimes::empty),
          median_of(quiet, &ThreadTimes::own),
          median_of(quiet, &ThreadTimes::exchange),
          median_of(quiet, &ThreadTimes::one_way),
          median_of(quiet, &ThreadTimes::records)};
}

template <class Subject>
std::vector<ThreadTimes> time_threads(const ThreadPlan& plan) {
  std::vector<unsigned> counts{1};
  for (const unsigned threads : plan.threads) {
    if (threads > 1) counts.push_back(threads);
  }
  Subject subject(SubjectDesc{});
  std::vector<std::vector<ThreadTimes>> rounds(counts.size());
  // Each begins without the slots that the threads before passed round: where each thread frees its
  // own, neighbouring records are one thread's, as in a program that works so from the start.
  const auto afresh = [&](double result) {
    subject.trim();
    return result;
  };
  for (std::uint32_t round = 0; round < plan.rounds; ++round) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const unsigned paired = std::max(1u, counts[i] & ~1u);
      ThreadTimes& times = rounds[i].emplace_back();
      times.threads = counts[i];
      times.empty = empty_throughput(counts[i], plan);
      times.own = afresh(own_throughput(subject, counts[i], plan));
      times.exchange = afresh(handing_throughput(subject, counts[i], false, plan));
      times.one_way = afresh(handing_throughput(subject, paired, true, plan));
      RecordPassing records;
      times.records = handing_throughput(records, counts[i], false, plan);
    }
  }
  std::vector<ThreadTimes> results;
  for (const std::vector<ThreadTimes>& each : rounds)
    results.push_back(of_quiet_rounds(each));
  return results;
}

}  // namespace

std::vector<ThreadTimes> time_quarry_threads(const ThreadPlan& plan) {
  return time_threads<QuarrySubject>(plan);
}

std::vector<ThreadTimes> time_reference_threads(const ThreadPlan& plan) {
  return time_threads<ReferenceSubject>(plan);
}

double efficiency(const ThreadTimes& one, const ThreadTimes& many) {
  const double ideal = many.empty / one.empty;
  return std::min(many.own / one.own, many.exchange / one.exchange) / ideal;
}

bool processors_were_free(const ThreadTimes& one, const ThreadTimes& many) {
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  return many.empty >= 0.75 * one.empty * std::min(many.threads, processors);
}

std::vector<unsigned> standard_thread_counts() {
  const unsigned processors = std::max(2u, std::thread::hardware_concurrency());
  if (processors > 16) return {16, processors};
  return {processors};
}

}  // namespace quarry::bench
