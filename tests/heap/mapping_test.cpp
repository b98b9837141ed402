// SPDX-License-Identifier: MIT
#include "heap/mapping.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "heap/rig.hpp"

namespace quarry::test {
namespace {

using fakes::buffer_info;
using fakes::FakeProfile;
using fakes::Function;
using fakes::kKiB;
using fakes::kMiB;

constexpr AllocationDesc kUpload{.intent = MemoryIntent::upload};

std::vector<std::byte> pattern(std::size_t size, unsigned start = 1) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 7 + start) & 0xFF);
  return bytes;
}

/// What the device sees of an allocation.
std::vector<std::byte> on_device(Rig& rig, Allocation allocation, std::size_t size) {
  std::vector<std::byte> bytes(size);
  const auto info = rig.allocator.info(allocation);
  EXPECT_TRUE(rig.gpu.device_read(info->memory, info->offset, bytes));
  return bytes;
}

/// Host-visible memory that is not coherent, atoms of 256 bytes.
FakeProfile non_coherent() {
  FakeProfile profile = fakes::profiles::non_coherent();
  profile.buffer_type_bits = 1u << 3;
  return profile;
}

TEST(Mapping, IsCountedForEachAllocationAndMapsTheMemoryOnce) {
  Rig rig(fakes::profiles::discrete());
  const auto a = rig.allocator.create_buffer(buffer_info(100), kUpload);
  const auto b = rig.allocator.create_buffer(buffer_info(100), kUpload);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(rig.allocator.info(a->allocation)->mapped, nullptr);
  const auto first = rig.allocator.map(a->allocation);
  const auto second = rig.allocator.map(a->allocation);
  const auto other = rig.allocator.map(b->allocation);
  ASSERT_TRUE(first && second && other);
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, *other);
  EXPECT_EQ(rig.allocator.info(a->allocation)->mapped, *first);
  EXPECT_EQ(rig.gpu.calls(Function::map_memory), 1u);
  EXPECT_TRUE(rig.allocator.unmap(a->allocation));
  EXPECT_EQ(rig.allocator.info(a->allocation)->mapped, *first);
  EXPECT_TRUE(rig.allocator.unmap(a->allocation));
  EXPECT_EQ(rig.allocator.info(a->allocation)->mapped, nullptr);
  EXPECT_EQ(reason_of(rig.allocator.unmap(a->allocation)), Reason::not_mapped);
  EXPECT_TRUE(rig.allocator.unmap(b->allocation));
  EXPECT_TRUE(rig.allocator.destroy(*a));
  EXPECT_TRUE(rig.allocator.destroy(*b));
}

TEST(Mapping, ABlockStaysMappedSoThatLaterMapsCostNothing) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.blocks.mapped_address_space = VK_WHOLE_SIZE; });
  const auto buffer = rig.allocator.create_buffer(buffer_info(100), kUpload);
  ASSERT_TRUE(buffer);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(rig.allocator.map(buffer->allocation));
    EXPECT_TRUE(rig.allocator.unmap(buffer->allocation));
  }
  EXPECT_EQ(rig.gpu.calls(Function::map_memory), 1u);
  EXPECT_EQ(rig.gpu.calls(Function::unmap_memory), 0u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Mapping, UnderACapMappingsAreGivenBackAndBlocksAreSmall) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.blocks.mapped_address_space = 16 * kMiB; });
  std::vector<Buffer> buffers;
  for (int i = 0; i < 40; ++i)
    buffers.push_back(*rig.allocator.create_buffer(buffer_info(1 * kMiB), kUpload));
  for (const VkDeviceMemory memory : rig.gpu.memories())
    EXPECT_LE(rig.gpu.memory_facts(memory)->size, 2 * kMiB);
  int mapped = 0;
  for (const Buffer& buffer : buffers)
    mapped += rig.allocator.map(buffer.allocation) ? 1 : 0;
  EXPECT_GE(mapped, 14);
  EXPECT_LE(mapped, 16);
  const auto refused = rig.allocator.map(buffers.back().allocation);
  EXPECT_EQ(reason_of(refused), Reason::over_limit);
  for (const Buffer& buffer : buffers)
    (void)rig.allocator.unmap(buffer.allocation);
  EXPECT_EQ(rig.gpu.live().mapped_memories, 0u);
  EXPECT_TRUE(rig.allocator.map(buffers.back().allocation));
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

