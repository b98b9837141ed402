// SPDX-License-Identifier: MIT
#include <cstring>

#include <gtest/gtest.h>

#include <quarry/host_memory.hpp>

#include "base/counting_host.hpp"
#include "base/host_object.hpp"
#include "base/host_string.hpp"

namespace quarry::base {
namespace {

TEST(HostMemory, TheStandardSourceHonoursAlignment) {
  const HostMemory host = HostMemory::standard();
  for (const std::size_t alignment : {1u, 2u, 8u, 64u, 4096u}) {
    void* memory = host.allocate(host.user, 100, alignment);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0u);
    std::memset(memory, 1, 100);
    host.release(host.user, memory);
  }
}

TEST(HostObject, AnArrayWhoseSizeOverflowsIsNull) {
  EXPECT_EQ(allocate_storage<std::uint64_t>(HostMemory::standard(), ~std::size_t{0} / 4), nullptr);
}

TEST(HostObject, CreatedAndDestroyedThroughTheCallbacks) {
  test::CountingHost host;
  int* number = create_object<int>(host.memory(), 5);
  ASSERT_NE(number, nullptr);
  EXPECT_EQ(*number, 5);
  EXPECT_EQ(host.outstanding(), 1u);
  destroy_object(host.memory(), number);
  destroy_object<int>(host.memory(), nullptr);
  EXPECT_EQ(host.outstanding(), 0u);
  host.fail_from(0);
  EXPECT_EQ(create_object<int>(host.memory(), 5), nullptr);
}

TEST(HostString, CopiesAreTerminatedAndOwn) {
  test::CountingHost host;
  char text[] = "abcdef";
  char* copy = copy_string(host.memory(), {text, 3});
  text[0] = 'x';
  EXPECT_STREQ(copy, "abc");
  release_string(host.memory(), copy);
  char* empty = copy_string(host.memory(), {});
  EXPECT_STREQ(empty, "");
  release_string(host.memory(), empty);
  release_string(host.memory(), nullptr);
  EXPECT_EQ(host.outstanding(), 0u);
  host.fail_from(0);
  EXPECT_EQ(copy_string(host.memory(), "abc"), nullptr);
}

}  // namespace
}  // namespace quarry::base
