// SPDX-License-Identifier: MIT
// A thread that does one thing again and again. Its end waits for the thing that is under way, not
// for the interval.
#pragma once

#include <cstdint>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <pthread.h>
#endif

namespace quarry::base {

/// start() and stop() must not run beside each other.
class PeriodicThread {
 public:
  PeriodicThread() = default;
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;
  ~PeriodicThread() { stop(); }

  /// Calls work(user) once every `milliseconds`, first after as many. Signals to the process are
  /// not handled there. False when the system has no thread to give. Not while it runs.
  bool start(void (*work)(void* user), void* user, std::uint32_t milliseconds);
  /// Returns when the thread has ended; at once when none runs. Not from the thread itself.
  void stop();

 private:
  void run();
  /// True after an interval, false when it is time to end.
  bool sleep();

#if defined(_WIN32)
  static DWORD WINAPI entry(void* self);
  HANDLE thread_ = nullptr;
  HANDLE ending_ = nullptr;
#else
  static void* entry(void* self);
  pthread_t thread_{};
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_{};
  bool ending_ = false;
#endif
  bool running_ = false;
  void (*work_)(void* user) = nullptr;
  void* user_ = nullptr;
  std::uint32_t milliseconds_ = 0;
};

}  // namespace quarry::base
