// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "heap/defragmentation_rig.hpp"

namespace quarry::test {
namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;

class DefragmentationTest : public testing::Test {
 protected:
  void fill(std::size_t count, VkDeviceSize size = kMiB / 2) {
    for (std::size_t i = 0; i < count; ++i)
      rig.add_buffer(size);
  }
  Defragmentation begin(const DefragmentationDesc& desc = {}) {
    auto pass = Defragmentation::begin(rig.allocator, desc);
    EXPECT_TRUE(pass);
    return pass ? std::move(*pass) : Defragmentation();
  }
  /// Of device memory: the list of moves lies in a block of its own.
  std::uint64_t blocks() { return rig.allocator.heap_totals(0).block_count; }

  DefragmentationRig rig;
};

TEST_F(DefragmentationTest, EmptiesBlocksAndKeepsContents) {
  fill(64);
  for (std::uint32_t i = 0; i < 12; ++i)
    rig.add_image(256, 256);
  const std::uint64_t before = blocks();
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    EXPECT_GT(pass.planned_bytes_freed(), 0u);
    const VkDeviceSize planned = pass.planned_bytes();
    rig.run(pass);
    EXPECT_EQ(pass.figures().bytes_moved, planned);
    EXPECT_EQ(pass.figures().bytes_freed, pass.planned_bytes_freed());
    EXPECT_EQ(pass.figures().given_up + pass.figures().refused + pass.figures().failed, 0u);
  }
  EXPECT_LE(blocks(), before / 2 + 1);
  rig.expect_contents();
  // Nothing is left to do.
  {
    Defragmentation again = begin();
    EXPECT_TRUE(again.done());
  }
  rig.destroy_all();
}

TEST_F(DefragmentationTest, SmallBuffersMoveToo) {
  for (std::uint32_t i = 0; i < 3000; ++i)
    rig.add_buffer(4096);
  const std::uint64_t before = blocks();
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    rig.run(pass);
  }
  EXPECT_LT(blocks(), before);
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationTest, AddressedBuffersMoveWhereTheirOwnerAsksAgain) {
  for (const bool asks_again : {false, true}) {
    for (std::uint32_t i = 0; i < 64; ++i)
      rig.add_buffer(kMiB, {.movable = true, .refetches_address = asks_again},
                     VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    rig.destroy_every_other();
    {
      Defragmentation pass = begin();
      rig.run(pass);
      EXPECT_EQ(pass.figures().moves != 0, asks_again);
    }
    rig.expect_contents();
    rig.destroy_all();
  }
}

TEST_F(DefragmentationTest, StepsKeepTheirBounds) {
  fill(64, kMiB / 4);
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    while (!pass.done()) {
      DefragmentationStep step = rig.step();
      step.max_bytes = kMiB;
      EXPECT_LE(rig.run_step(pass, step), 4u);
    }
  }
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationTest, OnePassAtATime) {
  Defragmentation pass = begin();
  EXPECT_EQ(reason_of(Defragmentation::begin(rig.allocator)), Reason::still_in_use);
  pass = Defragmentation();
  EXPECT_TRUE(Defragmentation::begin(rig.allocator));
}

TEST_F(DefragmentationTest, OldResourcesLiveUntilTheStepIsComplete) {
  fill(32);
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    DefragmentationStep step = rig.step();
    const auto moved = pass.record(step);
    ASSERT_TRUE(moved);
    ASSERT_FALSE(moved->empty());
    const std::vector<MovedResource> all(moved->begin(), moved->end());
    const auto old_ones = [&] {
      return std::count_if(all.begin(), all.end(), [&](const MovedResource& each) {
        return rig.gpu.buffer_binding(each.old_buffer).has_value();
      });
    };
    EXPECT_EQ(old_ones(), std::ssize(all));
    rig.rename(*moved);
    pass.complete(step.value - 1);
    EXPECT_EQ(old_ones(), std::ssize(all));
    rig.gpu.submit(std::span(&step.commands, 1));
    pass.complete(step.value);
    EXPECT_EQ(old_ones(), 0);
    for (const MovedResource& each : all)
      EXPECT_TRUE(rig.gpu.buffer_binding(each.new_buffer).has_value());
    rig.run(pass);
  }
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationTest, PinnedAndMappedStay) {
  fill(16);
  rig.destroy_every_other();
  for (const auto& resource : rig.resources) {
    ASSERT_TRUE(rig.allocator.pin(resource.allocation));
    ASSERT_TRUE(rig.allocator.pin(resource.allocation));
  }
  {
    Defragmentation pass = begin();
    EXPECT_TRUE(pass.done());
  }
  for (const auto& resource : rig.resources)
    ASSERT_TRUE(rig.allocator.unpin(resource.allocation));
  {
    Defragmentation pass = begin();
    EXPECT_TRUE(pass.done()) << "pinned once more than unpinned";
  }
  for (const auto& resource : rig.resources)
    ASSERT_TRUE(rig.allocator.unpin(resource.allocation));
  EXPECT_EQ(reason_of(rig.allocator.unpin(rig.resources[0].allocation)), Reason::bad_argument);
  {
    Defragmentation pass = begin();
    EXPECT_FALSE(pass.done());
    rig.run(pass);
  }
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationTest, WhatIsPinnedOrFreedAfterPlanningStays) {
  fill(48);
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    ASSERT_FALSE(pass.done());
    for (const auto& resource : rig.resources)
      ASSERT_TRUE(rig.allocator.pin(resource.allocation));
    rig.run(pass);
    EXPECT_EQ(pass.figures().moves, 0u);
    EXPECT_GT(pass.figures().given_up, 0u);
  }
  for (const auto& resource : rig.resources)
    ASSERT_TRUE(rig.allocator.unpin(resource.allocation));
  {
    Defragmentation pass = begin();
    ASSERT_FALSE(pass.done());
    rig.destroy_all();
    rig.run(pass);
    EXPECT_EQ(pass.figures().moves, 0u);
  }
}

