// SPDX-License-Identifier: MIT
// The store-load test: one thread stores to x and loads y, another stores to y and loads x. With a
// light fence between the one's two and a heavy fence between the other's, never both loads miss
// the other's store. Rounds are started by a counter, so that the two meet often.
#include "base/asymmetric_fence.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::base {
namespace {

/// What the light side has to do where light_fence() is not enough.
void fence_of_the_light_side(bool asymmetric) {
  if (asymmetric) {
    light_fence();
  } else {
    full_fence();
  }
}

std::uint32_t rounds() {
  const char* given = std::getenv("QUARRY_TEST_OPERATIONS");
  return given == nullptr ? 20'000u : static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0));
}

/// Spins while the other is about to come, so that the two meet; then lets it run.
template <class Condition>
void wait_until(Condition&& condition) {
  for (int spins = 0; !condition(); ++spins) {
    if (spins >= 2'000) std::this_thread::yield();
  }
}

/// Lets a short time pass, another one in each round.
void dawdle(std::uint32_t round) {
  for (std::uint32_t i = 0; i < round * 5 % 2048; ++i)
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

struct Variable {
  alignas(64) std::atomic<std::uint32_t> value{0};
};

TEST(AsymmetricFence, OfTwoWhoStoreAndThenLoadOneSeesTheOther) {
  const bool asymmetric = has_asymmetric_fence();
  const std::uint32_t count = rounds();
  Variable x;
  Variable y;
  Variable round;
  Variable done;
  std::uint32_t light_saw = 0;
  std::thread light([&] {
    for (std::uint32_t i = 1; i <= count; ++i) {
      wait_until([&] { return round.value.load(std::memory_order_acquire) == i; });
      x.value.store(i, std::memory_order_relaxed);
      fence_of_the_light_side(asymmetric);
      light_saw = y.value.load(std::memory_order_relaxed);
      done.value.store(i, std::memory_order_release);
    }
  });
  std::uint32_t both_missed = 0;
  for (std::uint32_t i = 1; i <= count; ++i) {
    round.value.store(i, std::memory_order_release);
    dawdle(i);
    y.value.store(i, std::memory_order_relaxed);
    heavy_fence();
    const std::uint32_t heavy_saw = x.value.load(std::memory_order_relaxed);
    wait_until([&] { return done.value.load(std::memory_order_acquire) == i; });
    if (light_saw != i && heavy_saw != i) ++both_missed;
  }
  light.join();
  EXPECT_EQ(both_missed, 0u);
}

/// The way that caches are taken from their owners: whoever is inside is never interrupted.
TEST(AsymmetricFence, AClaimWaitsForWhoIsInside) {
  const bool asymmetric = has_asymmetric_fence();
  const std::uint32_t count = rounds() / 40;
  std::atomic<std::uint32_t> busy{0};
  std::atomic<std::uint32_t> claimed{0};
  std::atomic<bool> stop{false};
  std::uint64_t guarded = 0;  // by the protocol alone
  std::atomic<std::uint64_t> entered{0};
  std::thread owner([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      busy.store(1, std::memory_order_relaxed);
      fence_of_the_light_side(asymmetric);
      if (claimed.load(std::memory_order_acquire) == 0) {
        ++guarded;
        entered.store(entered.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      }
      busy.store(0, std::memory_order_release);
    }
  });
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t before = entered.load(std::memory_order_relaxed);
    wait_until([&] { return entered.load(std::memory_order_relaxed) != before; });
    claimed.store(1, std::memory_order_seq_cst);
    heavy_fence();
    while (busy.load(std::memory_order_acquire) != 0)
      std::this_thread::yield();
    ++guarded;
    claimed.store(0, std::memory_order_release);
  }
  stop = true;
  owner.join();
  EXPECT_EQ(guarded, entered.load() + count);
}

}  // namespace
}  // namespace quarry::base
