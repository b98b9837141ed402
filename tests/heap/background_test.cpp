// SPDX-License-Identifier: MIT
// Blocks made before they are needed, and retention that no other thread waits for.
#include "heap/background.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::Function;
using fakes::kMiB;

Rig::Change by_owner() {
  return [](AllocatorDesc& desc) { desc.background.work = BackgroundWork::by_owner; };
}

/// A program that allocates `bytes_a_frame` in pieces each frame, 16 milliseconds apart, with
/// background work every third frame. Returns the driver's allocations that its frames waited for.
class GrowingProgram {
 public:
  GrowingProgram(Rig& rig, VkDeviceSize piece, int pieces_a_frame)
      : rig_(rig), piece_(piece), pieces_a_frame_(pieces_a_frame) {}

  std::uint64_t run(int frames, bool works) {
    std::uint64_t waited = 0;
    for (int frame = 0; frame < frames; ++frame) {
      rig_.now += 16;
      const std::uint64_t before = rig_.driver_allocations();
      for (int i = 0; i < pieces_a_frame_; ++i) {
        live_.push_back(
            *rig_.allocator.allocate(requirements(piece_, 256), ResourceKind::linear, {}));
      }
      rig_.allocator.tick();
      waited += rig_.driver_allocations() - before;
      if (works && frame % 3 == 0) rig_.allocator.work();
    }
    return waited;
  }
  void end() {
    for (const Allocation each : live_)
      EXPECT_TRUE(rig_.allocator.free(each));
    live_.clear();
  }

 private:
  Rig& rig_;
  VkDeviceSize piece_;
  int pieces_a_frame_;
  std::vector<Allocation> live_;
};

struct Pieces {
  VkDeviceSize bytes;
  int a_frame;
};

class BackgroundGrowth : public testing::TestWithParam<Pieces> {};

TEST_P(BackgroundGrowth, SteadyGrowthWaitsForNoDriverCall) {
  Rig rig(fakes::profiles::discrete(), by_owner());
  GrowingProgram program(rig, GetParam().bytes, GetParam().a_frame);
  program.run(30, true);
  EXPECT_EQ(program.run(150, true), 0u);
  program.end();

  Rig plain(fakes::profiles::discrete());
  GrowingProgram waiting(plain, GetParam().bytes, GetParam().a_frame);
  waiting.run(30, false);
  EXPECT_GT(waiting.run(150, false), 0u) << "the same without background work has to wait";
  waiting.end();
}

INSTANTIATE_TEST_SUITE_P(Sizes, BackgroundGrowth,
                         testing::Values(Pieces{4'096, 800}, Pieces{300'000, 10},
                                         Pieces{3 * kMiB, 2}),
                         [](const testing::TestParamInfo<Pieces>& pieces) {
                           return std::to_string(pieces.param.bytes) + "_bytes";
                         });

TEST(Background, GrowthThatEndsLeavesNothingBehindAfterTheTimeOfRetention) {
  Rig rig(fakes::profiles::discrete(), by_owner());
  GrowingProgram program(rig, kMiB, 4);
  program.run(60, true);
  for (int i = 0; i < 400; ++i) {
    rig.now += 100;
    rig.allocator.work();
  }
  const Totals totals = rig.allocator.totals();
  EXPECT_EQ(totals.allocation_bytes, 240 * kMiB);
  EXPECT_LT(totals.block_bytes, 2 * totals.allocation_bytes);
  const std::uint64_t settled = rig.driver_allocations();
  for (int i = 0; i < 400; ++i) {
    rig.now += 100;
    rig.allocator.work();
  }
  EXPECT_EQ(rig.driver_allocations(), settled);
  EXPECT_EQ(rig.allocator.trim(), 0u);
  program.end();
}