TEST_F(DefragmentationTest, OwnersInTheWayDuringTheQuestionDropTheMove) {
  // Asked about the state, the owner frees, pins or maps what it is asked about.
  struct Owner {
    DefragmentationRig* rig;
    std::vector<Allocation> freed;
    std::uint32_t asked = 0;
  } owner{&rig, {}, 0};
  fill(64);
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    while (!pass.done()) {
      DefragmentationStep step = rig.step();
      step.user = &owner;
      step.state = [](void* user, const MovableResource& resource, ResourceState&) {
        Owner& self = *static_cast<Owner*>(user);
        Allocator& allocator = self.rig->allocator;
        switch (self.asked++ % 3) {
          case 0:
            EXPECT_TRUE(allocator.destroy(Buffer{resource.buffer, resource.allocation}));
            self.freed.push_back(resource.allocation);
            break;
          case 1:
            EXPECT_TRUE(allocator.pin(resource.allocation));
            EXPECT_TRUE(allocator.info(resource.allocation));
            break;
          default:
            break;
        }
        return true;
      };
      (void)rig.run_step(pass, step);
    }
    EXPECT_GT(owner.asked, 3u);
    EXPECT_EQ(pass.figures().given_up + pass.figures().moves, owner.asked);
    EXPECT_GT(pass.figures().moves, 0u);
  }
  std::erase_if(rig.resources, [&](const auto& resource) {
    return std::find(owner.freed.begin(), owner.freed.end(), resource.allocation) !=
           owner.freed.end();
  });
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationTest, WhatIsFreedInFlightGoesWithItsMove) {
  fill(32);
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    DefragmentationStep step = rig.step();
    const auto moved = pass.record(step);
    ASSERT_TRUE(moved);
    ASSERT_GE(moved->size(), 3u);
    const MovedResource first = (*moved)[0];
    const MovedResource second = (*moved)[1];
    rig.rename(*moved);
    const std::size_t live = rig.gpu.live().buffers;
    // Under its new handle, under its old one; under another's it is refused.
    EXPECT_EQ(reason_of(rig.allocator.destroy(Buffer{first.new_buffer, second.allocation})),
              Reason::bad_argument);
    EXPECT_TRUE(rig.allocator.destroy(Buffer{first.new_buffer, first.allocation}));
    EXPECT_TRUE(rig.allocator.destroy(Buffer{second.old_buffer, second.allocation}));
    EXPECT_EQ(reason_of(rig.allocator.destroy(Buffer{first.new_buffer, first.allocation})),
              Reason::stale_handle);
    EXPECT_EQ(rig.gpu.live().buffers, live) << "the GPU may still copy";
    std::erase_if(rig.resources, [&](const auto& resource) {
      return resource.allocation == first.allocation || resource.allocation == second.allocation;
    });
    rig.gpu.submit(std::span(&step.commands, 1), rig.semaphore, step.value);
    rig.gpu.signal(rig.semaphore, step.value);
    pass.complete(step.value);
    rig.run(pass);
  }
  rig.expect_contents();
  EXPECT_EQ(rig.gpu.live().buffers, rig.resources.size());
  rig.destroy_all();
}

