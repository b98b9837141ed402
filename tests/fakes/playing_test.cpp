// SPDX-License-Identifier: MIT
// Submitted command buffers move bytes, in their time.
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "fakes/bench.hpp"
#include "fakes/expect.hpp"

namespace quarry::fakes {
namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;

struct Copied : Bench {
  Copied() : Bench(profiles::discrete()) {
    memory = allocate(1, 8192);
    from = buffer(buffer_info(4096, kUsage));
    to = buffer(buffer_info(4096, kUsage));
    bind_buffer(from, memory);
    bind_buffer(to, memory, 4096);
    const std::vector<std::byte> bytes(4096, std::byte{7});
    gpu.device_write(memory, 0, bytes);
    const VkBufferCopy region{16, 32, 100};
    commands = gpu.begin_commands();
    vk.vkCmdCopyBuffer(commands, from, to, 1, &region);
  }
  std::byte at(VkDeviceSize offset) {
    std::byte byte{};
    gpu.device_read(memory, offset, std::span(&byte, 1));
    return byte;
  }
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkBuffer from = VK_NULL_HANDLE;
  VkBuffer to = VK_NULL_HANDLE;
  VkCommandBuffer commands = nullptr;
};

TEST(Playing, ACopyMovesItsBytesAndNoOther) {
  Copied copied;
  copied.gpu.submit(std::span(&copied.commands, 1));
  EXPECT_EQ(copied.at(4096 + 31), std::byte{0});
  EXPECT_EQ(copied.at(4096 + 32), std::byte{7});
  EXPECT_EQ(copied.at(4096 + 131), std::byte{7});
  EXPECT_EQ(copied.at(4096 + 132), std::byte{0});
  expect_no_violations(copied.gpu);
}

TEST(Playing, WorkWaitsForItsSemaphore) {
  Copied copied;
  const VkSemaphore semaphore = copied.gpu.create_timeline_semaphore();
  copied.gpu.submit(std::span(&copied.commands, 1), semaphore, 3);
  copied.gpu.signal(semaphore, 2);
  EXPECT_EQ(copied.at(4096 + 32), std::byte{0});
  copied.gpu.signal(semaphore, 3);
  EXPECT_EQ(copied.at(4096 + 32), std::byte{7});
  copied.destroy_buffer(copied.from);
  copied.destroy_buffer(copied.to);
  copied.free(copied.memory);
  expect_clean_end(copied.gpu);
}

TEST(Playing, MemoryOfWaitingWorkIsInFlight) {
  Copied copied;
  copied.gpu.permit(Rule::free_while_bound);
  copied.gpu.submit(std::span(&copied.commands, 1), copied.gpu.create_timeline_semaphore(), 1);
  copied.free(copied.memory);
  expect_violation(copied.gpu, Rule::free_in_flight);
}

TEST(Playing, BlockBuffersLieOverOthersOnceDeclared) {
  Copied copied;
  copied.gpu.allow_block_buffers();
  const VkBuffer block = copied.buffer(buffer_info(8192, kUsage));
  copied.bind_buffer(block, copied.memory);
  EXPECT_EQ(copied.result, VK_SUCCESS);
  expect_no_violations(copied.gpu);
}

TEST(Playing, ImagesMoveMipByMipAndAspectByAspect) {
  constexpr VkImageUsageFlags kBoth =
      VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  Bench bench(profiles::discrete());
  VkImageCreateInfo info = image_info(64, 32, VK_FORMAT_D32_SFLOAT_S8_UINT, kBoth);
  info.mipLevels = 3;
  info.arrayLayers = 2;
  const VkImage from = bench.image(info);
  const VkImage to = bench.image(info);
  bench.bind_image(from, bench.allocate(1, kMiB));
  bench.bind_image(to, bench.allocate(1, kMiB));
  const std::array<std::byte, 3> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
  for (std::uint32_t layer = 0; layer < 2; ++layer)
    bench.gpu.write_image(from, VK_IMAGE_ASPECT_STENCIL_BIT, 1, layer,
                          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, bytes);
  const VkCommandBuffer commands = bench.gpu.begin_commands();
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.image = to;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                              VK_REMAINING_ARRAY_LAYERS};
  bench.vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                                &barrier);
  const VkImageSubresourceLayers layers{VK_IMAGE_ASPECT_STENCIL_BIT, 1, 0, 2};
  const VkImageCopy region{layers, {}, layers, {}, {32, 16, 1}};
  bench.vk.vkCmdCopyImage(commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  bench.gpu.submit(std::span(&commands, 1));
  const auto stencil = bench.gpu.read_image(to, VK_IMAGE_ASPECT_STENCIL_BIT, 1, 1);
  ASSERT_EQ(stencil.size(), 512u);
  EXPECT_EQ(stencil, bench.gpu.read_image(from, VK_IMAGE_ASPECT_STENCIL_BIT, 1, 1));
  EXPECT_EQ(stencil[1], std::byte{2});
  EXPECT_EQ(bench.gpu.read_image(to, VK_IMAGE_ASPECT_DEPTH_BIT, 1, 1),
            std::vector<std::byte>(3584, std::byte{0}));
  expect_no_violations(bench.gpu);
}

}  // namespace
}  // namespace quarry::fakes
