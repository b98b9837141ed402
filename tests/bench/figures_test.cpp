// SPDX-License-Identifier: MIT
// The measured loops themselves: they do what they say. Nothing here judges a time.
#include <cmath>

#include <gtest/gtest.h>

#include "bench/host_bytes.hpp"
#include "bench/pair_loop.hpp"
#include "bench/subjects.hpp"
#include "bench/thread_figures.hpp"
#include "bench/worst_case.hpp"

namespace quarry::bench {
namespace {

TEST(Workload, NamesLeadBackToThemselves) {
  for (const char* name : {"4k", "mixed", "large", "game", "textures"}) {
    const auto workload = workload_named(name);
    ASSERT_TRUE(workload.has_value());
    EXPECT_STREQ(to_string(*workload), name);
  }
  EXPECT_FALSE(workload_named("huge").has_value());
}

TEST(Workload, TenThousandOfTheGameAreFourteenGibibytes) {
  double bytes = 0;
  for (const Request& request : make_requests(Workload::game, 10'000, 1)) {
    bytes += static_cast<double>(request.requirements.size);
    EXPECT_EQ(request.requirements.size % (request.kind == ResourceKind::optimal ? 4096 : 1), 0u);
  }
  EXPECT_NEAR(bytes / (1 << 30), 14.5, 1.5);
}

template <class Subject>
void expect_steady_state(Workload workload) {
  Subject subject(SubjectDesc{});
  PairRig<Subject> rig(subject, {workload, 1000, 0, 1});
  rig.run(20'000);
  const std::uint64_t calls = subject.driver_calls();
  rig.run(20'000);
  EXPECT_EQ(subject.driver_calls(), calls);
}

TEST(PairLoop, CallsNoDriverInTheSteadyState) {
  expect_steady_state<QuarrySubject>(Workload::fixed_4k);
  expect_steady_state<ReferenceSubject>(Workload::fixed_4k);
}

template <class Subject>
std::uint64_t memories_of(std::uint64_t blocks) {
  SubjectDesc desc;
  desc.first_block = desc.largest_block = kFilledBytes / blocks;
  Subject subject(desc);
  const PairRig<Subject> rig(subject, {Workload::fixed_4k, 1000, blocks, 1});
  return subject.memory_count();
}

TEST(PairLoop, FillsTheBlocksAskedFor) {
  EXPECT_LE(memories_of<QuarrySubject>(1), 2u);
  EXPECT_GE(memories_of<QuarrySubject>(512), 512u);
  EXPECT_EQ(memories_of<ReferenceSubject>(1), 1u);
  EXPECT_EQ(memories_of<ReferenceSubject>(512), 512u);
}

TEST(WorstCase, CountsEachOperationWithoutDriverCalls) {
  const OperationTimes times = time_quarry_operations({Workload::fixed_4k, 500, 500, 1});
  EXPECT_LT(times.nanoseconds.size(), 1500u) << "a block was made within one of them";
  EXPECT_GT(times.nanoseconds.size(), 1400u);
  EXPECT_LE(times.percentile(0.5), times.percentile(0.99));
  EXPECT_LE(times.percentile(0.999), times.worst());
  std::size_t counted = 0;
  for (const std::size_t count : times.histogram())
    counted += count;
  EXPECT_EQ(counted, times.nanoseconds.size());
}

TEST(HostBytes, AreThoseOfTheWholeAllocator) {
  const HostBytes bytes = count_host_bytes(Workload::fixed_4k, 1, 1000);
  EXPECT_GT(bytes.quarry, 8.0);
  EXPECT_GT(bytes.reference, 8.0);
}

TEST(Threads, EveryFigureIsTaken) {
  ThreadPlan plan;
  plan.threads = {3};
  plan.rounds = 1;
  plan.milliseconds = 5;
  for (const std::vector<ThreadTimes>& times :
       {time_quarry_threads(plan), time_reference_threads(plan)}) {
    ASSERT_EQ(times.size(), 2u);
    EXPECT_EQ(times[0].threads, 1u);
    EXPECT_EQ(times[1].threads, 3u);
    EXPECT_TRUE(std::isfinite(efficiency(times[0], times[1])));
  }
}

}  // namespace
}  // namespace quarry::bench