TEST_F(DefragmentationTest, MappingWaitsForTheCopy) {
  for (std::uint32_t i = 0; i < 32; ++i)
    rig.add_buffer(kMiB / 2, {.intent = MemoryIntent::upload, .movable = true});
  rig.destroy_every_other();
  {
    Defragmentation none = begin();
    EXPECT_TRUE(none.done()) << "host-visible memory only when asked for";
  }
  {
    Defragmentation pass = begin({.host_visible = true});
    DefragmentationStep step = rig.step();
    const auto moved = pass.record(step);
    ASSERT_TRUE(moved);
    ASSERT_FALSE(moved->empty());
    const Allocation on_its_way = (*moved)[0].allocation;
    rig.rename(*moved);
    EXPECT_EQ(reason_of(rig.allocator.map(on_its_way)), Reason::being_moved);
    EXPECT_TRUE(rig.allocator.info(on_its_way));
    rig.gpu.submit(std::span(&step.commands, 1));
    pass.complete(step.value);
    EXPECT_TRUE(rig.allocator.map(on_its_way));
    rig.run(pass);
    EXPECT_TRUE(rig.allocator.unmap(on_its_way));
  }
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationTest, F37RefusalsEndNothingEarly) {
  fill(32);
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    while (!pass.done()) {
      DefragmentationStep step = rig.step();
      step.max_moves = 2;
      step.state = [](void*, const MovableResource&, ResourceState&) { return false; };
      EXPECT_EQ(rig.run_step(pass, step), 0u);
    }
    EXPECT_GT(pass.figures().refused, 4u);
  }
  {
    Defragmentation pass = begin();
    rig.run(pass);
    EXPECT_GT(pass.figures().moves, 4u);
  }
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationTest, ImagesOfUnknownLayoutAndForeignQueuesStay) {
  for (std::uint32_t i = 0; i < 64; ++i)
    rig.add_image(256, 256);
  rig.destroy_every_other();
  {
    Defragmentation pass = begin();
    ASSERT_FALSE(pass.done());
    DefragmentationStep step = rig.step();
    step.max_moves = 1;
    step.state = nullptr;
    (void)rig.run_step(pass, step);
    EXPECT_EQ(pass.figures().moves, 0u);
    EXPECT_TRUE(pass.done()) << "all were refused";
  }
  {
    Defragmentation pass = begin();
    DefragmentationStep step = rig.step();
    step.state = [](void*, const MovableResource&, ResourceState& state) {
      state.layout = VK_IMAGE_LAYOUT_GENERAL;
      state.queue_family = 1;
      return true;
    };
    EXPECT_EQ(rig.run_step(pass, step), 0u);
  }
  rig.expect_contents();
  rig.destroy_all();
}

TEST_F(DefragmentationTest, FailuresOfTheDriverLoseNothing) {
  using fakes::Function;
  for (const Function function : {Function::create_buffer, Function::bind_buffer_memory2,
                                  Function::create_image, Function::bind_image_memory2}) {
    SCOPED_TRACE(static_cast<int>(function));
    fill(32);
    for (std::uint32_t i = 0; i < 64; ++i)
      rig.add_image(256, 256);
    rig.destroy_every_other();
    {
      Defragmentation pass = begin();
      ASSERT_FALSE(pass.done());
      rig.gpu.fail(function, 2, VK_ERROR_OUT_OF_DEVICE_MEMORY);
      rig.run(pass);
      EXPECT_EQ(pass.figures().failed, 1u);
      EXPECT_GT(pass.figures().moves, 2u);
    }
    rig.expect_contents();
    rig.destroy_all();
  }
}

