// SPDX-License-Identifier: MIT
#include "base/periodic_thread.hpp"

#if !defined(_WIN32)
#include <cerrno>
#include <csignal>
#include <ctime>
#endif

namespace quarry::base {

void PeriodicThread::run() {
  while (sleep())
    work_(user_);
}

#if defined(_WIN32)

DWORD WINAPI PeriodicThread::entry(void* self) {
  static_cast<PeriodicThread*>(self)->run();
  return 0;
}

bool PeriodicThread::sleep() {
  return WaitForSingleObject(ending_, milliseconds_) == WAIT_TIMEOUT;
}

bool PeriodicThread::start(void (*work)(void* user), void* user, std::uint32_t milliseconds) {
  work_ = work;
  user_ = user;
  milliseconds_ = milliseconds;
  ending_ = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  if (ending_ == nullptr) return false;
  thread_ = CreateThread(nullptr, 0, entry, this, 0, nullptr);
  running_ = thread_ != nullptr;
  if (!running_) CloseHandle(ending_);
  return running_;
}

void PeriodicThread::stop() {
  if (!running_) return;
  SetEvent(ending_);
  WaitForSingleObject(thread_, INFINITE);
  CloseHandle(thread_);
  CloseHandle(ending_);
  running_ = false;
}

#else

namespace {

constexpr long kNanosecondsOfSecond = 1'000'000'000;
constexpr long kNanosecondsOfMillisecond = 1'000'000;
constexpr std::uint32_t kMillisecondsOfSecond = 1'000;

/// The steady clock's time `milliseconds` from now.
timespec time_in(std::uint32_t milliseconds) {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_sec += static_cast<time_t>(milliseconds / kMillisecondsOfSecond);
  time.tv_nsec +=
      static_cast<long>(milliseconds % kMillisecondsOfSecond) * kNanosecondsOfMillisecond;
  if (time.tv_nsec >= kNanosecondsOfSecond) {
    time.tv_nsec -= kNanosecondsOfSecond;
    ++time.tv_sec;
  }
  return time;
}

}  // namespace

void* PeriodicThread::entry(void* self) {
  static_cast<PeriodicThread*>(self)->run();
  return nullptr;
}

bool PeriodicThread::sleep() {
  const timespec until = time_in(milliseconds_);
  pthread_mutex_lock(&mutex_);
  while (!ending_ && pthread_cond_timedwait(&changed_, &mutex_, &until) != ETIMEDOUT) {
  }
  const bool goes_on = !ending_;
  pthread_mutex_unlock(&mutex_);
  return goes_on;
}

bool PeriodicThread::start(void (*work)(void* user), void* user, std::uint32_t milliseconds) {
  work_ = work;
  user_ = user;
  milliseconds_ = milliseconds;
  ending_ = false;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  const bool ready = pthread_cond_init(&changed_, &attributes) == 0;
  pthread_condattr_destroy(&attributes);
  if (!ready) return false;
  // The new thread has this one's mask.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  running_ = pthread_create(&thread_, nullptr, entry, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!running_) pthread_cond_destroy(&changed_);
  return running_;
}

void PeriodicThread::stop() {
  if (!running_) return;
  pthread_mutex_lock(&mutex_);
  ending_ = true;
  pthread_cond_signal(&changed_);
  pthread_mutex_unlock(&mutex_);
  pthread_join(thread_, nullptr);
  pthread_cond_destroy(&changed_);
  running_ = false;
}

#endif

}  // namespace quarry::base
