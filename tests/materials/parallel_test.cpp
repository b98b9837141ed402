// SPDX-License-Identifier: MIT
// The parallel loop.
#include "materials/parallel.hpp"

#include <atomic>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::materials {
namespace {

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::vector<std::atomic<int>> calls(1000);
    parallel_for(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
    for (const auto& count : calls)
      EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, NothingToDoCallsNothing) {
  bool called = false;
  parallel_for(0, 4, [&](std::size_t) { called = true; });
  EXPECT_FALSE(called);
}

TEST(ParallelFor, TheFirstExceptionComesBack) {
  std::atomic<int> begun{0};
  EXPECT_THROW(parallel_for(100000, 3,
                            [&](std::size_t) {
                              ++begun;
                              throw std::runtime_error("no");
                            }),
               std::runtime_error);
  EXPECT_LE(begun, 3);
}

TEST(ThreadCount, IsNeverZero) {
  EXPECT_GE(thread_count(0), 1u);
  EXPECT_EQ(thread_count(5), 5u);
}

}  // namespace
}  // namespace quarry::materials
