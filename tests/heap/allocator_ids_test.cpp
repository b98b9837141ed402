// SPDX-License-Identifier: MIT
#include "heap/allocator_ids.hpp"

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "heap/rig.hpp"

namespace quarry::heap {
namespace {

TEST(AllocatorIds, ThereAre255AndNoneIsGivenTwice) {
  std::set<std::uint8_t> taken;
  for (int i = 0; i < 255; ++i) {
    const std::uint8_t id = take_allocator_id();
    ASSERT_NE(id, 0u);
    EXPECT_TRUE(taken.insert(id).second);
  }
  EXPECT_EQ(take_allocator_id(), 0u);
  give_back_allocator_id(77);
  EXPECT_EQ(take_allocator_id(), 77u);
  for (const std::uint8_t id : taken)
    give_back_allocator_id(id);
}

TEST(AllocatorIds, ANumberComesBackAsLateAsPossible) {
  const std::uint8_t first = take_allocator_id();
  give_back_allocator_id(first);
  for (int i = 0; i < 254; ++i) {
    const std::uint8_t id = take_allocator_id();
    EXPECT_NE(id, first);
    give_back_allocator_id(id);
  }
  const std::uint8_t again = take_allocator_id();
  EXPECT_EQ(again, first);
  give_back_allocator_id(again);
}

TEST(AllocatorIds, AFreeNumberIsFoundWhoeverElseLooks) {
  std::vector<std::uint8_t> held;
  for (int i = 0; i < 251; ++i)
    held.push_back(take_allocator_id());
  // Four numbers for four threads: none may be turned away.
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 2'000; ++round) {
        const std::uint8_t id = take_allocator_id();
        EXPECT_NE(id, 0u);
        if (id != 0) give_back_allocator_id(id);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const std::uint8_t id : held)
    give_back_allocator_id(id);
}

TEST(AllocatorIds, The256thAllocatorIsRefusedUntilAnotherOneGoes) {
  fakes::CountingHostCallbacks host;
  fakes::FakeGpu gpu(fakes::profiles::single_type());
  AllocatorDesc desc = gpu.allocator_desc();
  desc.host_callbacks = host.callbacks();
  {
    std::vector<Allocator> allocators;
    for (int i = 0; i < 255; ++i) {
      auto made = Allocator::create(desc);
      ASSERT_TRUE(made);
      allocators.push_back(std::move(*made));
    }
    const auto refused = Allocator::create(desc);
    EXPECT_EQ(test::reason_of(refused), Reason::over_limit);

    // All of them work, and tell each other's handles from their own.
    const auto first = allocators.front().create_buffer(fakes::buffer_info(100));
    const auto last = allocators.back().create_buffer(fakes::buffer_info(100));
    ASSERT_TRUE(first && last);
    EXPECT_EQ(test::reason_of(allocators.back().destroy(*first)), Reason::foreign_handle);
    EXPECT_EQ(test::reason_of(allocators.front().destroy(*last)), Reason::foreign_handle);
    EXPECT_TRUE(allocators.front().destroy(*first));
    EXPECT_TRUE(allocators.back().destroy(*last));

    allocators.pop_back();
    EXPECT_TRUE(Allocator::create(desc));
  }
  fakes::expect_clean_end(gpu);
  EXPECT_EQ(host.live_blocks(), 0u);
}

}  // namespace
}  // namespace quarry::heap
