// SPDX-License-Identifier: MIT
// Figures of small requests in every mode: exact at rest, plausible beside work, peaks within the
// slack that is documented.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "heap/modes.hpp"
#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::kMiB;

constexpr int kThreads = 4;
/// More than a thread's ledger has cells, so that tags share them.
constexpr std::uint32_t kTags = 40;

class HotPathFigures : public testing::TestWithParam<Mode> {};

INSTANTIATE_TEST_SUITE_P(Modes, HotPathFigures, testing::ValuesIn(modes()), name_of_mode);

struct Sums {
  std::uint64_t count = 0;
  VkDeviceSize bytes = 0;

  void add(VkDeviceSize size) {
    ++count;
    bytes += size;
  }
  void expect(const Totals& totals) const {
    EXPECT_EQ(totals.allocation_count, count);
    EXPECT_EQ(totals.allocation_bytes, bytes);
    EXPECT_GE(totals.peak_allocation_bytes, bytes);
  }
};

/// Several threads that allocate and free with tags, their own things and others'.
class Churn {
 public:
  Churn(Allocator& allocator, std::uint64_t seed) : allocator_(allocator), seed_(seed) {
    for (std::uint32_t i = 0; i < kTags; ++i)
      EXPECT_TRUE(allocator.register_tag("tag " + std::to_string(i)));
  }

  void run(int operations) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([this, i, operations] { work(i, operations); });
    for (std::thread& thread : threads)
      thread.join();
  }
  void free_all() {
    for (const Allocation allocation : shared_)
      EXPECT_TRUE(allocator_.free(allocation));
    shared_.clear();
  }
  const std::vector<Allocation>& live() const { return shared_; }
  std::uint64_t made() const { return made_; }

 private:
  void work(int thread, int operations) {
    Random random(seed_ + static_cast<std::uint64_t>(thread));
    std::vector<Allocation> own;
    for (int i = 0; i < operations; ++i) {
      if (own.size() < 100 && random.below(100) < 52) {
        const AllocationDesc desc{.intent = static_cast<MemoryIntent>(random.below(3)),
                                  .tag = Tag{static_cast<std::uint32_t>(random.below(kTags + 1))}};
        const auto made = allocator_.allocate(requirements(random.any_magnitude(16)),
                                              static_cast<ResourceKind>(random.below(3)), desc);
        EXPECT_TRUE(made);
        if (!made) return;
        ++made_;
        own.push_back(*made);
      } else if (!own.empty()) {
        std::swap(own[random.index(own.size())], own.back());
        EXPECT_TRUE(allocator_.free(own.back()));
        own.pop_back();
      }
      if (random.one_in(10) && !own.empty()) exchange(random, own);
    }
    const std::lock_guard lock(mutex_);
    shared_.insert(shared_.end(), own.begin(), own.end());
  }
  /// One of one's own for one of another's.
  void exchange(Random& random, std::vector<Allocation>& own) {
    const std::lock_guard lock(mutex_);
    shared_.push_back(own.back());
    std::swap(shared_[random.index(shared_.size())], shared_.back());
    own.back() = shared_.back();
    shared_.pop_back();
    if (shared_.size() < 50) {
      shared_.push_back(own.back());
      own.pop_back();
    }
  }

  Allocator& allocator_;
  const std::uint64_t seed_;
  std::mutex mutex_;
  std::vector<Allocation> shared_;
  std::atomic<std::uint64_t> made_{0};
};

void expect_exact(const Rig& rig, const Churn& churn) {
  const Allocator& a = rig.allocator;
  Sums all;
  std::array<Sums, kTags + 1> tags;
  std::array<Sums, VK_MAX_MEMORY_TYPES> types;
  std::array<Sums, VK_MAX_MEMORY_HEAPS> heaps;
  const VkPhysicalDeviceMemoryProperties& memory = a.facts().memory;
  for (const Allocation allocation : churn.live()) {
    const auto info = a.info(allocation);
    ASSERT_TRUE(info);
    all.add(info->size);
    tags[info->tag.index].add(info->size);
    types[info->memory_type].add(info->size);
    heaps[memory.memoryTypes[info->memory_type].heapIndex].add(info->size);
  }
  all.expect(a.totals());
  for (std::uint32_t i = 0; i <= kTags; ++i)
    tags[i].expect(a.tag_totals(Tag{i}));
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    types[i].expect(a.memory_type_totals(i));
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    heaps[i].expect(a.heap_totals(i));
  const Counters counters = a.counters();
  EXPECT_EQ(counters.allocations, churn.made());
  EXPECT_EQ(counters.frees, churn.made() - churn.live().size());
}

TEST_P(HotPathFigures, AreExactAtRest) {
  for (const std::uint64_t seed : seeds(2)) {
    Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) { GetParam().apply(desc); });
    Churn churn(rig.allocator, seed);
    for (int round = 0; round < 3; ++round) {
      churn.run(3'000);
      expect_exact(rig, churn);
      if (round == 1) (void)rig.allocator.trim();
      expect_exact(rig, churn);
    }
    churn.free_all();
    expect_exact(rig, churn);
    (void)rig.allocator.trim();
    expect_exact(rig, churn);
  }
}

