// SPDX-License-Identifier: MIT
// What a steady stream of small requests costs besides its own work, in counts: driver calls,
// budget queries, host memory, locks. Locks are counted in base::Mutex itself, thread by thread, so
// that none can be missed, whoever takes it.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::Function;

constexpr int kLive = 2'000;
constexpr int kWarmUp = 60'000;
constexpr int kMeasured = 20'000;

/// Sizes, log-uniform or not.
using Sizes = std::function<VkDeviceSize(Random&)>;

const Sizes kFixed = [](Random&) { return VkDeviceSize{4'096}; };
const Sizes kMixed = [](Random& random) { return random.any_magnitude(8) * 256; };

/// One thread's share: things that live, of which a random one goes for each that comes.
class Stream {
 public:
  Stream(std::vector<Allocator*> allocators, Sizes sizes, std::uint64_t seed,
         std::vector<Tag> tags = {}, std::uint64_t uploads = 0)
      : allocators_(std::move(allocators)),
        sizes_(std::move(sizes)),
        random_(seed),
        tags_(std::move(tags)),
        uploads_(uploads) {
    for (int i = 0; i < kLive; ++i)
      allocate();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    while (!live_.empty())
      free();
  }

  /// Runs pairs; how many of their operations took a lock.
  std::uint64_t run(int pairs) {
    std::uint64_t locking = 0;
    for (int i = 0; i < pairs; ++i) {
      const std::uint64_t before = base::LockCount::of_this_thread();
      free();
      const std::uint64_t between = base::LockCount::of_this_thread();
      allocate();
      const std::uint64_t after = base::LockCount::of_this_thread();
      locking += (between != before ? 1u : 0u) + (after != between ? 1u : 0u);
    }
    return locking;
  }

 private:
  struct Thing {
    Allocator* allocator = nullptr;
    Allocation allocation;
  };

  void allocate() {
    Allocator& allocator = *allocators_[turn_++ % allocators_.size()];
    AllocationDesc desc;
    if (random_.below(100) < uploads_) desc.intent = MemoryIntent::upload;
    if (!tags_.empty()) desc.tag = tags_[random_.index(tags_.size())];
    const auto made = allocator.allocate(requirements(sizes_(random_)), ResourceKind::linear, desc);
    EXPECT_TRUE(made);
    if (made) live_.push_back({&allocator, *made});
  }
  void free() {
    std::swap(live_[random_.index(live_.size())], live_.back());
    EXPECT_TRUE(live_.back().allocator->free(live_.back().allocation));
    live_.pop_back();
  }

  std::vector<Allocator*> allocators_;
  const Sizes sizes_;
  Random random_;
  const std::vector<Tag> tags_;
  const std::uint64_t uploads_;  ///< percent of the requests
  std::vector<Thing> live_;
  std::size_t turn_ = 0;
};

/// Steady: the driver is asked nothing, and 99 of 100 operations take no lock.
void expect_quiet(Rig& rig, Stream& stream, const char* what) {
  (void)stream.run(kWarmUp);
  rig.gpu.reset_calls();
  const std::uint64_t locking = stream.run(kMeasured);
  EXPECT_EQ(rig.gpu.calls(), 0u) << what;
  EXPECT_LE(locking * 100, std::uint64_t{2 * kMeasured})
      << what << ": " << locking << " of " << 2 * kMeasured << " took a lock";
}

TEST(HotPathCalls, TheCounterSeesLocksOfThisThreadAlone) {
  base::Mutex mutex;
  base::SharedMutex shared;
  const std::uint64_t before = base::LockCount::of_this_thread();
  std::thread([&] { const base::MutexLock lock(mutex); }).join();
  EXPECT_EQ(base::LockCount::of_this_thread(), before);
  { const base::MutexLock lock(mutex); }
  EXPECT_EQ(base::LockCount::of_this_thread(), before + 1);
  { const base::SharedLock lock(shared); }
  { const base::ExclusiveLock lock(shared); }
  EXPECT_EQ(base::LockCount::of_this_thread(), before + 3);
  bool others_got_it = true;
  if (mutex.try_lock()) {
    std::thread([&] {
      if (mutex.try_lock()) {
        mutex.unlock();
      } else {
        others_got_it = false;
      }
    }).join();
    mutex.unlock();
  }
  EXPECT_FALSE(others_got_it);
  EXPECT_EQ(base::LockCount::of_this_thread(), before + 4);
}

TEST(HotPathCalls, OneSizeTakesNoLock) {
  Rig rig(fakes::profiles::discrete());
  Stream stream({&rig.allocator}, kFixed, 1);
  expect_quiet(rig, stream, "4 KiB");
}

TEST(HotPathCalls, MixedSizesTakeNoLock) {
  Rig rig(fakes::profiles::discrete());
  Stream stream({&rig.allocator}, kMixed, 1);
  expect_quiet(rig, stream, "mixed");
}

TEST(HotPathCalls, TwoKindsOfMemoryInTurnsTakeNoLock) {
  Rig rig(fakes::profiles::discrete());
  Stream stream({&rig.allocator}, kMixed, 1, {}, 30);
  expect_quiet(rig, stream, "mixed, 30 % uploads");
}

TEST(HotPathCalls, TagsTakeNoLock) {
  Rig rig(fakes::profiles::discrete());
  std::vector<Tag> tags;
  // Many of them share a cell of the thread's ledger.
  for (int i = 0; i < 40; ++i)
    tags.push_back(*rig.allocator.register_tag("tag " + std::to_string(i)));
  Stream stream({&rig.allocator}, kFixed, 1, tags);
  expect_quiet(rig, stream, "4 KiB, 40 tags");
}

TEST(HotPathCalls, SeveralAllocatorsInTurnsTakeNoLock) {
  Rig first(fakes::profiles::discrete());
  Rig second(fakes::profiles::discrete());
  Rig third(fakes::profiles::discrete());
  Stream stream({&first.allocator, &second.allocator, &third.allocator}, kFixed, 1);
  expect_quiet(first, stream, "4 KiB, three allocators");
}

TEST(HotPathCalls, ThreadsBesideEachOtherTakeNoLock) {
  Rig rig(fakes::profiles::discrete());
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&rig, thread] {
      Stream stream({&rig.allocator}, kFixed, thread + 1);
      (void)stream.run(kWarmUp);
      const std::uint64_t locking = stream.run(kMeasured);
      EXPECT_LE(locking * 100, std::uint64_t{2 * kMeasured}) << locking;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
}

TEST(HotPathCalls, BuffersAskTheDriverForNoMemory) {
  Rig rig(fakes::profiles::discrete());
  std::vector<Buffer> live;
  Random random(1);
  const auto pair = [&] {
    if (live.size() >= 200) {
      std::swap(live[random.index(live.size())], live.back());
      EXPECT_TRUE(rig.allocator.destroy(live.back()));
      live.pop_back();
    }
    live.push_back(*rig.allocator.create_buffer(buffer_info(kMixed(random))));
  };
  for (int i = 0; i < 4'000; ++i)
    pair();
  rig.gpu.reset_calls();
  for (int i = 0; i < 4'000; ++i)
    pair();
  for (const Function function :
       {Function::allocate_memory, Function::free_memory, Function::map_memory,
        Function::get_physical_device_memory_properties2})
    EXPECT_EQ(rig.gpu.calls(function), 0u);
  EXPECT_EQ(rig.gpu.calls(Function::create_buffer), 4'000u);
  for (const Buffer& buffer : live)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

}  // namespace
}  // namespace quarry::test