TEST(Mapping, PersistentMappingsNeedNoUnmap) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer = rig.allocator.create_buffer(buffer_info(100),
                                                  {.intent = MemoryIntent::upload, .mapped = true});
  ASSERT_TRUE(buffer);
  void* const mapped = rig.allocator.info(buffer->allocation)->mapped;
  ASSERT_NE(mapped, nullptr);
  EXPECT_EQ(reason_of(rig.allocator.unmap(buffer->allocation)), Reason::not_mapped);
  EXPECT_EQ(*rig.allocator.map(buffer->allocation), mapped);
  EXPECT_TRUE(rig.allocator.unmap(buffer->allocation));
  EXPECT_EQ(rig.allocator.info(buffer->allocation)->mapped, mapped);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Mapping, FreedWhileMappedIsUnmapped) {
  Rig rig(fakes::profiles::discrete(),
          [](AllocatorDesc& desc) { desc.blocks.mapped_address_space = 64 * kMiB; });
  for (const Dedicated dedicated : {Dedicated::never, Dedicated::always}) {
    const auto buffer = rig.allocator.create_buffer(
        buffer_info(100), {.intent = MemoryIntent::upload, .dedicated = dedicated, .mapped = true});
    ASSERT_TRUE(buffer);
    ASSERT_TRUE(rig.allocator.map(buffer->allocation));
    ASSERT_TRUE(rig.allocator.map(buffer->allocation));
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
    EXPECT_EQ(rig.gpu.live().mapped_memories, 0u);
  }
}

