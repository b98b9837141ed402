// SPDX-License-Identifier: MIT
#include "heap/origins.hpp"

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counting_host.hpp"

namespace quarry::heap {
namespace {

/// As many different wordings as there are numbers.
Origin wording(std::uint32_t number) {
  Origin origin;
  origin.type_bits = number;
  origin.required_flags = static_cast<std::uint16_t>(number % 7);
  origin.intent = static_cast<MemoryIntent>(number % 6);
  return origin;
}

constexpr std::uint32_t kMost = (1u << Record::kOriginBits) - 1;

TEST(Origins, EqualWordingsHaveOneNumber) {
  Origins origins(HostMemory::standard());
  const std::uint32_t number = origins.find_or_add(wording(3));
  ASSERT_NE(number, 0u);
  EXPECT_EQ(origins.find_or_add(wording(3)), number);
  EXPECT_EQ(origins[number], wording(3));
}

TEST(Origins, AnyDifferenceMakesAnother) {
  Origins origins(HostMemory::standard());
  std::vector<Origin> all(11);
  all[1].type_bits = 1;
  all[2].required_flags = 1;
  all[3].preferred_flags = 1;
  all[4].forbidden_flags = 1;
  all[5].intent = MemoryIntent::upload;
  all[6].kind = ResourceKind::linear;
  all[7].movable = MovableVerdict::movable;
  all[8].transient_image = true;
  all[9].wants_protected = true;
  all[10].kind = ResourceKind::optimal;
  std::set<std::uint32_t> numbers;
  for (const Origin& origin : all) {
    const std::uint32_t number = origins.find_or_add(origin);
    EXPECT_NE(number, 0u);
    EXPECT_EQ(origins[number], origin);
    numbers.insert(number);
  }
  EXPECT_EQ(numbers.size(), all.size());
}

TEST(Origins, AFullTableKnowsWhatItHasAndTakesNoMore) {
  Origins origins(HostMemory::standard());
  for (std::uint32_t i = 0; i < kMost; ++i)
    ASSERT_EQ(origins.find_or_add(wording(i)), i + 1);
  for (std::uint32_t i = kMost; i < kMost + 100; ++i)
    EXPECT_EQ(origins.find_or_add(wording(i)), 0u);
  for (std::uint32_t i = 0; i < kMost; ++i) {
    ASSERT_EQ(origins.find_or_add(wording(i)), i + 1);
    ASSERT_EQ(origins[i + 1], wording(i));
  }
}

TEST(Origins, WithoutHostMemoryThereIsNoNumberUntilThereIs) {
  test::CountingHost host;
  {
    Origins origins(host.memory());
    host.fail_at(0);
    EXPECT_EQ(origins.find_or_add(wording(1)), 0u);
    EXPECT_EQ(origins.find_or_add(wording(1)), 1u);
    EXPECT_EQ(origins[1], wording(1));
  }
  EXPECT_EQ(host.outstanding(), 0u);
}

TEST(OriginsThreads, AllAgreeOnTheNumbers) {
  constexpr std::uint32_t kThreads = 4;
  Origins origins(HostMemory::standard());
  std::vector<std::vector<std::uint32_t>> numbers(kThreads);
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      numbers[thread].resize(kMost + 50);
      for (std::uint32_t i = 0; i < kMost + 50; ++i) {
        // Each in an order of its own.
        const std::uint32_t which = (i * (2 * thread + 1)) % (kMost + 50);
        numbers[thread][which] = origins.find_or_add(wording(which));
        if (numbers[thread][which] != 0) {
          EXPECT_EQ(origins[numbers[thread][which]], wording(which));
        }
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  std::set<std::uint32_t> given;
  for (std::uint32_t i = 0; i < kMost + 50; ++i) {
    const std::uint32_t number = origins.find_or_add(wording(i));
    if (number != 0) given.insert(number);
    for (const auto& of_thread : numbers)
      EXPECT_TRUE(of_thread[i] == number || of_thread[i] == 0);
  }
  EXPECT_EQ(given.size(), kMost);
}

}  // namespace
}  // namespace quarry::heap
