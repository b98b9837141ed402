// SPDX-License-Identifier: MIT
// Moves in memory that the CPU sees: its writes are not lost, and it reads what was moved.
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "heap/defragmentation_rig.hpp"

namespace quarry::test {
namespace {

constexpr VkDeviceSize kSize = VkDeviceSize{512} << 10;
constexpr AllocationDesc kMovable{.intent = MemoryIntent::upload, .movable = true};

/// Host-visible memory that is not coherent.
fakes::FakeProfile non_coherent() {
  fakes::FakeProfile profile = fakes::profiles::non_coherent();
  profile.buffer_type_bits = 1u << 3;
  return profile;
}

/// On 32 bits mapped bytes are capped and blocks not kept mapped: what the library could flush or
/// invalidate is unmapped by then, and that is the owner's to do, as with Vulkan itself.
constexpr bool kBlocksStayMapped = sizeof(void*) > 4;

void write_by_cpu(DefragmentationRig& rig, const DefragmentationRig::Resource& resource) {
  const auto address = rig.allocator.map(resource.allocation);
  ASSERT_TRUE(address);
  std::memset(*address, resource.mark, static_cast<std::size_t>(resource.size));
  if (!kBlocksStayMapped) {
    ASSERT_TRUE(rig.allocator.flush(resource.allocation));
  }
  ASSERT_TRUE(rig.allocator.unmap(resource.allocation));
}

void expect_by_cpu(DefragmentationRig& rig) {
  for (const auto& resource : rig.resources) {
    const auto address = rig.allocator.map(resource.allocation);
    ASSERT_TRUE(address);
    if (!kBlocksStayMapped) {
      ASSERT_TRUE(rig.allocator.invalidate(resource.allocation));
    }
    const std::vector<std::uint8_t> expected(static_cast<std::size_t>(resource.size),
                                             resource.mark);
    EXPECT_EQ(std::memcmp(*address, expected.data(), expected.size()), 0);
    ASSERT_TRUE(rig.allocator.unmap(resource.allocation));
  }
}

template <VkAccessFlags access>
bool used_by(void* /*user*/, const MovableResource& /*resource*/, ResourceState& state) {
  state.stages = VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT;
  state.access = access | VK_ACCESS_SHADER_READ_BIT;
  return true;
}

/// Moves all that can be moved; how many moves there were.
std::uint64_t move_all(DefragmentationRig& rig,
                       bool (*state)(void*, const MovableResource&, ResourceState&)) {
  auto pass = Defragmentation::begin(rig.allocator, {.host_visible = true});
  EXPECT_TRUE(pass);
  if (!pass) return 0;
  while (!pass->done()) {
    DefragmentationStep step = rig.step();
    step.state = state;
    (void)rig.run_step(*pass, step);
  }
  return pass->figures().moves;
}

TEST(HostMoves, FlushWhatTheCpuWroteAndInvalidateWhatWasCopied) {
  DefragmentationRig rig({}, non_coherent());
  for (std::uint32_t i = 0; i < 32; ++i) {
    rig.add_buffer(kSize, kMovable);
    // The device's bytes are old, the CPU's are not flushed.
    const std::uint8_t mark = rig.resources.back().mark;
    rig.resources.back().mark = 0xEE;
    rig.write(rig.resources.back());
    rig.resources.back().mark = mark;
    write_by_cpu(rig, rig.resources.back());
  }
  rig.destroy_every_other();
  EXPECT_GT(move_all(rig, used_by<VK_ACCESS_HOST_WRITE_BIT>), 3u);
  expect_by_cpu(rig);
  for (const auto& resource : rig.resources) {
    const AllocationRange whole{resource.allocation, 0, VK_WHOLE_SIZE};
    ASSERT_TRUE(rig.allocator.map(resource.allocation));
    ASSERT_TRUE(rig.allocator.flush({&whole, 1}));
    ASSERT_TRUE(rig.allocator.unmap(resource.allocation));
  }
  rig.expect_contents();
  rig.destroy_all();
}

TEST(HostMoves, WhatTheGpuWroteIsNotFlushedOver) {
  DefragmentationRig rig({}, non_coherent());
  for (std::uint32_t i = 0; i < 32; ++i)
    rig.add_buffer(kSize, kMovable);
  rig.destroy_every_other();
  EXPECT_GT(move_all(rig, used_by<VK_ACCESS_HOST_READ_BIT>), 3u);
  rig.expect_contents();
  rig.destroy_all();
}

TEST(HostMoves, OfCoherentMemoryNeedNoCall) {
  DefragmentationRig rig;
  for (std::uint32_t i = 0; i < 32; ++i) {
    rig.add_buffer(kSize, kMovable);
    write_by_cpu(rig, rig.resources.back());
  }
  rig.destroy_every_other();
  rig.gpu.reset_calls();
  EXPECT_GT(move_all(rig, used_by<VK_ACCESS_HOST_WRITE_BIT>), 3u);
  EXPECT_EQ(rig.gpu.calls(fakes::Function::flush_mapped_memory_ranges), 0u);
  EXPECT_EQ(rig.gpu.calls(fakes::Function::invalidate_mapped_memory_ranges), 0u);
  rig.expect_contents();
  expect_by_cpu(rig);
  rig.destroy_all();
}

TEST(HostMoves, ThatCannotBeFlushedDoNotHappen) {
  if (!kBlocksStayMapped) GTEST_SKIP() << "nothing is mapped that could be flushed";
  DefragmentationRig rig({}, non_coherent());
  for (std::uint32_t i = 0; i < 32; ++i) {
    rig.add_buffer(kSize, kMovable);
    write_by_cpu(rig, rig.resources.back());
  }
  rig.destroy_every_other();
  {
    auto pass = Defragmentation::begin(rig.allocator, {.host_visible = true});
    ASSERT_TRUE(pass);
    rig.gpu.fail(fakes::Function::flush_mapped_memory_ranges, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    DefragmentationStep step = rig.step();
    step.state = used_by<VK_ACCESS_HOST_WRITE_BIT>;
    (void)rig.run_step(*pass, step);
    EXPECT_EQ(pass->figures().failed, 1u);
  }
  expect_by_cpu(rig);
  rig.destroy_all();
}

/// The memory barriers that were recorded, in order.
std::vector<std::pair<VkPipelineStageFlags, VkPipelineStageFlags>>& recorded_stages() {
  static std::vector<std::pair<VkPipelineStageFlags, VkPipelineStageFlags>> stages;
  return stages;
}

PFN_vkCmdPipelineBarrier& fake_barrier() {
  static PFN_vkCmdPipelineBarrier function = nullptr;
  return function;
}

VKAPI_ATTR void VKAPI_CALL note_barrier(VkCommandBuffer commands, VkPipelineStageFlags before,
                                        VkPipelineStageFlags after, VkDependencyFlags flags,
                                        std::uint32_t memory_count, const VkMemoryBarrier* memory,
                                        std::uint32_t buffer_count,
                                        const VkBufferMemoryBarrier* buffers,
                                        std::uint32_t image_count,
                                        const VkImageMemoryBarrier* images) {
  recorded_stages().emplace_back(before, after);
  fake_barrier()(commands, before, after, flags, memory_count, memory, buffer_count, buffers,
                 image_count, images);
}

TEST(HostMoves, StandBetweenBarriersOfTheHostStage) {
  VulkanFunctions functions = fakes::FakeGpu::functions();
  DefragmentationRig rig([&](AllocatorDesc& desc) {
    fake_barrier() = std::exchange(functions.vkCmdPipelineBarrier, note_barrier);
    desc.get_instance_proc_addr = nullptr;
    desc.functions = &functions;
  });
  for (const bool host_visible : {false, true}) {
    for (std::uint32_t i = 0; i < 32; ++i)
      rig.add_buffer(kSize, host_visible ? kMovable : AllocationDesc{.movable = true});
    rig.destroy_every_other();
    recorded_stages().clear();
    EXPECT_GT(move_all(rig, used_by<0>), 3u);
    ASSERT_GE(recorded_stages().size(), 2u);
    constexpr VkPipelineStageFlags kHost = VK_PIPELINE_STAGE_HOST_BIT;
    EXPECT_EQ((recorded_stages().front().first & kHost) != 0, host_visible);
    EXPECT_EQ((recorded_stages().back().second & kHost) != 0, host_visible);
    rig.destroy_all();
  }
}

}  // namespace
}  // namespace quarry::test