TEST(Mapping, DeviceMemoryIsNotMapped) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer = rig.allocator.create_buffer(buffer_info(100));
  ASSERT_TRUE(buffer);
  std::array<std::byte, 4> bytes{};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reason_of(rig.allocator.map(buffer->allocation)), Reason::not_host_visible);
    EXPECT_EQ(reason_of(rig.allocator.copy_to(buffer->allocation, 0, bytes)),
              Reason::not_host_visible);
    EXPECT_EQ(reason_of(rig.allocator.copy_from(buffer->allocation, 0, bytes)),
              Reason::not_host_visible);
    EXPECT_EQ(reason_of(rig.allocator.flush(buffer->allocation)), Reason::not_host_visible);
  }
  EXPECT_EQ(rig.gpu.calls(Function::map_memory), 0u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Mapping, CoherentMemoryNeedsNoFlush) {
  Rig rig(fakes::profiles::discrete());
  const auto buffer = rig.allocator.create_buffer(buffer_info(100), kUpload);
  ASSERT_TRUE(buffer);
  const auto bytes = pattern(50);
  EXPECT_TRUE(rig.allocator.copy_to(buffer->allocation, 20, bytes));
  EXPECT_TRUE(rig.allocator.flush(buffer->allocation));
  EXPECT_TRUE(rig.allocator.invalidate(buffer->allocation));
  EXPECT_EQ(rig.gpu.calls(Function::flush_mapped_memory_ranges), 0u);
  EXPECT_EQ(rig.gpu.calls(Function::invalidate_mapped_memory_ranges), 0u);
  const auto seen = on_device(rig, buffer->allocation, 70);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), seen.begin() + 20));
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Mapping, CopiesReachNonCoherentMemoryAndComeBackFromIt) {
  Rig rig(non_coherent());
  const auto a = rig.allocator.create_buffer(buffer_info(1'000), kUpload);
  const auto b = rig.allocator.create_buffer(buffer_info(1'000), kUpload);
  ASSERT_TRUE(a && b);
  const auto bytes_a = pattern(333, 1);
  const auto bytes_b = pattern(1'000, 5);
  EXPECT_TRUE(rig.allocator.copy_to(a->allocation, 100, bytes_a));
  EXPECT_TRUE(rig.allocator.copy_to(b->allocation, 0, bytes_b));
  const auto seen = on_device(rig, a->allocation, 433);
  EXPECT_TRUE(std::equal(bytes_a.begin(), bytes_a.end(), seen.begin() + 100));
  EXPECT_EQ(on_device(rig, b->allocation, 1'000), bytes_b);

  const auto answer = pattern(200, 9);
  const auto info = rig.allocator.info(b->allocation);
  ASSERT_TRUE(rig.gpu.device_write(info->memory, info->offset + 77, answer));
  std::vector<std::byte> back(200);
  EXPECT_TRUE(rig.allocator.copy_from(b->allocation, 77, back));
  EXPECT_EQ(back, answer);
  EXPECT_TRUE(rig.allocator.destroy(*a));
  EXPECT_TRUE(rig.allocator.destroy(*b));
}

TEST(Mapping, AFlushOfSeveralIsOneDriverCall) {
  Rig rig(non_coherent());
  std::vector<Buffer> buffers;
  std::vector<AllocationRange> ranges;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto buffer = rig.allocator.create_buffer(
        buffer_info(1'000), {.intent = MemoryIntent::upload, .mapped = true});
    ASSERT_TRUE(buffer);
    const auto bytes = pattern(1'000, i);
    std::memcpy(rig.allocator.info(buffer->allocation)->mapped, bytes.data(), bytes.size());
    buffers.push_back(*buffer);
    ranges.push_back({buffer->allocation, 0, VK_WHOLE_SIZE});
    rig.gpu.reset_calls();
    EXPECT_TRUE(rig.allocator.flush(ranges));
    EXPECT_EQ(rig.gpu.calls(Function::flush_mapped_memory_ranges), 1u);
    EXPECT_TRUE(rig.allocator.invalidate(ranges));
    EXPECT_EQ(rig.gpu.calls(Function::invalidate_mapped_memory_ranges), 1u);
    EXPECT_EQ(on_device(rig, buffer->allocation, 1'000), bytes);
  }
  EXPECT_TRUE(rig.allocator.flush(std::span<const AllocationRange>{}));
  for (const Buffer& buffer : buffers)
    EXPECT_TRUE(rig.allocator.destroy(buffer));
}

TEST(Mapping, ABadRangeAmongSeveralFlushesNone) {
  Rig rig(non_coherent());
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000),
                                                  {.intent = MemoryIntent::upload, .mapped = true});
  ASSERT_TRUE(buffer);
  const Allocation a = buffer->allocation;
  const std::array<AllocationRange, 2> ranges{AllocationRange{a, 0, 10},
                                              AllocationRange{a, 5'000, 1}};
  rig.gpu.reset_calls();
  EXPECT_EQ(reason_of(rig.allocator.flush(ranges)), Reason::out_of_range);
  EXPECT_EQ(rig.gpu.calls(), 0u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Mapping, RangesOutsideTheAllocationAreRefused) {
  for (const FakeProfile& profile : {fakes::profiles::discrete(), non_coherent()}) {
    Rig rig(profile);
    const auto buffer = rig.allocator.create_buffer(
        buffer_info(1'024), {.intent = MemoryIntent::upload, .mapped = true});
    ASSERT_TRUE(buffer);
    const Allocation a = buffer->allocation;
    const VkDeviceSize size = rig.allocator.info(a)->size;
    constexpr VkDeviceSize kLargest = std::numeric_limits<VkDeviceSize>::max();
    std::array<std::byte, 8> bytes{};
    EXPECT_EQ(reason_of(rig.allocator.flush(a, size + 1)), Reason::out_of_range);
    EXPECT_EQ(reason_of(rig.allocator.flush(a, 1, size)), Reason::out_of_range);
    EXPECT_EQ(reason_of(rig.allocator.flush(a, kLargest, 2)), Reason::out_of_range);
    EXPECT_EQ(reason_of(rig.allocator.invalidate(a, 1, kLargest - 1)), Reason::out_of_range);
    EXPECT_EQ(reason_of(rig.allocator.copy_to(a, size - 7, bytes)), Reason::out_of_range);
    EXPECT_EQ(reason_of(rig.allocator.copy_to(a, kLargest - 3, bytes)), Reason::out_of_range);
    EXPECT_EQ(reason_of(rig.allocator.copy_from(a, kLargest, bytes)), Reason::out_of_range);
    EXPECT_EQ(reason_of(rig.allocator.copy_from(a, size + 1, {})), Reason::out_of_range);
    EXPECT_TRUE(rig.allocator.copy_to(a, size - 8, bytes));
    EXPECT_TRUE(rig.allocator.copy_to(a, size, {}));
    EXPECT_TRUE(rig.allocator.flush(a, size, 0));
    EXPECT_TRUE(rig.allocator.flush(a, size));
    EXPECT_TRUE(rig.allocator.destroy(*buffer));
  }
}

TEST(Mapping, WhatIsNotMappedIsNotFlushed) {
  Rig rig(non_coherent());
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000), kUpload);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(reason_of(rig.allocator.flush(buffer->allocation)), Reason::not_mapped);
  EXPECT_EQ(rig.gpu.calls(Function::flush_mapped_memory_ranges), 0u);
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

TEST(Mapping, DriverErrorsAreToldAndLeaveNothingMappedMore) {
  Rig rig(non_coherent());
  const auto buffer = rig.allocator.create_buffer(buffer_info(1'000), kUpload);
  ASSERT_TRUE(buffer);
  const auto bytes = pattern(10);
  rig.gpu.fail(Function::map_memory, 1, VK_ERROR_MEMORY_MAP_FAILED);
  EXPECT_EQ(rig.allocator.copy_to(buffer->allocation, 0, bytes).error().code,
            VK_ERROR_MEMORY_MAP_FAILED);
  rig.gpu.fail(Function::flush_mapped_memory_ranges, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(rig.allocator.copy_to(buffer->allocation, 0, bytes).error().code,
            VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(rig.allocator.info(buffer->allocation)->mapped, nullptr);
  rig.gpu.fail(Function::invalidate_mapped_memory_ranges, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY);
  std::vector<std::byte> back(10, std::byte{0xAA});
  EXPECT_EQ(rig.allocator.copy_from(buffer->allocation, 0, back).error().code,
            VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(back, std::vector<std::byte>(10, std::byte{0xAA}));
  EXPECT_TRUE(rig.allocator.copy_to(buffer->allocation, 0, bytes));
  EXPECT_TRUE(rig.allocator.destroy(*buffer));
}

}  // namespace
}  // namespace quarry::test
