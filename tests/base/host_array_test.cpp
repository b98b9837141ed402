// SPDX-License-Identifier: MIT
#include "base/host_array.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"
#include "base/seed.hpp"

namespace quarry::base {
namespace {

TEST(HostArray, AgreesWithAVectorUnderRandomOperations) {
  for (const std::uint64_t seed : test::seeds(3)) {
    test::Random random(seed);
    test::CountingHost host;
    {
      HostArray<std::uint64_t> array(host.memory());
      std::vector<std::uint64_t> model;
      for (int i = 0; i < 3000; ++i) {
        const std::uint64_t value = random.below(1000);
        const std::size_t at = random.index(model.size() + 1);
        switch (random.below(7)) {
          case 0:
          case 1:
            ASSERT_TRUE(array.push_back(value));
            model.push_back(value);
            break;
          case 2:
            ASSERT_TRUE(array.insert(at, value));
            model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), value);
            break;
          case 3:
            if (at == model.size()) break;
            array.erase(at);
            model.erase(model.begin() + static_cast<std::ptrdiff_t>(at));
            break;
          case 4:
            if (at == model.size()) break;
            array.swap_erase(at);
            model[at] = model.back();
            model.pop_back();
            break;
          case 5:
            if (!random.one_in(20)) break;
            ASSERT_TRUE(array.resize(at + 3));
            model.resize(at + 3);
            break;
          default:
            if (model.empty()) break;
            array.pop_back();
            model.pop_back();
        }
        ASSERT_EQ(std::vector<std::uint64_t>(array.begin(), array.end()), model);
      }
    }
    EXPECT_EQ(host.outstanding(), 0u);
  }
}

TEST(HostArray, OwnsAndMovesItsElements) {
  test::CountingHost host;
  const auto counter = std::make_shared<int>(1);
  HostArray<std::shared_ptr<int>> array(host.memory());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(array.push_back(counter));
  }
  EXPECT_EQ(counter.use_count(), 101);
  HostArray<std::shared_ptr<int>> other(std::move(array));
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): it is promised
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(other.size(), 100u);
  other.clear();
  EXPECT_EQ(counter.use_count(), 1);
  EXPECT_EQ(host.outstanding(), 1u);
  other.reset();
  EXPECT_EQ(host.outstanding(), 0u);
}

TEST(HostArray, GrowingInSmallStepsSeldomMovesTheElements) {
  test::CountingHost host;
  HostArray<char> pushed(host.memory());
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(pushed.push_back('x'));
  }
  EXPECT_LT(host.allocations(), 20u);
  HostArray<char> resized(host.memory());
  for (std::size_t size = 0; size < 100'000; size += 3) {
    ASSERT_TRUE(resized.resize(size));
  }
  EXPECT_LT(host.allocations(), 40u);
}

TEST(HostArray, WithoutHostMemoryNothingChanges) {
  test::CountingHost host;
  HostArray<int> array(host.memory());
  ASSERT_TRUE(array.resize(8));
  array[7] = 9;
  host.fail_from(host.allocations());
  ASSERT_EQ(array.capacity(), 8u);
  EXPECT_FALSE(array.push_back(1));
  EXPECT_FALSE(array.insert(0, 1));
  EXPECT_FALSE(array.resize(9));
  EXPECT_FALSE(array.reserve(9));
  EXPECT_EQ(array.size(), 8u);
  EXPECT_EQ(array.back(), 9);
}

}  // namespace
}  // namespace quarry::base
