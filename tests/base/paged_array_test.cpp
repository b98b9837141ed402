// SPDX-License-Identifier: MIT
#include "base/paged_array.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "base/seed.hpp"

namespace quarry::base {
namespace {

/// `count` more elements, each a function of its index.
template <class Array>
bool extend(Array& array, std::uint32_t count) {
  const std::uint32_t first = array.size();
  return array.append(count, [first](std::uint32_t i) { return (first + i) * 3; });
}

template <class Array>
void expect_contents(const Array& array, std::uint32_t size) {
  ASSERT_EQ(array.size(), size);
  for (std::uint32_t i = 0; i < size; ++i)
    ASSERT_EQ(array[i], i * 3);
}

TEST(PagedArray, ElementsNeverMoveWhileTheTableIsReplaced) {
  PagedArray<std::uint32_t, 4> array(HostMemory::standard());
  std::vector<const std::uint32_t*> addresses;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    ASSERT_TRUE(extend(array, 1));
    addresses.push_back(&array[i]);
  }
  expect_contents(array, 5'000);
  for (std::uint32_t i = 0; i < 5'000; ++i)
    ASSERT_EQ(&array[i], addresses[i]);
}

TEST(PagedArray, OneAppendMayFillSeveralPages) {
  PagedArray<std::uint32_t, 8> array(HostMemory::standard());
  ASSERT_TRUE(extend(array, 3));
  ASSERT_TRUE(extend(array, 1'000));
  ASSERT_TRUE(extend(array, 0));
  ASSERT_TRUE(extend(array, 5));
  expect_contents(array, 1'008);
}

TEST(PagedArray, AnEmptyOneTakesNoHostMemoryAndAllOfItComesBack) {
  test::CountingHost host;
  {
    PagedArray<std::uint32_t, 8> array(host.memory());
    EXPECT_EQ(host.allocations(), 0u);
    ASSERT_TRUE(extend(array, 10'000));
    // A page for every eight, and tables that double.
    EXPECT_LE(host.allocations(), 10'000u / 8 + 12);
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

TEST(PagedArray, WithoutHostMemoryNothingIsAppended) {
  constexpr std::uint32_t kAtOnce = 40;
  for (std::uint64_t number = 0;; ++number) {
    test::CountingHost host;
    {
      PagedArray<std::uint32_t, 4> array(host.memory());
      ASSERT_TRUE(extend(array, 2));
      const std::uint64_t before = host.allocations();
      host.fail_at(before + number);
      const bool appended = extend(array, kAtOnce);
      if (!appended) {
        expect_contents(array, 2);
        // What was prepared in vain is used by the next try.
        ASSERT_TRUE(extend(array, kAtOnce));
      }
      expect_contents(array, 2 + kAtOnce);
      if (host.refused() == 0) break;
      EXPECT_FALSE(appended);
    }
    EXPECT_EQ(host.outstanding(), 0u);
  }
}

TEST(PagedArray, OthersReadWhileOneAppends) {
  constexpr std::uint32_t kCount = 20'000;
  for (const std::uint64_t seed : test::seeds(1)) {
    PagedArray<std::uint32_t, 2> array(HostMemory::standard());
    std::atomic<std::uint32_t> wrong = 0;
    std::vector<std::thread> readers;
    for (int reader = 0; reader < 3; ++reader) {
      readers.emplace_back([&] {
        for (std::uint32_t seen = 0; seen < kCount;) {
          seen = array.size();
          // The newest, and those that earlier tables had.
          for (std::uint32_t i = seen > 8 ? seen - 8 : 0; i < seen; ++i)
            wrong += array[i] == i * 3 ? 0u : 1u;
          for (std::uint32_t i = 0; i < seen; i = i * 2 + 1)
            wrong += array[i] == i * 3 ? 0u : 1u;
        }
      });
    }
    test::Random random(seed);
    while (array.size() < kCount) {
      const auto count = static_cast<std::uint32_t>(random.between(1, 7));
      if (!extend(array, std::min(count, kCount - array.size()))) ++wrong;
    }
    for (std::thread& reader : readers)
      reader.join();
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace quarry::base
