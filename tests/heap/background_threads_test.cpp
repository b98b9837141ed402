// SPDX-License-Identifier: MIT
// Background work beside the threads that allocate.
#include <atomic>
#include <thread>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::Function;
using fakes::kMiB;

TEST(BackgroundThreads, AThreadOfItsOwnMakesAndReleases) {
  std::atomic<int> elsewhere{0};
  std::atomic<int> here{0};
  const std::thread::id program = std::this_thread::get_id();
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
    desc.background = {
        .work = BackgroundWork::own_thread, .interval_milliseconds = 1, .lead_milliseconds = 500};
    desc.blocks.retained_bytes = 64 * kMiB;
    // The rig's clock is no atomic: here time goes by.
    desc.clock = nullptr;
  });
  rig.gpu.set_hook([&](Function function) {
    if (function != Function::free_memory) return;
    ++(std::this_thread::get_id() == program ? here : elsewhere);
  });
  std::vector<Allocation> live;
  for (int i = 0; i < 200; ++i)
    live.push_back(*rig.allocator.allocate(requirements(kMiB), ResourceKind::linear));
  for (const Allocation each : live)
    EXPECT_TRUE(rig.allocator.free(each));
  while (elsewhere == 0)
    std::this_thread::yield();
  EXPECT_EQ(here, 0);
  // Alone with it, all its work is done at last: as much is kept as may be.
  while (rig.allocator.totals().block_bytes > 64 * kMiB)
    std::this_thread::yield();
  rig.allocator = Allocator();
  rig.gpu.set_hook(nullptr);
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(BackgroundThreads, ThreadsOfTheOwnersMayAllWorkAtOnce) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.background.work = BackgroundWork::by_owner; });
  std::atomic<bool> over{false};
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] {
      while (!over)
        rig.allocator.work();
    });
  }
  std::vector<Allocation> live;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 100; ++i) {
      live.push_back(*rig.allocator.allocate(requirements(i % 2 == 0 ? 5'000 : 2 * kMiB, 256),
                                             ResourceKind::linear));
    }
    for (const Allocation each : live)
      EXPECT_TRUE(rig.allocator.free(each));
    live.clear();
  }
  over = true;
  for (std::thread& each : workers)
    each.join();
}

}  // namespace
}  // namespace quarry::test
