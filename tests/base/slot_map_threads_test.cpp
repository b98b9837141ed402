// SPDX-License-Identifier: MIT
// SlotMap under threads: meant for ThreadSanitizer, asserts what holds without it too.
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/seed.hpp"
#include "base/slot_map.hpp"

namespace quarry::base {
namespace {

constexpr std::uint32_t kThreads = 4;

template <class Work>
void run_threads(Work work) {
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&work, i] { work(i); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

struct Value {
  explicit Value(std::uint64_t number) noexcept : first(number), second(~number) {}
  std::uint64_t first;
  std::uint64_t second;  // always the complement, so that a torn or foreign value shows
};

TEST(SlotMapThreads, EachThreadFindsItsOwnBesideInsertsAndErasesOfOthers) {
  for (const std::uint64_t seed : test::seeds(1)) {
    SlotMap<Value> map(HostMemory::standard(), 1);
    std::atomic<std::uint32_t> wrong = 0;
    run_threads([&](std::uint32_t thread) {
      test::Random random(seed + thread);
      std::vector<std::pair<std::uint64_t, std::uint64_t>> own;
      std::vector<std::uint64_t> dead;
      for (std::uint32_t i = 0; i < 5000; ++i) {
        const std::uint64_t number = (std::uint64_t{thread} << 32) | i;
        if (own.size() < 50 && random.one_in(2)) {
          own.emplace_back(map.insert(number).handle, number);
        } else if (!own.empty()) {
          std::swap(own[random.index(own.size())], own.back());
          const auto found = map.lookup(own.back().first);
          if (!found || found.value->first != own.back().second ||
              found.value->second != ~own.back().second)
            ++wrong;
          if (map.erase(own.back().first) != HandleStatus::live) ++wrong;
          dead.push_back(own.back().first);
          own.pop_back();
        }
        if (!dead.empty() && map.status(dead[random.index(dead.size())]) != HandleStatus::stale)
          ++wrong;
      }
      for (const auto& [handle, number] : own) {
        if (map.erase(handle) != HandleStatus::live) ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0u);
    std::uint32_t left = 0;
    map.for_each([&](std::uint64_t, const Value&) { ++left; });
    EXPECT_EQ(left, 0u);
    EXPECT_LE(map.slot_count(), kThreads * 50u);
  }
}

TEST(SlotMapThreads, OfConcurrentFreesOfOneHandleExactlyOneWins) {
  constexpr std::uint32_t kHandles = 2000;
  SlotMap<Value> map(HostMemory::standard(), 1);
  std::vector<std::uint64_t> handles;
  for (std::uint32_t i = 0; i < kHandles; ++i) {
    handles.push_back(map.insert(std::uint64_t{i}).handle);
  }
  std::atomic<std::uint32_t> won = 0;
  run_threads([&](std::uint32_t) {
    for (const std::uint64_t handle : handles) {
      const auto claimed = map.claim(handle);
      if (!claimed) continue;
      ++won;
      claimed.value->first = 0;  // a race with any other winner would show here
      map.release(handle);
    }
  });
  EXPECT_EQ(won, kHandles);
}

}  // namespace
}  // namespace quarry::base