TEST_F(DefragmentationTest, OwnersMoveWhatTheLibraryDidNotMake) {
  std::vector<Allocation> raw;
  const AllocationDesc movable{.movable = true, .user_data = &raw};
  for (std::uint32_t i = 0; i < 32; ++i) {
    const auto made = rig.allocator.allocate(requirements(kMiB / 2), ResourceKind::linear, movable);
    ASSERT_TRUE(made);
    raw.push_back(*made);
  }
  for (std::size_t i = raw.size(); i-- > 0;) {
    if (i % 2 == 0) continue;
    ASSERT_TRUE(rig.allocator.free(raw[i]));
    raw.erase(raw.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const std::uint64_t before = blocks();
  {
    Defragmentation none = begin();
    EXPECT_TRUE(none.done()) << "the library cannot make these again";
  }
  {
    Defragmentation pass = begin({.by_owner = true});
    ASSERT_FALSE(pass.done());
    std::uint32_t seen = 0;
    std::vector<Allocation> old_places;
    while (!pass.done()) {
      const auto proposed = pass.propose(kMiB, 2);
      ASSERT_TRUE(proposed);
      for (const ProposedMove& move : *proposed) {
        const auto from = rig.allocator.info(move.allocation);
        const auto to = rig.allocator.info(move.destination);
        ASSERT_TRUE(from && to);
        switch (seen++) {
          case 1:  // refused
            EXPECT_TRUE(rig.allocator.free(move.destination));
            EXPECT_EQ(reason_of(pass.commit(move)), Reason::stale_handle);
            continue;
          case 2:  // pinned meanwhile
            EXPECT_TRUE(rig.allocator.pin(move.allocation));
            EXPECT_EQ(reason_of(pass.commit(move)), Reason::still_in_use);
            EXPECT_TRUE(rig.allocator.unpin(move.allocation));
            break;
          default:
            break;
        }
        ASSERT_TRUE(pass.commit(move));
        EXPECT_EQ(rig.allocator.info(move.allocation)->memory, to->memory);
        EXPECT_EQ(rig.allocator.info(move.allocation)->offset, to->offset);
        EXPECT_EQ(rig.allocator.info(move.allocation)->user_data, &raw);
        EXPECT_EQ(rig.allocator.info(move.destination)->memory, from->memory);
        EXPECT_EQ(rig.allocator.info(move.destination)->offset, from->offset);
        old_places.push_back(move.destination);
      }
    }
    EXPECT_EQ(reason_of(pass.commit({})), Reason::bad_argument);
    EXPECT_GT(seen, 3u);
    for (const Allocation old : old_places)
      EXPECT_TRUE(rig.allocator.free(old));
  }
  EXPECT_LT(blocks(), before);
  EXPECT_EQ(rig.allocator.totals().allocation_count, raw.size());
  for (const Allocation each : raw)
    EXPECT_TRUE(rig.allocator.free(each));
}

TEST_F(DefragmentationTest, NothingMovesWhereItMustNot) {
  const VkPhysicalDeviceProperties& driver = rig.allocator.facts().properties;
  const DriverRange this_one{.vendor_id = driver.vendorID,
                             .device_id = driver.deviceID,
                             .first_version = driver.driverVersion,
                             .last_version = driver.driverVersion};
  DriverRange another = this_one;
  another.vendor_id += 1;
  DriverRange newer = this_one;
  newer.first_version = newer.last_version = driver.driverVersion + 1;
  const auto begins = [](const DefragmentationRig::Change& change) {
    DefragmentationRig other(change);
    return reason_of(Defragmentation::begin(other.allocator));
  };
  EXPECT_EQ(begins([](AllocatorDesc& desc) { desc.never_move = true; }), Reason::unsupported);
  EXPECT_EQ(begins([&](AllocatorDesc& desc) {
              desc.never_move_on = {&this_one, 1};
            }),
            Reason::unsupported);
  EXPECT_EQ(begins([&](AllocatorDesc& desc) { desc.never_move_on = {&another, 1}; }), Reason::none);
  EXPECT_EQ(begins([&](AllocatorDesc& desc) { desc.never_move_on = {&newer, 1}; }), Reason::none);
}

TEST_F(DefragmentationTest, ExplainsWhatKeepsAnAllocationInItsPlace) {
  rig.add_buffer(kMiB, {.intent = MemoryIntent::upload, .movable = true});
  const Allocation allocation = rig.resources[0].allocation;
  const auto verdict = [&] { return rig.allocator.explain(allocation)->movable; };
  EXPECT_EQ(verdict(), MovableVerdict::movable);
  ASSERT_TRUE(rig.allocator.map(allocation));
  EXPECT_EQ(verdict(), MovableVerdict::mapped);
  ASSERT_TRUE(rig.allocator.pin(allocation));
  EXPECT_EQ(verdict(), MovableVerdict::pinned);
  ASSERT_TRUE(rig.allocator.unpin(allocation));
  ASSERT_TRUE(rig.allocator.unmap(allocation));
  EXPECT_EQ(verdict(), MovableVerdict::movable);
  rig.destroy_all();
}

TEST_F(DefragmentationTest, FailuresOfHostMemoryLoseNothing) {
  fill(16);
  rig.destroy_every_other();
  bool finished = false;
  for (std::uint64_t allowed = 0; !finished && allowed < 1000; ++allowed) {
    rig.host.fail(allowed + 1, 1'000'000);
    auto pass = Defragmentation::begin(rig.allocator);
    if (pass) {
      DefragmentationStep step = rig.step();
      const auto moved = pass->record(step);
      if (moved) rig.rename(*moved);
      finished = moved && pass->figures().failed == 0 && pass->figures().given_up == 0;
      rig.gpu.submit(std::span(&step.commands, 1));
      pass->complete(step.value);
    }
    rig.host.succeed();
    pass = Defragmentation();
    rig.expect_contents();
  }
  EXPECT_TRUE(finished);
  rig.destroy_all();
}

}  // namespace
}  // namespace quarry::test
