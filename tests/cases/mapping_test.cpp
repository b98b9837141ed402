// SPDX-License-Identifier: MIT
// F20 to F23: mapping and flushing.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::Function;
using fakes::kKiB;
using fakes::kMiB;

FakeProfile with_atom(VkDeviceSize atom) {
  FakeProfile profile = fakes::profiles::non_coherent();
  profile.atom = atom;
  profile.buffer_type_bits = 1u << 3;  // HOST_VISIBLE | HOST_CACHED
  return profile;
}

TEST(Cases, F20AFlushNearTheEndOfDedicatedMemoryStaysWithinIt) {
  Rig rig(with_atom(64));
  const auto memory = rig.allocator.allocate(
      requirements(39'824, 16, 1u << 3), ResourceKind::linear,
      {.intent = MemoryIntent::upload, .dedicated = Dedicated::always, .mapped = true});
  ASSERT_TRUE(memory);
  ASSERT_EQ(rig.gpu.memory_facts(rig.allocator.info(*memory)->memory)->size, 39'824u);
  for (const VkDeviceSize size : {39'816u, 39'824u, 39'808u, 1u}) {
    EXPECT_TRUE(rig.allocator.flush(*memory, 0, size));
    EXPECT_TRUE(rig.allocator.invalidate(*memory, 39'824 - size, size));
  }
  EXPECT_EQ(rig.gpu.calls(Function::flush_mapped_memory_ranges), 4u);
  EXPECT_TRUE(rig.allocator.free(*memory));
}

TEST(Cases, F21MappingWhatIsNotHostVisibleFailsEveryTime) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000));
  ASSERT_TRUE(buffer);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(reason_of(rig.allocator.map(buffer->allocation)), Reason::not_host_visible);
  EXPECT_EQ(reason_of(rig.allocator.unmap(buffer->allocation)), Reason::not_mapped);
  EXPECT_EQ(rig.gpu.calls(Function::map_memory), 0u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

/// Three allocations side by side; the host has written all of each, the device has seen none.
class F22RandomRanges : public testing::TestWithParam<VkDeviceSize> {};

TEST_P(F22RandomRanges, ReachNoNeighboursAtom) {
  for (const std::uint64_t seed : seeds(1)) {
    Random random(seed);
    Rig rig(with_atom(GetParam()));
    for (int round = 0; round < 400; ++round) {
      std::array<Buffer, 3> buffers;
      for (Buffer& buffer : buffers) {
        buffer = *rig.allocator.create_buffer(buffer_info(random.between(1, 3'000)),
                                              {.intent = MemoryIntent::upload, .mapped = true});
        const auto info = rig.allocator.info(buffer.allocation);
        const std::vector<std::byte> nothing(static_cast<std::size_t>(info->size));
        ASSERT_TRUE(rig.gpu.device_write(info->memory, info->offset, nothing));
        std::memset(info->mapped, 0xEE, nothing.size());
      }
      for (int i = 0; i < 10; ++i) {
        const VkDeviceSize size = rig.allocator.info(buffers[1].allocation)->size;
        const VkDeviceSize offset = random.below(size + 1);
        const VkDeviceSize length =
            random.one_in(5) ? VK_WHOLE_SIZE : random.below(size - offset + 1);
        ASSERT_TRUE(rig.allocator.flush(buffers[1].allocation, offset, length));
        const auto middle = rig.allocator.info(buffers[1].allocation);
        const VkDeviceSize end = length == VK_WHOLE_SIZE ? size : offset + length;
        std::vector<std::byte> seen(static_cast<std::size_t>(end - offset));
        ASSERT_TRUE(rig.gpu.device_read(middle->memory, middle->offset + offset, seen));
        for (const std::byte byte : seen)
          ASSERT_EQ(byte, std::byte{0xEE});
      }
      for (const std::size_t neighbour : {0u, 2u}) {
        const auto info = rig.allocator.info(buffers[neighbour].allocation);
        std::vector<std::byte> seen(static_cast<std::size_t>(info->size));
        ASSERT_TRUE(rig.gpu.device_read(info->memory, info->offset, seen));
        for (const std::byte byte : seen)
          ASSERT_EQ(byte, std::byte{0});
      }
      fakes::expect_no_violations(rig.gpu);
      for (const Buffer& buffer : buffers)
        ASSERT_TRUE(rig.allocator.destroy(buffer));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Atoms, F22RandomRanges, testing::Values(64, 256));

TEST(Cases, F23MappedBytesStayWithinTheirCapAndAreMappedLazilyInSmallPieces) {
  Rig rig(fakes::profiles::rebar(),
          [](AllocatorDesc& desc) { desc.blocks.mapped_address_space = 256 * kMiB; });
  std::vector<Buffer> buffers;
  for (int i = 0; i < 40; ++i) {
    const auto made = rig.allocator.create_buffer(
        buffer_info(12 * kMiB),
        {.intent = i % 2 == 0 ? MemoryIntent::upload : MemoryIntent::device_upload});
    ASSERT_TRUE(made);
    buffers.push_back(*made);
  }
  EXPECT_EQ(rig.gpu.calls(Function::map_memory), 0u) << "lazily";
  for (const VkDeviceMemory memory : rig.gpu.memories())
    EXPECT_LE(rig.gpu.memory_facts(memory)->size, 32 * kMiB) << "in small pieces";
  const auto mapped_bytes = [&] {
    VkDeviceSize bytes = 0;
    for (const VkDeviceMemory memory : rig.gpu.memories()) {
      const auto facts = rig.gpu.memory_facts(memory);
      if (facts->mapped) bytes += facts->size;
    }
    return bytes;
  };
  int refused = 0;
  for (const Buffer& buffer : buffers) {
    const auto mapped = rig.allocator.map(buffer.allocation);
    if (!mapped) {
      EXPECT_EQ(reason_of(mapped), Reason::over_limit);
      ++refused;
    }
    EXPECT_LE(mapped_bytes(), 256 * kMiB);
  }
  EXPECT_GT(refused, 0);
  EXPECT_GE(mapped_bytes(), 224 * kMiB);
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
  EXPECT_EQ(rig.gpu.live().mapped_memories, 0u);
}

}  // namespace
}  // namespace quarry::test
