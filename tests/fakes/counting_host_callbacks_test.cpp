// SPDX-License-Identifier: MIT
#include "fakes/counting_host_callbacks.hpp"

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "fakes/bench.hpp"
#include "fakes/expect.hpp"

namespace quarry::fakes {
namespace {

void* allocate(CountingHostCallbacks& counting, std::size_t size, std::size_t alignment = 8) {
  const VkAllocationCallbacks& c = *counting.callbacks();
  return c.pfnAllocation(c.pUserData, size, alignment, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
}

void release(CountingHostCallbacks& counting, void* memory) {
  counting.callbacks()->pfnFree(counting.callbacks()->pUserData, memory);
}

TEST(CountingHostCallbacks, CountWhatIsAlive) {
  CountingHostCallbacks counting;
  void* a = allocate(counting, 100);
  void* b = allocate(counting, 50);
  EXPECT_EQ(counting.live_blocks(), 2u);
  EXPECT_EQ(counting.live_bytes(), 150u);
  EXPECT_EQ(counting.live_bytes(VK_SYSTEM_ALLOCATION_SCOPE_DEVICE), 150u);
  EXPECT_EQ(counting.live_bytes(VK_SYSTEM_ALLOCATION_SCOPE_OBJECT), 0u);
  release(counting, a);
  release(counting, b);
  release(counting, nullptr);
  EXPECT_EQ(counting.live_bytes(), 0u);
  EXPECT_EQ(counting.peak_bytes(), 150u);
  EXPECT_TRUE(counting.misuse().empty());
}

TEST(CountingHostCallbacks, KeepTheAlignment) {
  CountingHostCallbacks counting;
  void* memory = allocate(counting, 10, 4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0u);
  release(counting, memory);
}

TEST(CountingHostCallbacks, FailTheNthAllocation) {
  CountingHostCallbacks counting;
  counting.fail(2);
  void* first = allocate(counting, 1);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(allocate(counting, 1), nullptr);
  counting.fail(1, 10);
  EXPECT_EQ(allocate(counting, 1), nullptr);
  counting.succeed();
  void* last = allocate(counting, 1);
  EXPECT_NE(last, nullptr);
  release(counting, first);
  release(counting, last);
}

TEST(CountingHostCallbacks, RecordMisuse) {
  CountingHostCallbacks counting;
  void* memory = allocate(counting, 16);
  release(counting, memory);
  release(counting, memory);
  EXPECT_EQ(counting.misuse().size(), 1u);
  EXPECT_EQ(allocate(counting, 16, 3), nullptr);
  EXPECT_EQ(counting.misuse().size(), 2u);
}

TEST(CountingHostCallbacks, ReallocateKeepsTheContents) {
  CountingHostCallbacks counting;
  const VkAllocationCallbacks& c = *counting.callbacks();
  void* memory = allocate(counting, 4);
  std::memcpy(memory, "abc", 4);
  memory = c.pfnReallocation(c.pUserData, memory, 4000, 8, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
  ASSERT_NE(memory, nullptr);
  EXPECT_STREQ(static_cast<const char*>(memory), "abc");
  EXPECT_EQ(c.pfnReallocation(c.pUserData, memory, 0, 8, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE),
            nullptr);
  EXPECT_EQ(counting.live_blocks(), 0u);
}

TEST(CountingHostCallbacks, TheFakeDriverTakesItsHostMemoryThere) {
  Bench bench(profiles::discrete());
  CountingHostCallbacks counting;
  const VkBufferCreateInfo info = buffer_info(64);
  VkBuffer buffer = VK_NULL_HANDLE;
  EXPECT_EQ(bench.vk.vkCreateBuffer(bench.device(), &info, counting.callbacks(), &buffer),
            VK_SUCCESS);
  EXPECT_EQ(counting.live_blocks(), 1u);
  counting.fail(1);
  VkBuffer second = VK_NULL_HANDLE;
  EXPECT_EQ(bench.vk.vkCreateBuffer(bench.device(), &info, counting.callbacks(), &second),
            VK_ERROR_OUT_OF_HOST_MEMORY);
  bench.vk.vkDestroyBuffer(bench.device(), buffer, counting.callbacks());
  EXPECT_EQ(counting.live_blocks(), 0u);
  expect_clean_end(bench.gpu);
}

}  // namespace
}  // namespace quarry::fakes
