// SPDX-License-Identifier: MIT
// Frames whose buffers are destroyed while the device still works, and whose successors lie in the
// same memory behind a barrier: each must find its own bytes.
#include <deque>

#include "functional/fixture.hpp"

namespace quarry::functional {

namespace {

constexpr std::uint32_t kQueue = 0;
constexpr VkPipelineStageFlags kCopies = VK_PIPELINE_STAGE_TRANSFER_BIT;

class FunctionalOrder : public Functional {
 protected:
  struct Frame {
    std::uint64_t value;
    Buffer back;
    std::vector<std::byte> expected;
  };

  void SetUp() override {
    Functional::SetUp();
    barrier_ = reinterpret_cast<PFN_vkCmdPipelineBarrier>(
        device().device_function("vkCmdPipelineBarrier"));
    copy_ = reinterpret_cast<PFN_vkCmdCopyBuffer>(device().device_function("vkCmdCopyBuffer"));
    ASSERT_NE(barrier_, nullptr);
    ASSERT_NE(copy_, nullptr);
  }

  void order(VkCommandBuffer commands, VkPipelineStageFlags before, VkPipelineStageFlags after,
             VkAccessFlags access) {
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    memory.dstAccessMask = access;
    barrier_(commands, before, after, 0, 1, &memory, 0, nullptr, 0, nullptr);
  }

  /// Bytes go from a staging buffer through one that follows early, and come back.
  void play_frame(VkDeviceSize size, std::uint64_t seed) {
    Frame frame{device().next_value(), make_buffer(size, {.intent = MemoryIntent::readback}),
                noise(size, seed)};
    const Buffer staging = make_buffer(size, {.intent = MemoryIntent::upload});
    ASSERT_TRUE(allocator.copy_to(staging.allocation, 0, frame.expected));
    const auto between = allocator.create_buffer_ordered(buffer_info(size), {},
                                                         {.queue = kQueue, .opportunistic = false});
    ASSERT_TRUE(between);
    const VkCommandBuffer commands = device().begin_commands();
    if (between->order.barrier_stages != 0) {
      ++taken_over_;
      order(commands, between->order.barrier_stages, kCopies,
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
    }
    const VkBufferCopy region{0, 0, size};
    copy_(commands, staging.buffer, between->buffer.buffer, 1, &region);
    order(commands, kCopies, kCopies, VK_ACCESS_TRANSFER_READ_BIT);
    copy_(commands, between->buffer.buffer, frame.back.buffer, 1, &region);
    order(commands, kCopies, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    device().submit_commands(commands, frame.value);
    const std::array gone{staging, between->buffer};
    for (const Buffer& buffer : gone) {
      const auto info = allocator.info(buffer.allocation);
      ASSERT_TRUE(info);
      device().allow_aliasing(*info);
    }
    const GpuPoint point{device().timeline(), frame.value, kQueue, kCopies};
    ASSERT_TRUE(allocator.destroy_after(gone, point));
    frames_.push_back(std::move(frame));
  }

  void finish_oldest() {
    const Frame frame = std::move(frames_.front());
    frames_.pop_front();
    device().wait(frame.value);
    std::vector<std::byte> back(frame.expected.size());
    ASSERT_TRUE(allocator.copy_from(frame.back.allocation, 0, back));
    EXPECT_EQ(back, frame.expected) << "value " << frame.value;
    EXPECT_TRUE(allocator.destroy(frame.back));
  }

  std::deque<Frame> frames_;
  int taken_over_ = 0;

 private:
  PFN_vkCmdPipelineBarrier barrier_ = nullptr;
  PFN_vkCmdCopyBuffer copy_ = nullptr;
};

TEST_F(FunctionalOrder, FramesFollowEachOtherInTheSameMemory) {
  constexpr std::size_t kFramesInFlight = 3;
  std::mt19937_64 random(test::seeds(1).front());
  const VkDeviceSize sizes[] = {4096, 100'000, 1'500'000};
  for (int frame = 0; frame < 60; ++frame) {
    ASSERT_NO_FATAL_FAILURE(play_frame(sizes[frame % 3], random()));
    if (frames_.size() > kFramesInFlight * 2) finish_oldest();
    if (frame % 5 == 0) {
      ASSERT_TRUE(allocator.collect());
    }
  }
  while (!frames_.empty())
    finish_oldest();
  ASSERT_TRUE(allocator.collect());
  EXPECT_GT(taken_over_, 10);
  EXPECT_EQ(allocator.pending_frees().count, 0u);
  EXPECT_EQ(allocator.totals().allocation_count, 0u);
}

}  // namespace

}  // namespace quarry::functional
