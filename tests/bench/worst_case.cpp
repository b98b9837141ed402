// SPDX-License-Identifier: MIT
#include "bench/worst_case.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "bench/clock.hpp"
#include "bench/random.hpp"
#include "bench/subjects.hpp"

namespace quarry::bench {

namespace {

constexpr std::uint32_t kNotTimed = std::numeric_limits<std::uint32_t>::max();

/// Keeps the fastest time of each operation over identical runs.
class FastestTimes {
 public:
  explicit FastestTimes(std::size_t operations) : times_(operations, kNotTimed) {}

  void start_run() { next_ = 0; }
  template <class Subject, class Operation>
  void time(const Subject& subject, Operation&& operation) {
    const std::uint64_t calls = subject.driver_calls();
    const std::uint64_t start = now_ns();
    operation();
    const std::uint64_t taken = now_ns() - start;
    std::uint32_t& fastest = times_[next_++];
    if (subject.driver_calls() == calls)
      fastest = std::min(fastest,
                         static_cast<std::uint32_t>(std::min<std::uint64_t>(taken, kNotTimed - 1)));
  }
  OperationTimes result(std::string name) && {
    std::erase(times_, kNotTimed);
    std::sort(times_.begin(), times_.end());
    return {std::move(name), std::move(times_)};
  }

 private:
  std::vector<std::uint32_t> times_;
  std::size_t next_ = 0;
};

template <class Subject>
void run_once(const WorstCasePlan& plan, const std::vector<Request>& requests,
              FastestTimes& times) {
  Subject subject(SubjectDesc{});
  Random random(plan.seed + 1);
  std::vector<std::uint64_t> live(plan.live);
  std::size_t next = 0;
  times.start_run();
  for (std::uint64_t& slot : live)
    times.time(subject, [&] { slot = subject.allocate(requests[next++ % requests.size()]); });
  for (std::size_t i = 0; i < plan.pairs; ++i) {
    std::uint64_t& slot = live[random.below(static_cast<std::uint32_t>(live.size()))];
    times.time(subject, [&] { (void)subject.free(slot); });
    times.time(subject, [&] { slot = subject.allocate(requests[next++ % requests.size()]); });
  }
}

template <class Subject>
OperationTimes time_operations(const WorstCasePlan& plan) {
  const std::vector<Request> requests = make_requests(plan.workload, 16'384, plan.seed);
  FastestTimes times(plan.live + 2 * plan.pairs);
  for (int run = 0; run < kIdenticalRuns; ++run)
    run_once<Subject>(plan, requests, times);
  return std::move(times).result(std::string(Subject::kName) + " " + to_string(plan.workload) +
                                 ", " + std::to_string(plan.live) + " live");
}

VkMemoryRequirements requirements(VkDeviceSize size, VkDeviceSize alignment) {
  return {.size = size, .alignment = alignment, .memoryTypeBits = ~0u};
}

Allocation must_allocate(Allocator& allocator, VkDeviceSize size, const AllocationDesc& desc) {
  auto allocation = allocator.allocate(requirements(size, 1), ResourceKind::linear, desc);
  if (allocation) return *allocation;
  std::fprintf(stderr, "the shattered block could not be made\n");
  std::abort();
}

/// 16 B, then holes of 480 B between keepers of 544 B up to the end of the block.
void shatter(Allocator& allocator, const AllocationDesc& desc, VkDeviceSize block) {
  std::vector<Allocation> holes;
  (void)must_allocate(allocator, 16, desc);
  for (VkDeviceSize i = 0; i < block / 1024 - 1; ++i) {
    holes.push_back(must_allocate(allocator, 480, desc));
    (void)must_allocate(allocator, 544, desc);
  }
  (void)must_allocate(allocator, 1008, desc);
  for (const Allocation hole : holes)
    (void)allocator.free(hole);
}

/// The requests change nothing that lasts: what is granted is freed again.
OperationTimes time_requests(QuarrySubject& subject, const AllocationDesc& desc,
                             const VkMemoryRequirements& wanted, std::string name) {
  constexpr std::size_t kRequests = 1000;
  FastestTimes times(kRequests);
  for (int run = 0; run < kIdenticalRuns; ++run) {
    times.start_run();
    std::vector<Allocation> granted;
    for (std::size_t i = 0; i < kRequests; ++i) {
      times.time(subject, [&] {
        auto allocation = subject.allocator().allocate(wanted, ResourceKind::linear, desc);
        if (allocation) granted.push_back(*allocation);
      });
    }
    for (const Allocation allocation : granted)
      (void)subject.allocator().free(allocation);
  }
  return std::move(times).result(std::move(name));
}

}  // namespace

std::uint32_t OperationTimes::percentile(double share) const {
  if (nanoseconds.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(nanoseconds.size()));
  return nanoseconds[std::min(index, nanoseconds.size() - 1)];
}

std::vector<std::size_t> OperationTimes::histogram() const {
  std::vector<std::size_t> counts(static_cast<std::size_t>(std::bit_width(worst())) + 1);
  for (const std::uint32_t each : nanoseconds)
    ++counts[static_cast<std::size_t>(std::bit_width(each))];
  return counts;
}

OperationTimes time_quarry_operations(const WorstCasePlan& plan) {
  return time_operations<QuarrySubject>(plan);
}

OperationTimes time_reference_operations(const WorstCasePlan& plan) {
  return time_operations<ReferenceSubject>(plan);
}

std::vector<OperationTimes> time_shattered_block(Effort effort) {
  const VkDeviceSize block = VkDeviceSize{effort.count(256)} << 20;
  std::vector<OperationTimes> results;
  for (const bool in_pool : {true, false}) {
    SubjectDesc subject_desc;
    subject_desc.first_block = block;
    QuarrySubject subject(subject_desc);
    AllocationDesc desc;
    if (in_pool) {
      const auto type = subject.allocator().select_memory_type(~0u, desc);
      PoolDesc pool;
      pool.memory_type = type ? *type : 0;
      pool.block_bytes = block;
      pool.maximum_blocks = 1;
      const auto made = subject.allocator().create_pool(pool);
      if (!made) std::abort();
      desc.pool = *made;
    }
    shatter(subject.allocator(), desc, block);
    const std::string where = in_pool ? " in a pool of one block" : " in the default pools";
    results.push_back(time_requests(subject, desc, requirements(256, 256), "quarry F18" + where));
    results.push_back(
        time_requests(subject, desc, requirements(VkDeviceSize{1} << 20, 1), "quarry F19" + where));
  }
  return results;
}

}  // namespace quarry::bench
