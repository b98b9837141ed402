// SPDX-License-Identifier: MIT
#include "base/periodic_thread.hpp"

#include <atomic>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::base {
namespace {

struct Count {
  std::atomic<int> calls{0};
  std::atomic<bool> signals_blocked{false};
  std::thread::id thread;

  static void call(void* user) {
    auto& self = *static_cast<Count*>(user);
#if !defined(_WIN32)
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    self.signals_blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGPROF) == 1;
#else
    self.signals_blocked = true;
#endif
    self.thread = std::this_thread::get_id();
    ++self.calls;
  }
  void wait_for(int number) const {
    while (calls < number)
      std::this_thread::yield();
  }
};

TEST(PeriodicThread, WorksOnAThreadOfItsOwnUntilStopped) {
  Count count;
  PeriodicThread thread;
  ASSERT_TRUE(thread.start(Count::call, &count, 1));
  count.wait_for(3);
  thread.stop();
  const int calls = count.calls;
  EXPECT_NE(count.thread, std::this_thread::get_id());
  EXPECT_TRUE(count.signals_blocked);
  std::this_thread::yield();
  EXPECT_EQ(count.calls, calls);
}

TEST(PeriodicThread, TheEndWaitsForNoInterval) {
  Count count;
  {
    PeriodicThread thread;
    ASSERT_TRUE(thread.start(Count::call, &count, 24 * 3'600 * 1'000));
  }
  EXPECT_EQ(count.calls, 0);
}

TEST(PeriodicThread, CanBeStartedAgainAndStoppedUnstarted) {
  Count count;
  PeriodicThread thread;
  thread.stop();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(thread.start(Count::call, &count, 1));
    count.wait_for(2 * (i + 1));
    thread.stop();
    thread.stop();
  }
}

#if !defined(_WIN32)
TEST(PeriodicThread, LeavesTheSignalsOfTheStarterAsTheyWere) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Count count;
  PeriodicThread thread;
  ASSERT_TRUE(thread.start(Count::call, &count, 1));
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int number = 1; number < 32; ++number)
    EXPECT_EQ(sigismember(&before, number), sigismember(&after, number)) << number;
}
#endif

}  // namespace
}  // namespace quarry::base
