// SPDX-License-Identifier: MIT
#include <cstring>

#include <gtest/gtest.h>

#include "fakes/bench.hpp"
#include "fakes/expect.hpp"

namespace quarry::fakes {
namespace {

struct Ring : Bench {
  Ring() : Bench(profiles::non_coherent()) {
    handle = buffer(4096);
    memory = allocate(2, 4096);
    bind_buffer(handle, memory);
    mapped = static_cast<std::byte*>(map(memory));
    semaphore = gpu.create_timeline_semaphore();
  }
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte* mapped = nullptr;
  VkSemaphore semaphore = VK_NULL_HANDLE;
};

TEST(Submissions, WritingBesideASubmittedReadIsAllowed) {
  Ring ring;
  ring.gpu.submit_buffer_read(ring.handle, 0, 1024, ring.semaphore, 1);
  std::memset(ring.mapped + 1024, 1, 1024);
  ring.gpu.signal(ring.semaphore, 1);
  expect_no_violations(ring.gpu);
}

TEST(Submissions, WritingAfterTheValueIsReachedIsAllowed) {
  Ring ring;
  ring.gpu.submit_buffer_read(ring.handle, 0, 1024, ring.semaphore, 1);
  ring.gpu.submit_buffer_read(ring.handle, 1024, 1024, ring.semaphore, 2);
  ring.gpu.signal(ring.semaphore, 1);
  std::memset(ring.mapped, 1, 1024);
  ring.gpu.signal(ring.semaphore, 2);
  expect_no_violations(ring.gpu);
}

TEST(Submissions, AGreaterValueRetiresLesserOnes) {
  Ring ring;
  ring.gpu.submit_buffer_read(ring.handle, 0, 1024, ring.semaphore, 1);
  ring.gpu.signal(ring.semaphore, 7);
  std::memset(ring.mapped, 1, 1024);
  ring.destroy_buffer(ring.handle);
  ring.free(ring.memory);
  expect_clean_end(ring.gpu);
}

TEST(Submissions, FencesRetireToo) {
  Ring ring;
  const VkFence fence = ring.gpu.create_fence();
  EXPECT_EQ(ring.vk.vkGetFenceStatus(ring.device(), fence), VK_NOT_READY);
  ring.gpu.submit_buffer_read_with_fence(ring.handle, 0, 64, fence);
  ring.mapped[0] = std::byte{1};
  ring.gpu.signal_fence(fence);
  EXPECT_EQ(ring.vk.vkGetFenceStatus(ring.device(), fence), VK_SUCCESS);
  expect_violation(ring.gpu, Rule::host_write_in_flight);
  ring.gpu.reset_fence(fence);
  EXPECT_EQ(ring.vk.vkGetFenceStatus(ring.device(), fence), VK_NOT_READY);
}

TEST(Submissions, TheSemaphoreTellsItsValue) {
  Ring ring;
  ring.gpu.signal(ring.semaphore, 42);
  std::uint64_t value = 0;
  EXPECT_EQ(ring.vk.vkGetSemaphoreCounterValue(ring.device(), ring.semaphore, &value), VK_SUCCESS);
  EXPECT_EQ(value, 42u);
  ring.gpu.fail(Function::get_semaphore_counter_value, 1, VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(ring.vk.vkGetSemaphoreCounterValue(ring.device(), ring.semaphore, &value),
            VK_ERROR_DEVICE_LOST);
}

TEST(Submissions, AReadBeyondTheBufferIsFoundOut) {
  Ring ring;
  ring.gpu.submit_buffer_read(ring.handle, 4096, 1, ring.semaphore, 1);
  expect_violation(ring.gpu, Rule::claim_outside);
}

}  // namespace
}  // namespace quarry::fakes
