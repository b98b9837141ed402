// SPDX-License-Identifier: MIT
// What the host writes and the device sees, and the other way round.
#include "fakes/backing.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include <gtest/gtest.h>

#include "fakes/bench.hpp"
#include "fakes/expect.hpp"

namespace quarry::fakes {
namespace {

std::byte device_byte(Bench& bench, VkDeviceMemory memory, VkDeviceSize offset) {
  std::array<std::byte, 1> bytes{};
  EXPECT_TRUE(bench.gpu.device_read(memory, offset, bytes));
  return bytes[0];
}

TEST(Backing, CoherentWritesAreSeenAtOnce) {
  Bench bench(profiles::non_coherent());
  const VkDeviceMemory memory = bench.allocate(2, 4096);
  std::memset(bench.map(memory), 7, 4096);
  EXPECT_EQ(device_byte(bench, memory, 4095), std::byte{7});
  bench.unmap(memory);
  EXPECT_EQ(device_byte(bench, memory, 4095), std::byte{7});
}

TEST(Backing, NonCoherentWritesAreSeenAfterAFlushOfTheirRange) {
  Bench bench(profiles::non_coherent());
  const VkDeviceMemory memory = bench.allocate(3, 4096);
  std::memset(bench.map(memory), 7, 4096);
  EXPECT_EQ(device_byte(bench, memory, 0), std::byte{0});
  bench.flush(memory, 256, 256);
  EXPECT_EQ(device_byte(bench, memory, 255), std::byte{0});
  EXPECT_EQ(device_byte(bench, memory, 256), std::byte{7});
  EXPECT_EQ(device_byte(bench, memory, 511), std::byte{7});
  EXPECT_EQ(device_byte(bench, memory, 512), std::byte{0});
  expect_no_violations(bench.gpu);
}

TEST(Backing, NonCoherentDeviceWritesAreSeenAfterAnInvalidate) {
  Bench bench(profiles::non_coherent());
  const VkDeviceMemory memory = bench.allocate(3, 4096);
  const auto* host = static_cast<const std::byte*>(bench.map(memory));
  const std::array written{std::byte{9}};
  EXPECT_TRUE(bench.gpu.device_write(memory, 1000, written));
  EXPECT_EQ(host[1000], std::byte{0});
  bench.invalidate(memory, 768, VK_WHOLE_SIZE);
  EXPECT_EQ(host[1000], std::byte{9});
  expect_no_violations(bench.gpu);
}

TEST(Backing, ContentsSurviveUnmapping) {
  Bench bench(profiles::discrete());
  const VkDeviceMemory memory = bench.allocate(2, 4096);
  std::memset(bench.map(memory), 3, 4096);
  bench.unmap(memory);
  EXPECT_EQ(static_cast<const std::byte*>(bench.map(memory))[17], std::byte{3});
}

TEST(Backing, AMappingBeginsAtItsOffset) {
  Bench bench(profiles::discrete());
  const VkDeviceMemory memory = bench.allocate(2, 4096);
  std::memset(bench.map(memory, 1024, 64), 5, 64);
  EXPECT_EQ(device_byte(bench, memory, 1023), std::byte{0});
  EXPECT_EQ(device_byte(bench, memory, 1024), std::byte{5});
}

TEST(Backing, RangesBeyondTheEndAreRefused) {
  Bench bench(profiles::discrete());
  const VkDeviceMemory memory = bench.allocate(2, 4096);
  std::array<std::byte, 2> bytes{};
  EXPECT_FALSE(bench.gpu.device_read(memory, 4095, bytes));
  EXPECT_FALSE(bench.gpu.device_write(memory, 4096, bytes));
}

TEST(BackingDeathTest, TouchingUnmappedMemoryEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Bench bench(profiles::discrete());
        const VkDeviceMemory memory = bench.allocate(2, 4096);
        void* data = bench.map(memory);
        bench.unmap(memory);
        std::memset(data, 1, 1);
      },
      "");
}

}  // namespace
}  // namespace quarry::fakes