TEST_P(HotPathFigures, ResettingThePeaksSetsThemToWhatIsLive) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) { GetParam().apply(desc); });
  Allocator& a = rig.allocator;
  const auto expect_reset = [&] {
    a.reset_peaks();
    EXPECT_EQ(a.totals().peak_allocation_bytes, a.totals().allocation_bytes);
    EXPECT_EQ(a.totals().peak_block_bytes, a.totals().block_bytes);
    for (std::uint32_t i = 0; i <= a.tag_count(); ++i) {
      const Totals totals = a.tag_totals(Tag{i});
      EXPECT_EQ(totals.peak_allocation_bytes, totals.allocation_bytes) << "tag " << i;
    }
    for (std::uint32_t i = 0; i < a.facts().memory.memoryTypeCount; ++i) {
      const Totals totals = a.memory_type_totals(i);
      EXPECT_EQ(totals.peak_allocation_bytes, totals.allocation_bytes) << "type " << i;
    }
    for (std::uint32_t i = 0; i < a.facts().memory.memoryHeapCount; ++i) {
      const Totals totals = a.heap_totals(i);
      EXPECT_EQ(totals.peak_allocation_bytes, totals.allocation_bytes) << "heap " << i;
    }
  };
  // One thread allocates, which it has not told yet; another one frees, and tells at its end.
  const auto tag = a.register_tag("passed on");
  std::vector<Allocation> made;
  for (int i = 0; i < 20; ++i)
    made.push_back(*a.allocate(requirements(4'096), ResourceKind::linear, {.tag = *tag}));
  expect_reset();
  std::thread([&] {
    for (std::size_t i = 0; i < 15; ++i)
      EXPECT_TRUE(a.free(made[i]));
  }).join();
  expect_reset();
  for (std::size_t i = 15; i < 20; ++i)
    EXPECT_TRUE(a.free(made[i]));
  expect_reset();
  Churn churn(a, 11);
  churn.run(1'000);
  expect_reset();
  churn.free_all();
  expect_reset();
  EXPECT_EQ(a.totals().peak_allocation_bytes, 0u);
}

TEST_P(HotPathFigures, PeaksMissNoMoreThanThreadsMayHaveUntold) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) { GetParam().apply(desc); });
  Allocator& a = rig.allocator;
  const auto tag = a.register_tag("rising");
  Random random(7);
  std::vector<Allocation> made;
  VkDeviceSize live = 0;
  VkDeviceSize peak = 0;
  for (int i = 0; i < 20'000; ++i) {
    const bool rising = i / 2'000 % 2 == 0;
    if (made.empty() || random.below(100) < (rising ? 80u : 20u)) {
      made.push_back(
          *a.allocate(requirements(random.any_magnitude(16)), ResourceKind::linear, {.tag = *tag}));
      live += a.info(made.back())->size;
      peak = std::max(peak, live);
    } else {
      std::swap(made[random.index(made.size())], made.back());
      live -= a.info(made.back())->size;
      EXPECT_TRUE(a.free(made.back()));
      made.pop_back();
    }
  }
  // What one thread's magazines can hold bounds what it has not told, both ways.
  const VkDeviceSize slack = GetParam().has_caches() ? GetParam().policy.thread_cache_bytes : 0;
  for (const Totals& totals : {a.totals(), a.tag_totals(*tag)}) {
    EXPECT_LE(totals.peak_allocation_bytes, peak + slack);
    EXPECT_GE(totals.peak_allocation_bytes + slack, peak);
    EXPECT_EQ(totals.allocation_bytes, live);
  }
  for (const Allocation allocation : made)
    EXPECT_TRUE(a.free(allocation));
}

TEST_P(HotPathFigures, ArePlausibleBesideWork) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) { GetParam().apply(desc); });
  Allocator& a = rig.allocator;
  Churn churn(a, 5);
  std::atomic<bool> done{false};
  std::atomic<int> looks{0};
  // Far beyond what is ever live, and far below what a sum below zero would look like.
  constexpr VkDeviceSize kMostBytes = 1'024 * kMiB;
  constexpr std::uint64_t kMostCount = 100'000;
  std::thread display([&] {
    Random random(1);
    while (!done) {
      for (const Totals& totals :
           {a.totals(), a.heap_totals(0), a.memory_type_totals(0), a.tag_totals(Tag{}),
            a.tag_totals(Tag{static_cast<std::uint32_t>(random.between(1, kTags))})}) {
        EXPECT_LE(totals.allocation_count, kMostCount);
        EXPECT_LE(totals.allocation_bytes, kMostBytes);
        EXPECT_LE(totals.peak_allocation_bytes, kMostBytes);
      }
      const Counters counters = a.counters();
      EXPECT_LE(counters.frees, counters.allocations);
      if (random.one_in(4)) a.reset_peaks();
      if (random.one_in(4)) {
        const auto snapshot = a.snapshot();
        EXPECT_TRUE(snapshot);
        for (const SnapshotBlock& block : snapshot->blocks()) {
          VkDeviceSize end = 0;
          for (const SnapshotRange& range : snapshot->ranges(block)) {
            EXPECT_EQ(range.offset, end);
            end += range.size;
          }
          EXPECT_EQ(end, block.size);
        }
      }
      if (random.one_in(16)) (void)a.trim();
      ++looks;
    }
  });
  do {
    churn.run(2'000);
  } while (looks < 100);
  done = true;
  display.join();
  churn.free_all();
  EXPECT_EQ(a.totals().allocation_bytes, 0u);
}

}  // namespace
}  // namespace quarry::test