TEST(Background, NothingIsMadeBeyondTheBudgetOrWhatIsRetained) {
  for (const VkDeviceSize retained : {VkDeviceSize{0}, 8 * kMiB}) {
    Rig rig(fakes::profiles::discrete(), [&](AllocatorDesc& desc) {
      by_owner()(desc);
      desc.blocks.retained_bytes = retained;
    });
    GrowingProgram program(rig, kMiB, 4);
    for (int i = 0; i < 60; ++i) {
      program.run(1, true);
      rig.allocator.work();
      // What is ready is less than one block more than what may be retained.
      ASSERT_LE(rig.allocator.totals().block_bytes - rig.allocator.totals().allocation_bytes,
                2 * 256 * kMiB);
      if (retained == 0) {
        ASSERT_EQ(rig.allocator.trim(), 0u);
      }
    }
    program.end();
  }
  Rig rig(fakes::profiles::discrete(), by_owner());
  ASSERT_TRUE(rig.allocator.set_heap_limit(0, 100 * kMiB));
  GrowingProgram program(rig, kMiB, 1);
  program.run(90, true);
  EXPECT_LE(rig.gpu.used_bytes(0), 100 * kMiB);
  program.end();
}

TEST(Background, PoolsAndDeterminedPlacementAreLeftAlone) {
  Rig rig(fakes::profiles::discrete(), by_owner());
  const auto pool = rig.allocator.create_pool({});
  ASSERT_TRUE(pool);
  std::vector<Allocation> live;
  for (int i = 0; i < 40; ++i) {
    live.push_back(
        *rig.allocator.allocate(requirements(kMiB), ResourceKind::linear, {.pool = *pool}));
    rig.now += 16;
    rig.allocator.work();
  }
  const Totals totals = *rig.allocator.pool_totals(*pool);
  EXPECT_LT(totals.block_bytes, 2 * totals.allocation_bytes);
  for (const Allocation each : live)
    EXPECT_TRUE(rig.allocator.free(each));
  EXPECT_TRUE(rig.allocator.destroy_pool(*pool));
}

TEST(Background, FreeAndTickLeaveTheReleasingToIt) {
  Rig rig(fakes::profiles::discrete(), [](AllocatorDesc& desc) {
    by_owner()(desc);
    desc.blocks.retained_bytes = 0;
  });
  const auto large = rig.allocator.create_buffer(buffer_info(80 * kMiB));
  const auto small = rig.allocator.allocate(requirements(100), ResourceKind::linear);
  ASSERT_TRUE(large && small);
  EXPECT_TRUE(rig.allocator.destroy(*large));
  EXPECT_TRUE(rig.allocator.free(*small));
  rig.now += 60'000;
  rig.allocator.tick();
  EXPECT_EQ(rig.gpu.calls(Function::free_memory), 0u);
  rig.allocator.work();
  EXPECT_EQ(rig.gpu.calls(Function::free_memory), 1u);
  // Slots of idle threads go back a second after they were first seen idle.
  rig.now += 1'001;
  rig.allocator.work();
  EXPECT_EQ(rig.gpu.live().memories, 0u);
}

TEST(Background, ImpossibleWishesAreRefused) {
  fakes::FakeGpu gpu(fakes::profiles::discrete());
  AllocatorDesc desc = gpu.allocator_desc();
  desc.background = {.work = BackgroundWork::own_thread, .interval_milliseconds = 0};
  EXPECT_EQ(reason_of(Allocator::create(desc)), Reason::bad_argument);
  desc.background = {.work = BackgroundWork::by_owner, .lead_milliseconds = 0};
  EXPECT_EQ(reason_of(Allocator::create(desc)), Reason::bad_argument);
  desc.background = {.work = static_cast<BackgroundWork>(7)};
  EXPECT_EQ(reason_of(Allocator::create(desc)), Reason::bad_argument);
  desc.background = {.work = BackgroundWork::own_thread};
  desc.hot_path.deterministic = true;
  EXPECT_EQ(reason_of(Allocator::create(desc)), Reason::bad_argument);
  desc.background = {.work = BackgroundWork::by_owner};
  EXPECT_TRUE(Allocator::create(desc));
}

}  // namespace
}  // namespace quarry::test
