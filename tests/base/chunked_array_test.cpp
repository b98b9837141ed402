// SPDX-License-Identifier: MIT
#include "base/chunked_array.hpp"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"

namespace quarry::base {
namespace {

TEST(ChunkedArray, ElementsNeverMove) {
  ChunkedArray<std::uint32_t, 4> array(HostMemory::standard());
  std::vector<const std::uint32_t*> addresses;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    addresses.push_back(array.emplace_back(i));
  }
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(&array[i], addresses[i]);
    ASSERT_EQ(array[i], i);
  }
}

TEST(ChunkedArray, HostMemoryGrowsWithTheLogarithmOfTheSize) {
  test::CountingHost host;
  {
    ChunkedArray<int> array(host.memory());
    EXPECT_EQ(host.allocations(), 0u);
    for (int i = 0; i < 100'000; ++i) {
      ASSERT_NE(array.emplace_back(i), nullptr);
    }
    EXPECT_LE(host.allocations(), 12u);
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

TEST(ChunkedArray, WithoutHostMemoryNothingChanges) {
  test::CountingHost host;
  ChunkedArray<int, 4> array(host.memory());
  for (int i = 0; i < 4; ++i) {
    ASSERT_NE(array.emplace_back(i), nullptr);
  }
  host.fail_at(host.allocations());
  EXPECT_EQ(array.emplace_back(4), nullptr);
  EXPECT_EQ(array.size(), 4u);
  EXPECT_NE(array.emplace_back(4), nullptr);
  EXPECT_EQ(array[4], 4);
}

TEST(ChunkedArray, ResetDestroysEachElementOnce) {
  const auto counter = std::make_shared<int>(1);
  ChunkedArray<std::shared_ptr<int>, 2> array(HostMemory::standard());
  for (int i = 0; i < 37; ++i) {
    ASSERT_NE(array.emplace_back(counter), nullptr);
  }
  EXPECT_EQ(counter.use_count(), 38);
  array.reset();
  EXPECT_EQ(counter.use_count(), 1);
  EXPECT_TRUE(array.empty());
}

TEST(ChunkedArray, OthersReadWhileOneAppends) {
  ChunkedArray<std::uint32_t, 1> array(HostMemory::standard());
  constexpr std::uint32_t kCount = 20'000;
  std::atomic<std::uint32_t> wrong = 0;
  std::thread reader([&] {
    for (std::uint32_t seen = 0; seen < kCount;) {
      seen = array.size();
      for (std::uint32_t i = seen > 64 ? seen - 64 : 0; i < seen; ++i) {
        wrong += array[i] == i * 3 ? 0u : 1u;
      }
    }
  });
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if (array.emplace_back(i * 3) == nullptr) ++wrong;
  }
  reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace quarry::base
