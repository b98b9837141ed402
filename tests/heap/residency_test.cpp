// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "heap/residency_rig.hpp"

namespace quarry::test {
namespace {

constexpr VkDeviceSize kMiB = VkDeviceSize{1} << 20;

TEST(Residency, OneBufferOutAndBack) {
  ResidencyRig rig;
  rig.add_buffer(kMiB / 2 + 12);
  const VkDeviceSize on_device = rig.allocator.heap_totals(0).allocation_bytes;
  EXPECT_GT(on_device, 0u);
  ASSERT_TRUE(rig.residency.evict(rig.allocations()));
  EXPECT_EQ(rig.record(rig.step()), 1u);
  // The old place is there until the copy is done.
  EXPECT_EQ(rig.allocator.heap_totals(0).allocation_bytes, on_device);
  rig.finish();
  EXPECT_EQ(rig.allocator.heap_totals(0).allocation_bytes, 0u);
  EXPECT_GE(rig.allocator.heap_totals(1).allocation_bytes, kMiB / 2 + 12);
  EXPECT_FALSE(rig.is_resident(0));
  EXPECT_EQ(rig.resources[0].buffer, VkBuffer{});
  EXPECT_EQ(rig.residency.totals().demoted_bytes, on_device);
  ASSERT_TRUE(rig.residency.make_resident(rig.allocations()));
  EXPECT_EQ(rig.run_step(), 1u);
  EXPECT_TRUE(rig.is_resident(0));
  EXPECT_EQ(rig.allocator.heap_totals(0).allocation_bytes, on_device);
  EXPECT_EQ(rig.allocator.heap_totals(1).allocation_bytes, 0u);
  EXPECT_EQ(rig.residency.figures().bytes_in, kMiB / 2 + 12);
  rig.expect_contents();
  rig.destroy_all();
}

TEST(Residency, ManyOfAllKindsThereAndBack) {
  ResidencyRig rig;
  for (std::uint32_t i = 0; i < 20; ++i) {
    rig.add_buffer(1 + i * 12'345);
    rig.add_image(64 + i, 32 + 2 * i);
  }
  rig.add_buffer(6 * kMiB);
  const Totals before = rig.allocator.totals();
  for (int round = 0; round < 5; ++round) {
    rig.evict_all();
    EXPECT_EQ(rig.resident_count(), 0u);
    EXPECT_EQ(rig.allocator.heap_totals(0).allocation_bytes, 0u);
    rig.bring_all_back();
    EXPECT_EQ(rig.resident_count(), rig.resources.size());
    rig.expect_contents();
  }
  EXPECT_EQ(rig.allocator.totals().allocation_count, before.allocation_count);
  EXPECT_EQ(rig.allocator.totals().allocation_bytes, before.allocation_bytes);
  const ResidencyFigures figures = rig.residency.figures();
  EXPECT_EQ(figures.demotions, 5u * rig.resources.size());
  EXPECT_EQ(figures.refused + figures.failed + figures.given_up, 0u);
  rig.destroy_all();
}

TEST(Residency, WhatIsEvictedAnswersNotResident) {
  ResidencyRig rig;
  rig.add_buffer(kMiB, {.movable = true, .tag = *rig.allocator.register_tag("walls"), .name = "w"});
  const VkBuffer old = rig.resources[0].buffer;
  rig.evict_all();
  Allocator& a = rig.allocator;
  const Allocation allocation = rig.allocation(0);
  std::array<std::byte, 4> bytes{};
  EXPECT_EQ(reason_of(a.map(allocation)), Reason::not_resident);
  EXPECT_EQ(reason_of(a.unmap(allocation)), Reason::not_resident);
  EXPECT_EQ(reason_of(a.flush(allocation)), Reason::not_resident);
  EXPECT_EQ(reason_of(a.copy_to(allocation, 0, bytes)), Reason::not_resident);
  EXPECT_EQ(reason_of(a.copy_from(allocation, 0, bytes)), Reason::not_resident);
  EXPECT_EQ(reason_of(a.pin(allocation)), Reason::not_resident);
  EXPECT_EQ(reason_of(a.explain(allocation)), Reason::not_resident);
  EXPECT_EQ(reason_of(a.create_aliasing_buffer(allocation, 0, fakes::buffer_info(64))),
            Reason::not_resident);
  ASSERT_TRUE(a.set_name(allocation, "renamed"));
  const auto info = a.info(allocation);
  ASSERT_TRUE(info);
  EXPECT_FALSE(info->resident);
  EXPECT_EQ(info->memory, VkDeviceMemory{});
  EXPECT_STREQ(info->name, "renamed");
  EXPECT_STREQ(a.tag_name(info->tag), "walls");
  EXPECT_EQ(a.tag_totals(info->tag).allocation_bytes, info->size);
  EXPECT_TRUE(a.snapshot());
  // Its owner may not know yet that the handle is gone.
  EXPECT_TRUE(a.destroy(Buffer{old, allocation}));
  EXPECT_EQ(reason_of(a.info(allocation)), Reason::stale_handle);
  rig.resources.clear();
}

TEST(Residency, FreedAtAnyMoment) {
  for (int moment = 0; moment < 5; ++moment) {
    ResidencyRig rig;
    rig.add_buffer(kMiB / 2);
    rig.add_image(64, 64);
    ASSERT_TRUE(rig.residency.evict(rig.allocations()));
    const auto resources = rig.resources;
    if (moment > 0) rig.record(rig.step());
    if (moment > 1) rig.finish();
    if (moment > 2) {
      ASSERT_TRUE(rig.residency.make_resident(rig.allocations()));
    }
    if (moment > 3) rig.record(rig.step());
    // By the handle from before it all began, but for the last, which is back.
    for (std::size_t i = 0; i < resources.size(); ++i) {
      const auto& resource = moment == 4 ? rig.resources[i] : resources[i];
      EXPECT_TRUE(resource.image != VK_NULL_HANDLE
                      ? rig.allocator.destroy(Image{resource.image, {resource.allocation}})
                      : rig.allocator.destroy(Buffer{resource.buffer, resource.allocation}));
    }
    rig.resources.clear();
    rig.finish();
    EXPECT_EQ(rig.run_step(), 0u);
    EXPECT_EQ(rig.allocator.totals().allocation_count, 0u);
  }
}

TEST(Residency, PinnedAndMappedStay) {
  ResidencyRig rig;
  rig.add_buffer(kMiB);
  ASSERT_TRUE(rig.allocator.pin(rig.allocation(0)));
  rig.evict_all();
  EXPECT_TRUE(rig.is_resident(0));
  ASSERT_TRUE(rig.allocator.unpin(rig.allocation(0)));
  rig.settle();
  EXPECT_FALSE(rig.is_resident(0));
  rig.bring_all_back();
  rig.expect_contents();
  rig.destroy_all();
}

TEST(Residency, WhatIsDiscardableIsNotCopied) {
  ResidencyRig rig;
  rig.add_buffer(kMiB, {.movable = true, .discardable = true});
  ASSERT_TRUE(rig.residency.evict(rig.allocations()));
  ResidencyStep step = rig.step();
  auto changes = rig.residency.record(step);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->demoted.size(), 1u);
  EXPECT_TRUE(changes->demoted[0].discarded);
  rig.follow(*changes);
  rig.residency.complete(step.value);
  EXPECT_EQ(rig.allocator.heap_totals(0).allocation_bytes, 0u);
  EXPECT_LE(rig.allocator.heap_totals(1).allocation_bytes, 256u);
  ASSERT_TRUE(rig.residency.make_resident(rig.allocations()));
  step = rig.step();
  changes = rig.residency.record(step);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->promoted.size(), 1u);
  EXPECT_TRUE(changes->promoted[0].rebuild);
  rig.follow(*changes);
  rig.residency.complete(step.value);
  EXPECT_EQ(rig.residency.figures().bytes_out + rig.residency.figures().bytes_in, 0u);
  EXPECT_EQ(rig.gpu.calls(fakes::Function::cmd_copy_buffer), 0u);
  EXPECT_TRUE(rig.is_resident(0));
  rig.destroy_all();
}

TEST(Residency, ATagSleepsAndWakes) {
  ResidencyRig rig;
  const Tag tag = *rig.allocator.register_tag("level 2");
  for (int i = 0; i < 6; ++i)
    rig.add_buffer(kMiB / 4, {.movable = true, .tag = i % 2 == 0 ? tag : Tag{}});
  ASSERT_TRUE(rig.residency.sleep(tag));
  rig.settle();
  EXPECT_EQ(rig.resident_count(), 3u);
  // It stays away whatever is asked of one of its own.
  ASSERT_TRUE(rig.residency.make_resident(rig.allocations()));
  rig.settle();
  EXPECT_EQ(rig.resident_count(), 3u);
  ASSERT_TRUE(rig.residency.wake(tag));
  rig.settle();
  EXPECT_EQ(rig.resident_count(), 6u);
  rig.expect_contents();
  EXPECT_EQ(reason_of(rig.residency.sleep(Tag{77})), Reason::bad_argument);
  rig.destroy_all();
}

TEST(Residency, UnderPressureTheLeastImportantAndLongestUnusedLeave) {
  ResidencyRig rig;
  rig.add_buffer(4 * kMiB, {.movable = true, .priority = 0.9f});
  for (int i = 0; i < 7; ++i)
    rig.add_buffer(4 * kMiB, {.movable = true, .priority = 0.3f});
  rig.residency.set_target(16 * kMiB);
  rig.settle();
  EXPECT_EQ(rig.resident_count(), 8u) << "all were used a moment ago";
  rig.now += 5'000;
  rig.allocator.tick();
  ASSERT_TRUE(rig.residency.touch(rig.allocation(3)));
  rig.settle();
  EXPECT_EQ(rig.resident_count(), 4u);
  EXPECT_TRUE(rig.is_resident(0));
  EXPECT_TRUE(rig.is_resident(3));
  rig.residency.set_target(VK_WHOLE_SIZE);
  rig.now += 20'000;
  rig.allocator.tick();
  rig.settle();
  EXPECT_EQ(rig.resident_count(), 8u) << "there is room";
  rig.expect_contents();
  rig.destroy_all();
}

TEST(Residency, OneThatIsWantedHasOthersLeave) {
  ResidencyRig rig;
  for (int i = 0; i < 5; ++i)
    rig.add_buffer(4 * kMiB);
  const std::array one{rig.allocation(0)};
  ASSERT_TRUE(rig.residency.evict(one));
  rig.settle();
  rig.residency.set_target(16 * kMiB);
  rig.now += 2'000;
  rig.allocator.tick();
  ASSERT_TRUE(rig.residency.make_resident(one));
  rig.settle();
  EXPECT_TRUE(rig.is_resident(0));
  EXPECT_EQ(rig.resident_count(), 4u);
  rig.bring_all_back();
  rig.residency.set_target(VK_WHOLE_SIZE);
  rig.bring_all_back();
  rig.expect_contents();
  rig.destroy_all();
}

TEST(Residency, NeedsHostMemoryBesideTheHeap) {
  Rig rig(fakes::profiles::single_type());
  EXPECT_EQ(reason_of(Residency::create(rig.allocator)), Reason::unsupported);
  Rig never(fakes::profiles::discrete(), [](AllocatorDesc& desc) { desc.never_move = true; });
  EXPECT_EQ(reason_of(Residency::create(never.allocator)), Reason::unsupported);
}

TEST(Residency, OneAtATimeAndSaneDescriptions) {
  ResidencyRig rig;
  EXPECT_EQ(reason_of(Residency::create(rig.allocator)), Reason::still_in_use);
  rig.residency = Residency();
  EXPECT_EQ(reason_of(Residency::create(rig.allocator, {.heap = 7})), Reason::bad_argument);
  EXPECT_EQ(reason_of(Residency::create(rig.allocator, {.relaxed_share = 0.0})),
            Reason::bad_argument);
  EXPECT_TRUE(Residency::create(rig.allocator));
}

TEST(Residency, StepsKeepTheirBounds) {
  ResidencyRig rig;
  for (int i = 0; i < 16; ++i)
    rig.add_buffer(kMiB / 2);
  ASSERT_TRUE(rig.residency.evict(rig.allocations()));
  ResidencyStep step = rig.step();
  step.max_bytes = kMiB;
  EXPECT_EQ(rig.run_step(step), 2u);
  step = rig.step();
  step.max_moves = 3;
  EXPECT_EQ(rig.run_step(step), 3u);
  step = rig.step();
  step.queue_family = 1;
  EXPECT_EQ(reason_of(rig.residency.record(step)), Reason::bad_argument) << "another family";
  rig.settle();
  EXPECT_EQ(rig.resident_count(), 0u);
  rig.bring_all_back();
  rig.expect_contents();
  rig.destroy_all();
}

TEST(Residency, DefragmentationAndResidencySideBySide) {
  ResidencyRig rig;
  for (int i = 0; i < 64; ++i)
    rig.add_buffer(kMiB / 2);
  rig.destroy_every_other();
  {
    auto pass = Defragmentation::begin(rig.allocator, {.host_visible = true});
    ASSERT_TRUE(pass);
    std::vector<Allocation> half = rig.allocations();
    half.resize(half.size() / 2);
    ASSERT_TRUE(rig.residency.evict(half));
    while (!pass->done()) {
      (void)rig.DefragmentationRig::run_step(*pass, rig.step());
      (void)rig.run_step();
    }
  }
  rig.settle();
  EXPECT_EQ(rig.resident_count(), 16u);
  {
    // What was evicted is none of its business.
    auto pass = Defragmentation::begin(rig.allocator, {.host_visible = true});
    ASSERT_TRUE(pass);
    rig.run(*pass);
  }
  EXPECT_EQ(rig.resident_count(), 16u);
  rig.bring_all_back();
  rig.expect_contents();
  rig.destroy_all();
}

}  // namespace
}  // namespace quarry::test
